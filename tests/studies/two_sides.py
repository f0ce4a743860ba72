"""Two sides of one scenario, and what tests say that they did."""

from __future__ import annotations

from dataclasses import replace

from harness.judging.verdict import Verdict
from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides
from harness.vocabulary.events import Ended
from harness.vocabulary.quantities import ArmMeasures, Quantity
from tests.checks.arms import arm

SIDES = Sides(
    "q", {"title": "t", "workload": {"model": "mlp", "steps": 50}}, (Side("a", {}), Side("b", {"target.env.X": 1}))
)
OF_SIDES = "(a: as it is; b: target.env.X=1)"


def compared(question: Question) -> Compare:
    """Its sides mean the same, and one pair of them is there."""
    study = Compare(SIDES, question)
    study.short.found = {"b": Meaning("identical", "", 0.0)}
    study._take(Pair("run", 1.0, {question.measure: {"b": 0.03}}, {}))
    return study


def with_losses(*losses: float | None) -> Verdict:
    """Of sides a and b, which ended with these."""
    arms = [
        ArmMeasures(
            side, side, 1, 1, None, (), {("final_loss", ""): Quantity("final_loss", "", loss, note="no step ended")}
        )
        for side, loss in zip("ab", losses, strict=True)
    ]
    return Verdict("run", "", "pass", "", (), arms, (), (), {})


def taken(first: int, other: int) -> Verdict:
    """Sides that took so many steps."""
    loss, peak = Quantity("final_loss", "loss", 0.5, 1), Quantity("peak_memory", "B", 200.0, 1, subject="worker/0")
    both = [(arm(loss, peak, name=name), taken) for name, taken in (("a", first), ("b", other))]
    ended = [replace(each, ended=Ended(9.0, each.of, "", "completed", "", steps=taken)) for each, taken in both]
    return Verdict("id", "t", "pass", "", [], ended, [], [], {})
