"""The registries find their parts, and every part has a docstring, a test and a scenario."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from harness import checks, faults, measures, registry, shapes, topologies
from harness.errors import RegistryError
from harness.scenario import models
from harness.scenario.load import load
from tests.conftest import ROOT

PARTS = [
    (faults, faults.Fault),
    (shapes, shapes.Distribution),
    (topologies, topologies.Topology),
    (checks, checks.Check),
    (measures, measures.Measure),
]


class Base:
    name: str


def _package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> str:
    name = f"parts_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").touch()
    for module, text in files.items():
        (folder / f"{module}.py").write_text("from tests.test_registry import Base\n" + text)
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


def _all_parts() -> list[tuple[str, str, type]]:
    found = []
    for package, base in PARTS:
        for name, part in registry.load(package.__name__, base).items():
            found.append((package.__name__.split(".")[-1], name, part))
    return found


@pytest.mark.parametrize(("kind", "name", "part"), _all_parts(), ids=lambda value: str(value))
def test_every_part_is_explained_and_tested(kind: str, name: str, part: type) -> None:
    module = sys.modules[part.__module__]
    assert module.__doc__ and part.__doc__
    assert (ROOT / "tests" / kind / f"test_{part.__module__.split('.')[-1]}.py").is_file()


def _words_of_scenarios() -> dict[str, set[str]]:
    used: dict[str, set[str]] = {
        "faults": set(),
        "shapes": set(),
        "topologies": set(),
        "checks": set(),
        "models": set(),
    }
    for path in (ROOT / "scenarios").rglob("*.yaml"):
        loaded = load(path)
        raw = yaml.safe_load(path.read_text())
        used["checks"] |= set(raw.get("expect", {}))
        for scenario in [loaded.scenario, *loaded.variants.values()]:
            used["models"].add(scenario.workload.model)
            used["faults"] |= {entry.fault.name for entry in scenario.faults}
            used["topologies"].add(topologies.find(scenario.topology).name)
            if scenario.workload.shapes is not None:
                used["shapes"].add(scenario.workload.shapes.distribution)
    return used


def test_every_part_is_used_by_a_scenario() -> None:
    used = _words_of_scenarios()
    wanted = {(kind, name) for kind, name, _ in _all_parts() if kind != "measures"}
    wanted |= {("models", name) for name in models.own()}
    assert {(kind, name) for kind, name in wanted if name not in used[kind]} == set()


def test_every_measure_is_asked_for_by_a_check_or_shown() -> None:
    names = set(registry.load("harness.measures", measures.Measure))
    assert names == {
        "duration", "finite", "latency", "loss", "memory", "phases", "recovery", "throughput", "traffic", "updates",
        "weights",
    }  # fmt: skip
