"""Files that one target wrote and the other one reads, both ways: an upgrade, and the way back. Pure.

What a target makes of files is compared with what the one that wrote them does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from harness.studies.parity import BETTER, NO_WAY_BACK, Difference, Parity, between, worst_first

FILES = "files."
"""How names of programs begin that write files."""

SIDES = ("from", "to")

Line = Mapping[str, Any]
"""``op``, ``by``: who wrote, ``old`` and ``new``: what became of reading it."""


def line(op: str, side: int, old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """As it is kept."""
    return {"op": op, "by": SIDES[side], "old": old, "new": new}


def difference(read: Line) -> Difference | None:
    """Who did not write makes something else of it."""
    upgraded = read["by"] == SIDES[0]
    writer, reader = (read["old"], read["new"]) if upgraded else (read["new"], read["old"])
    told = between(writer, reader)
    if told is None or (not upgraded and told[0] in BETTER):
        return None
    variant = f"files of the {'old' if upgraded else 'new'} one"
    program = writer.get("program") or reader.get("program", "")
    case = {"case": f"{read['op']}({variant})", "shapes": [], "variant": variant, "program": program}
    kind, how = (told[0], told[1]) if upgraded else (NO_WAY_BACK, f"{told[0]}: {told[1]}")
    return Difference(read["op"], kind, case, how if not upgraded else f"{variant}: {how}")


def with_files(found: Parity, lines: Iterable[Line]) -> Parity:
    """And what differs between files that both were asked to read."""
    known = [each for each in lines if "ok" in (each["old"]["status"], each["new"]["status"])]
    told = list(_differences(known))
    against = worst_first([*found.differences, *told])
    better = (*found.better, *(each for each in told if each.kind in BETTER))
    return replace(found, differences=against, better=better, compared=found.compared + len(known))


def _differences(lines: Iterable[Line]) -> Iterator[Difference]:
    for each in lines:
        if (found := difference(each)) is not None:
            yield found
