"""How far apart two sides are in one pair."""

from __future__ import annotations

import math

import pytest

from harness.cli import compare
from harness.statistics.sequential import MIN_VALUES
from harness.studies.compared import MEASURES
from harness.vocabulary.quantities import Quantity
from harness.vocabulary.turns import is_reversed
from tests.checks.arms import arm


def _rates(*rates: float) -> Quantity:
    return Quantity("throughput", "samples/s", rates[0], len(rates), samples=rates)


def test_turns_are_compared_one_by_one() -> None:
    first = arm(_rates(100.0, 50.0, 200.0, *[100.0] * 8))
    other = arm(_rates(110.0, 55.0, 100.0, *[110.0] * 8))
    assert MEASURES["throughput"].apart(first, other, duet=True) == pytest.approx(math.log(1.1))
    assert MEASURES["throughput"].apart(first, other, duet=False) == pytest.approx(math.log(1.1))
    assert MEASURES["throughput"].apart(first, arm(_rates(110.0)), duet=True) is None
    assert MEASURES["throughput"].apart(first, arm(_rates(0.0, 1.0, 1.0)), duet=True) is None


def test_who_goes_first_in_a_round_does_not_matter() -> None:
    """Also where one of the orders came more often; that a side is slower shows in both."""
    before = [is_reversed(number) for number in range(21)]
    first = arm(_rates(*(100.0 if late else 110.0 for late in before)))
    other = arm(_rates(*(110.0 if late else 100.0 for late in before)))
    assert MEASURES["throughput"].apart(first, other, duet=True) == pytest.approx(0.0, abs=1e-12)
    slower = arm(_rates(*(99.0 if late else 90.0 for late in before)))
    assert MEASURES["throughput"].apart(first, slower, duet=True) == pytest.approx(math.log(0.9))


def test_the_worst_worker_counts_and_bytes_add_up() -> None:
    def of(name: str, *values: float) -> list[Quantity]:
        return [Quantity(name, "B", value, 1, subject=f"worker/{rank}") for rank, value in enumerate(values)]

    peak = MEASURES["peak_memory"].apart(arm(*of("peak_memory", 5.0, 10.0)), arm(*of("peak_memory", 20.0, 1.0)), False)
    assert peak == pytest.approx(math.log(2))
    sent = MEASURES["sent_bytes"].apart(arm(*of("sent_per_step", 1, 1)), arm(*of("sent_per_step", 3, 1)), True)
    assert sent == pytest.approx(math.log(2))
    growth = MEASURES["growth"].apart(arm(*of("memory_growth", 0.0)), arm(*of("memory_growth", -5.0)), True)
    assert growth == -5.0


def test_what_was_not_measured_says_nothing() -> None:
    assert MEASURES["start_up"].apart(arm(), arm(), True) is None


def test_neither_does_what_was_measured_in_another_unit() -> None:
    first, other = arm(_rates(100.0, 100.0)), arm(Quantity("throughput", "steps/s", 3.0, 2, samples=(3.0, 3.0)))
    assert MEASURES["throughput"].apart(first, other, duet=True) is None
    assert MEASURES["throughput"].apart(first, other, duet=False) is None
    assert MEASURES["throughput"].units(first, other) == {"samples/s", "steps/s"}


def test_the_command_line_names_all_of_them() -> None:
    assert tuple(MEASURES) == compare.MEASURES
    assert compare.LEAST_SEEDS == MIN_VALUES


def test_a_job_of_several_workers_is_compared_as_a_whole() -> None:
    def job(whole: float, *workers: float) -> list[Quantity]:
        own = [
            Quantity("throughput", "samples/s", each, 1, subject=f"worker/{rank}") for rank, each in enumerate(workers)
        ]
        return [Quantity("throughput", "samples/s", whole, 1), *own]

    first, other = arm(*job(100.0, 90.0, 10.0)), arm(*job(200.0, 90.0, 110.0))
    assert MEASURES["throughput"].apart(first, other, duet=False) == pytest.approx(math.log(2))


def test_what_few_turns_cost_shows_in_all_of_them_together() -> None:
    """Twice as long in one turn of twenty: the middle of them does not see it."""
    first, other = arm(_rates(*[100.0] * 20)), arm(_rates(*[100.0] * 19, 50.0))
    assert MEASURES["throughput"].apart(first, other, duet=True) == 0.0
    assert MEASURES["throughput_overall"].apart(first, other, duet=True) == pytest.approx(-math.log(21 / 20))


def test_without_turns_all_of_the_time_is_in_goodput() -> None:
    """Medians of windows are the same on both sides; one stood still for as long as it trained."""

    def run(goodput: float | None) -> list[Quantity]:
        return [_rates(*[100.0] * 20), Quantity("goodput", "samples/s", goodput, 20)]

    guard = MEASURES["throughput_overall"]
    assert guard.apart(arm(*run(100.0)), arm(*run(50.0)), duet=False) == pytest.approx(-math.log(2))
    assert guard.apart(arm(*run(100.0)), arm(*run(None)), duet=False) is None
    assert guard.without_turns().value(arm(*run(50.0))) == 50.0


def test_a_number_that_is_not_finite_is_none() -> None:
    lost = arm(Quantity("final_loss", "", math.nan, 10))
    assert MEASURES["drift"].value(lost) is None
    assert MEASURES["drift"].apart(arm(Quantity("final_loss", "", 0.3, 10)), lost, False) is None


def test_half_way_of_a_curve_of_few_losses_is_one_of_them() -> None:
    for losses, half_way in (((3.0, 2.0, 1.0), 2.0), ((9.0,), 9.0), (tuple(map(float, range(20))), 8.5)):
        curve = Quantity("loss_curve", "loss", losses[-1], len(losses), samples=losses)
        assert MEASURES["loss_half_way"].value(arm(curve)) == half_way
