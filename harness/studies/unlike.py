"""What two passes make of one case of an operator, and how that differs. Pure."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from harness.execution.sweep_lines import DEATHS

SLOWER, FASTER = "takes longer", "takes less time"

BY_WAY = ("otherwise on NaiveEngine", "otherwise without oneDNN")
"""What the new target does in this way is not what it does usually, and the old one does the same in both."""

CRASHES, HANGS, REFUSES = "crashes", "hangs", "refuses"

FICKLE, HANGING, UNSTEADY = NOW_AND_THEN = ("crashes now and then", "hangs now and then", "does not repeat itself")

OLD_FILES = ("reads files of the old one otherwise", "refuses files of the old one")
NEW_FILES = ("the old one reads its files otherwise", "the old one refuses its files")
"""What becomes of files that the other one wrote: silently something else, or nothing."""

KINDS = (
    CRASHES, HANGS, "is not finite", OLD_FILES[0], "other values", "other gradients", "other arguments afterwards",
    "other types or shapes", REFUSES, OLD_FILES[1], *NEW_FILES, *BY_WAY, SLOWER,
)  # fmt: skip
"""Worst first: what the new target does with a case, and the old one did not."""

BETTER = ("no longer crashes", "no longer hangs", "takes more", *(f"no longer {kind}" for kind in BY_WAY), FASTER)
"""What is told, and is no reason against the new target."""

TOLERANCE = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-6}
"""Of the largest value: other orders of sums, other instructions. Whole numbers have none."""

LEAST_SCALE = 0.01
"""What is smaller may be what is left of larger numbers that cancel."""

Case = Mapping[str, Any]


def is_dead(case: Case) -> bool:
    """Whether its process ended, or never answered."""
    return case["status"] in DEATHS


def is_so(kind: str, usual: Case, case: Case) -> bool:
    """Whether a call came to what ``kind`` says, one of `NOW_AND_THEN`, beside what the old target makes of it usually.

    Where processes end, other values do not count; what is better never does.
    """
    if kind != UNSTEADY:
        return is_dead(case)
    told = between(usual, case)
    return told is not None and told[0] not in BETTER


def between(one: Case, other: Case | None) -> tuple[str, str] | None:
    """The kind of difference and how, from one case to the same in another pass; None where there is none."""
    if other is None:
        return REFUSES, "was not run"
    was, now = one["status"], other["status"]
    if was != now:
        return of_status(one, other)
    return _of_results(one, other) if now == "ok" else None


def comes_again(one: Case, other: Case | None) -> bool:
    """Whether two passes of one target come to the same, also where values are too small for a tolerance."""
    return (
        other is not None and between(one, other) is None and not (one["status"] == "ok" and _has_remnants(one, other))
    )


def _has_remnants(one: Case, other: Case) -> bool:
    """Whether numbers differ that are smaller than normal ones: addresses, say, in memory that nobody wrote.

    What is computed comes to the same bits again. Halves of pointers look like 4.6e-41, which is as good as zero.
    """
    pairs = [pair for name in ("outputs", "gradients") for pair in zip(one[name], other[name], strict=True)]
    pairs += [(mine, other["changed"][place]) for place, mine in one["changed"].items()]
    return any(
        mine["data"] != theirs["data"] and _differ_below_normal(array(mine), array(theirs)) for mine, theirs in pairs
    )


def _differ_below_normal(mine: Any, theirs: Any) -> bool:
    if mine.dtype.name not in ("float32", "float64"):  # rounding of float16 goes as far
        return False
    tiny = np.finfo(mine.dtype).tiny
    return bool(((mine != theirs) & (np.abs(mine) < tiny) & (np.abs(theirs) < tiny)).any())


def of_status(one: Case, other: Case) -> tuple[str, str]:
    """The kind of difference and how, where one works and the other does not, or neither does in the same way."""
    was, now = one["status"], other["status"]
    if now in DEATHS:
        by = f" by signal {other['signal']}" if other.get("signal") else ""
        return (CRASHES, f"the process ends{by}") if now == "crashed" else (HANGS, "no answer after 10 s")
    if was in DEATHS:
        return ("no longer crashes" if was == "crashed" else "no longer hangs"), f"it is {now} now"
    return (REFUSES, other["message"]) if now == "error" else ("takes more", one["message"])


def _of_results(one: Case, other: Case) -> tuple[str, str] | None:
    for arrays, kind in (("outputs", "other values"), ("gradients", "other gradients")):
        if len(one[arrays]) != len(other[arrays]):
            return "other types or shapes", f"{len(one[arrays])} {arrays} are {len(other[arrays])}"
        for place, (mine, theirs) in enumerate(zip(one[arrays], other[arrays], strict=True)):
            if (told := _of_arrays(mine, theirs, kind)) is not None:
                return told[0], f"{arrays[:-1]} {place}: {told[1]}"
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
    told = apart_by(array(one), array(other), kind)
    if told is None and array(one).dtype.kind not in "fc":
        return kind, f"of {math.prod(one['shape'])} values some of those that are not kept"
    return told


def apart_by(mine: Any, theirs: Any, kind: str) -> tuple[str, str] | None:
    """The kind of difference between values in a row, of one type, and how; None where it is rounding."""
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
