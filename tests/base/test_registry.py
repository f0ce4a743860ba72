"""The registries find their parts, and every part has a docstring, a test and a scenario."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
import yaml

from harness import checks, faults, measures, shapes, topologies
from harness.base import registry
from harness.base.errors import RegistryError
from harness.faults import WorkerFault
from harness.planning.validation import load
from harness.scenario import models
from harness.vocabulary.instructions import Act, Prepare
from tests.conftest import ROOT

KINDS = {
    "faults": faults.all_faults(),
    "shapes": shapes.all_shapes(),
    "topologies": topologies.all_topologies(),
    "checks": checks.all_checks(),
    "measures": measures.all_measures(),
}


class Base:
    name: str


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> str:
    name = f"parts_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").touch()
    for module, text in files.items():
        (folder / f"{module}.py").write_text("from tests.base.test_registry import Base\n" + text)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop(name, None)
    return name


def test_parts_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(
        tmp_path, monkeypatch, b="class B(Base):\n  name = 'two'\n", a="class A(Base):\n  name = 'one'\n"
    )
    assert list(registry.load(package, Base)) == ["one", "two"]


def test_a_name_given_twice_names_both_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = "class A(Base):\n  name = 'one'\n"
    package = _package(tmp_path, monkeypatch, a=twice, b=twice)
    with pytest.raises(RegistryError, match=rf"'one' is defined by both {package}\.a and {package}\.b"):
        registry.load(package, Base)


def test_a_part_without_a_name_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch, a="class A(Base):\n  pass\n")
    with pytest.raises(RegistryError, match=rf"{package}\.a must define one Base with a name, it has 0"):
        registry.load(package, Base)


PARTS = [(kind, name, part) for kind, parts in KINDS.items() for name, part in parts.items()]


@pytest.mark.parametrize(("kind", "name", "part"), PARTS, ids=lambda value: str(value))
def test_every_part_is_explained_and_tested(kind: str, name: str, part: type) -> None:
    module = sys.modules[part.__module__]
    assert module.__doc__ and part.__doc__
    assert (ROOT / "tests" / kind / f"test_{part.__module__.split('.')[-1]}.py").is_file()


@pytest.mark.parametrize("name", models.own())
def test_every_model_is_explained_and_tested(name: str) -> None:
    assert importlib.import_module(f"harness.worker.models.{name}").__doc__
    assert (ROOT / "tests" / "worker" / "models" / f"test_{name}.py").is_file()


def test_every_fault_in_a_worker_has_a_file_there_and_no_other() -> None:
    committed = {name for name, fault in faults.all_faults().items() if issubclass(fault, WorkerFault)}
    assert set(registry.modules("harness.worker.faults")) == committed


def test_every_fault_by_the_agent_has_a_file_there_and_no_other() -> None:
    instructions = [
        instruction
        for path in (ROOT / "scenarios").rglob("*.yaml")
        for arm in load(path).arms.values()
        for fault in (entry.fault for entry in arm.faults)
        for instruction in (
            *fault.inject("worker/0", 0),
            *(fault.prepare("") if isinstance(fault, faults.Prepares) else ()),
        )
    ]
    named = {instruction.name for instruction in instructions if isinstance(instruction, Act | Prepare)}
    assert set(registry.modules("harness.agent.faults")) == named


def _words_of_scenarios() -> dict[str, set[str]]:
    used: dict[str, set[str]] = {kind: set() for kind in (*KINDS, "models")}
    for path in (ROOT / "scenarios").rglob("*.yaml"):
        used["checks"] |= set(yaml.safe_load(path.read_text()).get("expect", {}))
        for scenario in load(path).arms.values():
            used["models"].add(scenario.workload.model or "")
            used["faults"] |= {entry.fault.name for entry in scenario.faults}
            used["topologies"].add(topologies.find(scenario.topology).name)
            if scenario.workload.shapes is not None:
                used["shapes"].add(scenario.workload.shapes.distribution)
    return used


def test_every_part_is_used_by_a_scenario() -> None:
    used = _words_of_scenarios()
    wanted = {(kind, name) for kind, name, _ in PARTS if kind != "measures"}
    wanted |= {("models", name) for name in models.own()}
    assert {(kind, name) for kind, name in wanted if name not in used[kind]} == set()


def test_a_file_that_is_run_elsewhere_must_define_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = _package(tmp_path, monkeypatch, a="class Fault: pass\n", b="Fault = Base\n", c="x = 1\n", d="def (:\n")
    registry.require_class(f"{package}.a", "Fault")
    registry.require_class(f"{package}.b", "Fault")
    with pytest.raises(RegistryError, match=r"\.c defines no class Fault"):
        registry.require_class(f"{package}.c", "Fault")
    with pytest.raises(RegistryError, match=r"\.d cannot be read: invalid syntax"):
        registry.require_class(f"{package}.d", "Fault")
