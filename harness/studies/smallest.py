"""The smallest call with which the new target still fails, and the old one does not. Pure.

As with schedules of faults (`harness/studies/shrink.py`), what can be left out is found by trying.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from harness.studies.parity import Difference
from harness.studies.unlike import CRASHES, HANGS, Case, between

KINDS = (CRASHES, HANGS, "is not finite")
"""Of differences that are made smaller: others are seen in any case."""

MOST_TRIES = 12
"""Of one difference: a process that ends takes seconds to have back, and a hang ten."""

Shapes = Sequence[Sequence[int]]


def can_be_smaller(difference: Difference) -> bool:
    """Whether it is a call that fails, with sizes, in the usual way."""
    case = difference.case
    is_call = "program" not in case and "env" not in case and "timed" not in case
    return difference.kind in KINDS and is_call and next(smaller(case.get("shapes", [])), None) is not None


def smaller(shapes: Shapes) -> Iterator[list[list[int]]]:
    """Each size by itself, the largest first, is 1 or half: in all tensors, as sizes that are alike belong together."""
    for size in sorted({size for shape in shapes for size in shape if size > 1}, reverse=True):
        for less in dict.fromkeys((1, size // 2)):
            yield [[less if each == size else each for each in shape] for shape in shapes]


def smallest(difference: Difference, ask: Callable[[Case], tuple[Case, Case]]) -> Difference:
    """The same difference with as small a call as was found; ``ask``: what both targets make of a case.

    The old target ends as it does with the whole one: a call that it refuses is another question.
    """
    best, tries, was = difference, 0, ask(difference.case)[0]["status"]
    while True:
        for shapes in smaller(best.case["shapes"]):
            if tries == MOST_TRIES:
                return best
            tries += 1
            case = {**best.case, "shapes": shapes}
            one, other = ask(case)
            told = between(one, other)
            if told is not None and told[0] == difference.kind and one["status"] == was:
                best = Difference(best.op, best.kind, {**case, **other, "smaller": True}, told[1], best.cases)
                break
        else:
            return best
