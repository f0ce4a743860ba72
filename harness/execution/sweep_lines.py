"""Files of sweeps: a line of JSON for what became of each case, and the operators that a target listed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from harness.base.errors import DamagedRunError

DEATHS = ("crashed", "hung")
Begun = Mapping[str, Mapping[str, str]]
"""What became of cases, by operator."""

NOTHING: Begun = MappingProxyType({})


def ended(file: Path) -> set[str]:
    """Operators that a pass is through with."""
    return {line["end"] for line in read(file) if "end" in line}


def given_up(*passes: Path) -> set[str]:
    """Operators whose processes ended between their cases so often that some were not asked, in each pass they had."""
    ends = [{line["end"]: "unswept" in line for line in read(file) if "end" in line} for file in passes]
    return {name for name in ends[0] if all(each.get(name, True) for each in ends)}


def begun(file: Path) -> dict[str, dict[str, str]]:
    """What became of cases, by operator."""
    found: dict[str, dict[str, str]] = {}
    for line in read(file):
        if "case" in line:
            found.setdefault(line["op"], {})[line["case"]] = became(line)
    return found


def deadly(*files: Path) -> dict[str, dict[str, str]]:
    """Cases that the processes of any of these passes did not survive, by operator.

    Who compares targets gives the passes of both: what only one of them is not asked, as its process ended by chance
    once, would make another thing of all that comes after it, in every pass.
    """
    found: dict[str, dict[str, str]] = {}
    for line in chain.from_iterable(map(read, files)):
        if line.get("status") in DEATHS and "case" in line:
            found.setdefault(line["op"], {})[line["case"]] = line["status"]
    return found


def became(line: Mapping[str, Any]) -> str:
    """As the program knows it: an error's message tells it what to try next, also when a sweep goes on."""
    return str(line["message"] if line["status"] == "error" else line["status"])


def read(file: Path) -> Iterator[dict[str, Any]]:
    """Lines of a pass; one that was cut off by a kill is left out. DamagedRunError for what is no file."""
    if not file.exists():
        return
    try:
        with open(file, "rb") as lines:
            yield from filter(None, map(parsed, lines))
    except OSError as error:
        raise DamagedRunError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error


def parsed(line: bytes) -> dict[str, Any] | None:
    """One line; None for what is none, as one that was cut off by a kill."""
    try:
        told = json.loads(line)
    except ValueError:
        return None
    return told if isinstance(told, dict) else None


def require_whole(asked: Iterable[str], file: Path) -> None:
    """DamagedRunError unless a pass that came to its end has all operators that it was asked for."""
    known = ended(file)
    if missing := [name for name in asked if name not in known]:
        raise DamagedRunError(f"{file} is damaged: it lacks {missing[0]}, which was asked; begin a new study")


def names_kept(file: Path) -> dict[str, list[str]]:
    """The operators of a target that were listed before; none where they were not. DamagedRunError for what is none."""
    try:
        return dict(json.loads(file.read_text())) if file.exists() else {}
    except (OSError, ValueError) as error:
        raise DamagedRunError(f"{file} is damaged: {error}; remove it, and they are listed again") from error


def keep_names(file: Path, names: dict[str, list[str]]) -> dict[str, list[str]]:
    """Write them down, whole or not at all."""
    beside = file.with_suffix(".part")
    beside.write_text(json.dumps(names))
    beside.replace(file)
    return names
