"""What a run does not tell, and why."""

from __future__ import annotations

import math
from collections.abc import Callable

from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.studies import unmeasured
from harness.studies.compared import MEASURES
from tests.studies.two_sides import taken, with_losses


def test_it_is_told_that_training_was_shorter_than_a_pair(plan_of: Callable[..., Plan]) -> None:
    assert unmeasured.ended_early(taken(31, 30), plan_of()) == (
        "training ends by itself after 31 of a pair's 100 steps; with more, as of epochs, each pair tells more"
    )
    assert unmeasured.ended_early(taken(100, 100), plan_of()) == ""
    nobody = Verdict("id", "t", "pass", "", [], [], [], [], {})
    assert unmeasured.ended_early(nobody, plan_of()) == "", "nobody knows"


def test_why_a_side_has_no_number() -> None:
    def told(verdict: Verdict, measure: str = "peak_memory") -> str:
        return unmeasured.why_no_number(verdict, MEASURES[measure], "a", "b", in_turns=True)

    assert told(taken(50, 31)) == "a took 50 steps and b took 31 steps, by a script's own end"
    assert told(taken(50, 50), "input_wait") == "nothing of it was seen"
    assert told(with_losses(0.3, None), "drift") == "no step ended"


def test_a_seed_that_led_nowhere_is_not_just_left_out() -> None:
    assert unmeasured.without_loss(with_losses(0.3, 0.33), "ab", "drift") is None
    assert unmeasured.without_loss(with_losses(0.3, math.inf), "ab", "drift") == (
        "b",
        "the final loss of b is not a finite number",
        True,
    )
    assert unmeasured.without_loss(with_losses(math.nan, None), "ab", "drift") == (
        "a",
        "the final loss of a is not a finite number",
        True,
    )
    unseen = ("b", "the final loss of b is not known: no step ended", False)
    assert unmeasured.without_loss(with_losses(0.3, None), "ab", "drift") == unseen


def test_a_first_side_whose_loss_has_no_ratio_is_its_own_failure() -> None:
    """Below zero nothing can be said of the other side; nor is one at zero, which may be better, called diverged."""
    for losses, lost in (((-0.3, 0.3), "a"), ((0.0, 0.3), "a"), ((0.3, 0.0), "b")):
        found = unmeasured.without_loss(with_losses(*losses), "ab", "drift")
        assert found is not None
        side, why, diverged = found
        assert (side, diverged) == (lost, False)
        assert why.endswith(f"is {min(losses):.3g}, and losses are compared by their ratio")
    assert unmeasured.without_loss(with_losses(0.3, -0.1), "ab", "accuracy") is None
