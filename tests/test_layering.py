"""The house: few rooms, imports that point down only, parts that stand alone, and the worker apart."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.conftest import ROOT

HARNESS = ROOT / "harness"
PARTS = {"faults", "topologies", "measures", "checks", "shapes", "agent/faults", "worker/faults", "worker/models"}
STANDARD = sys.stdlib_module_names
MOST_FOLDERS = 21


@cache
def _modules() -> dict[str, Path]:
    """Dotted name to file, of the whole package."""
    files = sorted(HARNESS.rglob("*.py"))
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def _imported(path: Path) -> Iterator[tuple[int, str, str]]:
    """Level, module and name of each import, wherever it stands: inside functions and for types only, too."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module or "", alias.name) for alias in node.names)


def _edges(name: str, path: Path) -> Iterator[str]:
    """The modules of the package that a module imports; a package means its ``__init__``."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for level, module, what in _imported(path):
        base = ".".join(package.split(".")[: len(package.split(".")) - level + 1]) if level else ""
        whole = ".".join(filter(None, (base, module)))
        for target in (f"{whole}.{what}", whole):
            if target in _modules():
                yield target
                break


@cache
def _graph() -> dict[str, frozenset[str]]:
    return {name: frozenset(_edges(name, path)) - {name} for name, path in _modules().items()}


def _folder(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def _folders() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {}
    for module, targets in _graph().items():
        graph.setdefault(_folder(module), set()).update(_folder(target) for target in targets)
    return {folder: targets - {folder} for folder, targets in graph.items()}


def test_modules_import_one_another_in_no_circle() -> None:
    TopologicalSorter(_graph()).prepare()  # CycleError names the circle


def test_folders_import_one_another_in_no_circle() -> None:
    TopologicalSorter(_folders()).prepare()


def test_nothing_imports_the_public_interface() -> None:
    assert [module for module, targets in _graph().items() if "harness" in targets] == []


def test_there_are_few_rooms_and_each_says_what_belongs_there() -> None:
    entries = {path.name for path in HARNESS.iterdir()} - {"__init__.py", "__main__.py", "py.typed", "__pycache__"}
    assert len(entries) <= MOST_FOLDERS
    assert {name for name in entries if not (HARNESS / name).is_dir()} == set()
    for name in entries:
        assert ast.get_docstring(ast.parse((HARNESS / name / "__init__.py").read_text())), name


@pytest.mark.parametrize("folder", sorted(PARTS))
def test_siblings_do_not_import_one_another(folder: str) -> None:
    package = f"harness.{folder.replace('/', '.')}"
    wrong = {
        module: targets
        for module in _graph()
        if module.startswith(f"{package}.")
        and (targets := {target for target in _graph()[module] if target.startswith(f"{package}.")})
    }
    assert wrong == {}


def test_the_worker_needs_only_the_standard_library_numpy_mxnet_and_horovod() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for name, path in _modules().items()
        if _folder(name) == "worker"
        for level, module, _ in _imported(path)
        if not level and module.split(".")[0] not in {*STANDARD, "numpy", "mxnet", "horovod"}
    ]
    assert wrong == []


def test_the_agent_starts_without_the_rest_of_the_controller() -> None:
    """It has to be there within a tenth of a second: no pydantic, no numpy, no parts."""
    reached, waiting = set(), {name for name in _graph() if _folder(name) == "agent"}
    while waiting:
        reached |= waiting
        waiting = {target for module in waiting for target in _graph()[module]} - reached
    assert {_folder(module) for module in reached} <= {"agent", "base", "vocabulary"}
    foreign = {
        module.split(".")[0]
        for name in reached
        for level, module, _ in _imported(_modules()[name])
        if not level and module.split(".")[0] not in {*STANDARD, "harness"}
    }
    assert foreign <= {"pyroute2", "orjson"}  # where a cluster is made, and in the wire, which is a process of its own


def test_the_controller_never_imports_mxnet() -> None:
    for name, path in _modules().items():
        if _folder(name) != "worker":
            assert not any(module.split(".")[0] == "mxnet" for _, module, _ in _imported(path)), path
