"""What a run of all sides does not tell, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.studies.compared import LOSSES, Compared
from harness.studies.pairs import steps_of
from harness.vocabulary.quantities import different


def ended_early(verdict: Verdict, plan: Plan) -> str:
    """What is lost where training came to its own end before a pair had its steps, or ""."""
    took, asked = max(steps_of(verdict).values(), default=0), max(arm.workload.steps or 0 for arm in plan.arms)
    if not 0 < took < asked:
        return ""
    return (
        f"training ends by itself after {took} of a pair's {asked} steps; with more, as of epochs, each pair tells more"
    )


def why_no_number(verdict: Verdict, measure: Compared, first: str, side: str, in_turns: bool) -> str:
    """What a side and the first one say of a number that they do not have."""
    two, steps = (first, side), steps_of(verdict)
    arms = [arm for arm in verdict.arms if arm.of in two]
    if in_turns and len({steps.get(name) for name in two}) > 1:
        return " and ".join(f"{name} took {steps.get(name, 'no')} steps" for name in two) + ", by a script's own end"
    if len(units := measure.units(*arms)) > 1:
        return different(units)
    every = (each for arm in arms for each in arm.of_subjects(measure.quantity))
    return next((each.note for each in every if each.value is None and each.note), "no turn had it")


def without_loss(verdict: Verdict, sides: Sequence[str], measure: str) -> tuple[str, str, bool] | None:
    """The first of these sides with a final loss that nothing can be made of, why, and whether it led nowhere.

    It may not just be missing among the others.
    """
    losses = {arm.of: arm.get("final_loss") for arm in verdict.arms}
    for side in sides:
        loss, what = losses[side], f"the final loss of {side}"
        if loss.value is None:
            return side, f"{what} is not known: {loss.note}", False
        if not math.isfinite(loss.value):
            return side, f"{what} is not a finite number", True
        if loss.value <= 0 and measure in LOSSES:
            return side, f"{what} is {loss.value:.3g}, and losses are compared by their ratio", False
    return None
