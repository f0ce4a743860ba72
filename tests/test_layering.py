"""Imports point down only, siblings never import one another, and the worker stands apart."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT

GROUND = {"errors", "instructions", "events", "registry", "strict", "units", "__init__"}
PURE = {
    "scenario", "shapes", "faults", "topologies", "plan", "measures", "checks", "statistics", "report", "conductor",
    "evidence", "judge", "archive", "network", "schedule", "receipts", "expansion", "injector", "waits", "flaws",
    "table", "shrink",
}  # fmt: skip
EFFECTS = {"agent", "targets", "store", "history", "facts", "catalogue", "machine", "batch"}
TOP = {"run", "cli", "asv_bridge", "__main__"}
LEVEL = {
    **dict.fromkeys(GROUND, 0),
    **dict.fromkeys(PURE, 1),
    **dict.fromkeys(EFFECTS, 2),
    "run": 3,
    "cli": 4,
    "asv_bridge": 4,
    "__main__": 5,
}
METADATA = {("scenario", "worker")}
"""The scenario reads names and default sizes of the worker's models."""
SIBLINGS = {"faults", "topologies", "measures", "checks", "shapes"}


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parts() -> Iterator[tuple[str, Path, str]]:
    """Part, file, and each harness module that the file imports."""
    for path in (ROOT / "harness").rglob("*.py"):
        relative = path.relative_to(ROOT / "harness")
        for name in _imports(path):
            if name.startswith("harness."):
                yield relative.parts[0].removesuffix(".py"), path, name


def test_every_part_has_a_level() -> None:
    parts = {path.relative_to(ROOT / "harness").parts[0].removesuffix(".py") for (path,) in _files()}
    assert parts - {"worker", "__pycache__"} == set(LEVEL)


def _files() -> Iterator[tuple[Path]]:
    return ((path,) for path in (ROOT / "harness").rglob("*.py"))


def test_imports_point_down() -> None:
    wrong = []
    for part, path, name in _parts():
        other = name.split(".")[1]
        if part == "worker" or other == "__version__" or other == part:
            continue
        allowed = (part, other) in METADATA or (other in LEVEL and LEVEL[other] <= LEVEL[part])
        if not allowed:
            wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_siblings_do_not_import_one_another() -> None:
    wrong = []
    for part, path, name in _parts():
        words = name.split(".")
        modules = {file.stem for file in (ROOT / "harness" / part).glob("*.py")} - {"__init__"}
        if part in SIBLINGS and words[1] == part and words[2] in modules and path.stem != "__init__":
            wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_the_worker_needs_only_the_standard_library_numpy_mxnet_and_horovod() -> None:
    wrong = []
    for path in (ROOT / "harness" / "worker").rglob("*.py"):
        for name in _imports(path):
            root = name.split(".")[0]
            if root not in sys.stdlib_module_names and root not in ("numpy", "mxnet", "horovod"):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_the_controller_never_imports_mxnet() -> None:
    for path in (ROOT / "harness").rglob("*.py"):
        if "worker" not in path.parts:
            assert not any(name.split(".")[0] == "mxnet" for name in _imports(path)), path
