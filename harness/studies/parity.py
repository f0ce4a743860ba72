"""What differs between two passes over the operators of targets. Pure.

A case that does not repeat itself in its own target is left out: it says nothing of the other one.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

SLOWER, FASTER = "takes longer", "takes less time"
KINDS = (
    "crashes", "hangs", "is not finite", "other values", "other gradients", "other arguments afterwards",
    "other types or shapes", "refuses", SLOWER,
)  # fmt: skip
"""Worst first: what the new target does with a case, and the old one did not."""

BETTER = ("no longer crashes", "no longer hangs", "takes more", FASTER)
"""What is told, and is no reason against the new target."""

TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-6}
"""Of the largest value: other orders of sums, other instructions. Whole numbers have none."""

LEAST_SCALE = 0.01
"""What is smaller may be what is left of larger numbers that cancel."""

Case = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """One operator, one kind: its first case, in words how it differs, and how many cases do."""

    op: str
    kind: str
    case: Case
    how: str
    cases: int = 1


@dataclass(frozen=True)
class Parity:
    """What came of it: differences, worst first; what is better; and what could not be asked."""

    differences: tuple[Difference, ...]
    better: tuple[Difference, ...]
    unstable: tuple[str, ...]
    """Operators with cases that do not repeat themselves in one target."""

    compared: int
    """Cases of both targets, that repeat themselves."""

    operators: int
    """With a case that works in both."""

    untaken: tuple[str, ...]
    """Operators of both of which no call was found that either takes."""

    gone: tuple[str, ...]
    new: tuple[str, ...]
    unmatched: tuple[str, ...] = ()
    """Operators of both with a case that works in the old one and that the new one was never asked: nobody knows."""


def cases(lines: Iterable[Case]) -> dict[str, Case]:
    """Those of a pass, by their names."""
    return {line["case"]: line for line in lines if "case" in line}


def parity(
    old: Sequence[Mapping[str, Case]],
    new: Sequence[Mapping[str, Case]],
    names: tuple[Mapping[str, list[str]], Mapping[str, list[str]]],
) -> Parity:
    """Of two passes of each target or more, and the operators that each has, with their other names.

    Third passes are of some operators only.
    """
    unstable, compared, works = set(), 0, set()
    found: dict[tuple[str, str], list[Difference]] = {}
    swept_again = [[{case["op"] for case in each.values()} for each in passes[2:]] for passes in (old, new)]
    for name in old[0]:
        if name not in new[0]:
            continue
        op = old[0][name]["op"]
        if any(
            _between(passes[0][name], later.get(name))
            for passes, swept in zip((old, new), swept_again, strict=True)
            for later, ops in zip(passes[1:], [{op}, *swept], strict=True)
            if op in ops
        ):
            unstable.add(op)
            continue
        compared += 1
        works |= {op} if old[0][name]["status"] == new[0][name]["status"] == "ok" else set()
        if (told := _between(old[0][name], new[0][name])) is not None:
            found.setdefault((op, told[0]), []).append(Difference(op, told[0], new[0][name], told[1]))
    each = [replace(all_[0], case=_whole(all_[0].case, old[0]), cases=len(all_)) for all_ in found.values()]
    known = [{*own, *(alias for aliases in own.values() for alias in aliases)} for own in names]
    swept = {case["op"] for case in old[0].values()} & {case["op"] for case in new[0].values()}
    taken = {case["op"] for own in (old[0], new[0]) for case in own.values() if case["status"] == "ok"}
    return Parity(
        tuple(
            sorted((each_ for each_ in each if each_.kind in KINDS), key=lambda own: (KINDS.index(own.kind), own.op))
        ),
        tuple(sorted((each_ for each_ in each if each_.kind in BETTER), key=lambda own: (own.kind, own.op))),
        tuple(sorted(unstable)),
        compared,
        len(works),
        tuple(sorted(swept - taken)),
        tuple(sorted(known[0] - known[1])),
        tuple(sorted(known[1] - known[0])),
        tuple(sorted(_unmatched(old[0], new[0]) & known[1])),
    )


def _unmatched(old: Mapping[str, Case], new: Mapping[str, Case]) -> set[str]:
    """A process that dies between cases, or a call that is taken earlier, may leave cases without a counterpart."""
    return {case["op"] for name, case in old.items() if case["status"] == "ok" and name not in new}


def _whole(case: Case, old: Mapping[str, Case]) -> Case:
    """A case with what it is made of, and whether it has gradients, which one that did not work does not tell."""
    return {**old[case["case"]], **case}


def _between(one: Case, other: Case | None) -> tuple[str, str] | None:
    """The kind of difference and how, from one case to the same in another pass; None where there is none."""
    if other is None:
        return "refuses", "was not run"
    was, now = one["status"], other["status"]
    if was != now:
        return _of_status(one, other)
    return _of_results(one, other) if now == "ok" else None


def _of_status(one: Case, other: Case) -> tuple[str, str]:
    was, now = one["status"], other["status"]
    if now in ("crashed", "hung"):
        by = f" by signal {other['signal']}" if other.get("signal") else ""
        return ("crashes", f"the process ends{by}") if now == "crashed" else ("hangs", "no answer after 10 s")
    if was in ("crashed", "hung"):
        return ("no longer crashes" if was == "crashed" else "no longer hangs"), f"it is {now} now"
    return ("refuses", other["message"]) if now == "error" else ("takes more", one["message"])


def _of_results(one: Case, other: Case) -> tuple[str, str] | None:
    for field, kind in (("outputs", "other values"), ("gradients", "other gradients")):
        if len(one[field]) != len(other[field]):
            return "other types or shapes", f"{len(one[field])} {field} are {len(other[field])}"
        for place, (mine, theirs) in enumerate(zip(one[field], other[field], strict=True)):
            if (told := _of_arrays(mine, theirs, kind)) is not None:
                return told[0], f"{field[:-1]} {place}: {told[1]}"
    if set(one["changed"]) != set(other["changed"]):
        return "other arguments afterwards", f"arguments {_places(one)} were changed, now {_places(other)}"
    for place, mine in one["changed"].items():
        if (told := _of_arrays(mine, other["changed"][place], "other arguments afterwards")) is not None:
            return told[0], f"argument {place}: {told[1]}"
    return None


def _places(case: Case) -> str:
    return ", ".join(sorted(case["changed"])) or "none"


def _of_arrays(one: Case, other: Case, kind: str) -> tuple[str, str] | None:
    if (one["dtype"], one["shape"]) != (other["dtype"], other["shape"]):
        types = [f"{each['dtype']} {tuple(each['shape'])}" for each in (one, other)]
        return "other types or shapes", f"{types[0]} is {types[1]}"
    if one["data"] == other["data"] and one.get("sha256") == other.get("sha256"):
        return None
    if (was := one.get("not_finite", 0)) != (now := other.get("not_finite", 0)):
        return ("is not finite" if now > was else kind), f"{was} values are not finite, now {now}"
    mine, theirs = array(one), array(other)
    if mine.dtype.kind not in "fc":
        place = _first(mine != theirs)
        return None if place is None else (kind, f"{mine[place]} is {theirs[place]}, at {place}")
    finite = np.isfinite(mine)
    if (place := _first(finite & ~np.isfinite(theirs))) is not None:
        return "is not finite", f"{mine[place]:g} is {theirs[place]:g}, at {place}"
    if (place := _first(~finite & ~_same(mine, theirs))) is not None:
        return kind, f"{mine[place]:g} is {theirs[place]:g}, at {place}"
    return _beyond(mine, theirs, finite, kind)


def _beyond(mine: Any, theirs: Any, finite: Any, kind: str) -> tuple[str, str] | None:
    """Where finite values are farther apart than rounding goes."""
    if not finite.any():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.where(finite, np.abs(mine.astype("float64") - theirs.astype("float64")), 0.0)
    scale = max(LEAST_SCALE, float(np.abs(mine[finite].astype("float64")).max()))
    place = int(np.argmax(apart))
    if not apart[place] > TOLERANCE[mine.dtype.name] * scale:
        return None
    return kind, f"{mine[place]:.6g} is {theirs[place]:.6g}, at {place}"


def _same(mine: Any, theirs: Any) -> Any:
    return (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))


def _first(where: Any) -> int | None:
    return int(np.argmax(where)) if where.any() else None


def array(written: Case) -> Any:
    """The values that are kept of an array, in a row."""
    return np.frombuffer(base64.b64decode(written["data"]), dtype=written["dtype"])
