"""Paths of the user's own files: relative to the scenario that names them, or on the command line to where one is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.scenario import document, models
from harness.scenario.document import Document

_WORKLOAD = "workload"
_TRACE = {"distribution": "trace"}
_PATHS = ("script", "folder", "model", "shapes.file")
FIELDS = tuple(f"{_WORKLOAD}.{name}" for name in _PATHS)
"""Fields that hold one, or in the case of a model may do so."""


def read(path: Path) -> Document:
    """The document in a file, with all paths absolute; ScenarioError where it cannot be read."""
    found = document.read(path)
    if isinstance(found.values, dict):
        folder = path.resolve().parent
        _anchor(found.values, folder)
        variants = found.values.get("variants")
        for fields in variants.values() if isinstance(variants, dict) else ():
            _anchor(fields, folder)
        _anchor_traces(found.values, folder)
    return found


def _anchor(values: Any, folder: Path) -> None:
    if not isinstance(values, dict):
        return
    own = values.get(_WORKLOAD)
    for fields, names in ((own if isinstance(own, dict) else {}, _PATHS), (values, FIELDS)):
        for name in names:
            if isinstance(fields.get(name), str):
                fields[name] = absolute(name, fields[name], folder)


def _anchor_traces(value: Any, folder: Path) -> None:
    """Wherever sizes are drawn from: the workload, a variant, a fault."""
    if isinstance(value, dict):
        if _TRACE.items() <= value.items() and isinstance(value.get("file"), str):
            value["file"] = _absolute(value["file"], folder)
        for item in value.values():
            _anchor_traces(item, folder)
    elif isinstance(value, list):
        for item in value:
            _anchor_traces(item, folder)


def absolute(field: str, text: str, folder: Path) -> str:
    """What is given for one of `FIELDS`, as it is meant in a folder."""
    is_name = field.endswith("model") and models.file_of(text) is None
    return text if is_name else _absolute(text, folder)


def _absolute(text: str, folder: Path) -> str:
    return str(folder / Path(text).expanduser())
