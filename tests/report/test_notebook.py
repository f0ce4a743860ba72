"""The picture of a verdict, as a notebook shows it."""

from __future__ import annotations

import pytest

from harness.judging import verdict
from harness.report.notebook import Verdict
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm


@pytest.mark.parametrize("unit", ["samples/s", "steps/s"])
def test_axes_have_the_unit_in_which_throughput_was_measured(unit: str) -> None:
    speed = Quantity("throughput", unit, 2.0, 2, samples=(1.9, 2.1))
    judged = verdict.Verdict("id", "t", "pass", "", [], [arm(speed)], [], [], {})
    first, second = Verdict.of(judged).plot().axes
    assert (first.get_ylabel(), second.get_ylabel()) == (unit, "loss")
