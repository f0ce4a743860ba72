"""Paths of the user's own files: relative to the scenario that names them, or on the command line to where one is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.scenario import document
from harness.scenario.document import Document

_WORKLOAD = "workload"
_PATHS = ("script", "folder")
FIELDS = tuple(f"{_WORKLOAD}.{name}" for name in _PATHS)
"""Fields that hold one."""


def read(path: Path) -> Document:
    """The document in a file, with all paths absolute; ScenarioError where it cannot be read."""
    found = document.read(path)
    if isinstance(found.values, dict):
        _anchor(found.values, path.resolve().parent)
        variants = found.values.get("variants")
        for fields in variants.values() if isinstance(variants, dict) else ():
            _anchor(fields, path.resolve().parent)
    return found


def _anchor(values: Any, folder: Path) -> None:
    if not isinstance(values, dict):
        return
    own = values.get(_WORKLOAD)
    _anchor_named(own if isinstance(own, dict) else {}, _PATHS, folder)
    _anchor_named(values, FIELDS, folder)


def _anchor_named(fields: dict[str, Any], names: Sequence[str], folder: Path) -> None:
    for name in names:
        if isinstance(fields.get(name), str):
            fields[name] = absolute(fields[name], folder)


def absolute(text: str, folder: Path) -> str:
    """A path as it is meant in a folder."""
    return str(folder / Path(text).expanduser())
