"""Files that one target wrote and the other one reads, both ways: an upgrade, and the way back. Pure.

What a target makes of the other one's files is compared with what that one does, and with what it makes of its own: who
computes something else of any files has another row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness.studies.parity import Difference, Parity, worst_first
from harness.studies.unlike import BETTER, CRASHES, HANGS, NEW_FILES, OLD_FILES, between

FILES = "files."
"""How names of programs begin that write files."""

SIDES = ("from", "to")
_REFUSED = (CRASHES, HANGS, "refuses")

Line = Mapping[str, Any]
"""``op``; ``by``: who wrote; ``old`` and ``new``: what became of reading it, none where nothing was written.

``repeats``: whether the same came of it twice, where anything differed.
"""


def line(op: str, side: int, read: Sequence[Mapping[str, Any]] = (), repeats: bool = True) -> dict[str, Any]:
    """As it is kept."""
    return {"op": op, "by": SIDES[side], **dict(zip(("old", "new"), read, strict=False)), "repeats": repeats}


def told(read: Line) -> tuple[str, str] | None:
    """How who did not write differs from who did, by the words of `between`; None where it does not, or does better."""
    writer, reader = _writer_and_reader(read)
    found = between(writer, reader)
    return None if found is None or found[0] in BETTER else found


def difference(read: Line, other: Line | None) -> Difference | None:
    """``other``: the line of files that the reader wrote itself, where it did."""
    found, (writer, reader) = told(read), _writer_and_reader(read)
    if found is None or (other is not None and between(_writer_and_reader(other)[0], reader) is None):
        return None
    upgraded = read["by"] == SIDES[0]
    kinds, variant = (OLD_FILES, "files of the old one") if upgraded else (NEW_FILES, "files of the new one")
    program = writer.get("program") or reader.get("program", "")
    case = {"case": f"{read['op']}({variant})", "shapes": [], "variant": variant, "program": program}
    return Difference(read["op"], kinds[found[0] in _REFUSED], case, found[1])


def with_files(found: Parity, lines: Iterable[Line]) -> Parity:
    """And what differs between files that both were asked to read, of programs that repeat themselves."""
    every = list(lines)
    known = [each for each in every if "ok" in (each.get("old", {}).get("status"), each.get("new", {}).get("status"))]
    unwritten = {each["op"] for each in every if "old" not in each}
    unstable = {*found.unstable, *(each["op"] for each in known if not each["repeats"])}
    against = worst_first([*found.differences, *_differences(known, unstable)])
    return replace(
        found,
        differences=against,
        compared=found.compared + len(known),
        unmatched=tuple(sorted({*found.unmatched, *unwritten})),
        unstable=tuple(sorted(unstable)),
    )


def _differences(lines: Sequence[Line], unstable: set[str]) -> Iterator[Difference]:
    by_writer = {(each["op"], each["by"]): each for each in lines}
    for each in lines:
        other = by_writer.get((each["op"], SIDES[each["by"] == SIDES[0]]))
        if each["op"] not in unstable and (found := difference(each, other)) is not None:
            yield found


def _writer_and_reader(read: Line) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    return (read["old"], read["new"]) if read["by"] == SIDES[0] else (read["new"], read["old"])
