"""What short runs mean: one odd run of a job that does not always end alike is no other meaning."""

from __future__ import annotations

from random import Random

import pytest

from harness.studies.meaning import Trace, Traces
from harness.studies.short_runs import MORE, ONCE_MORE, OTHERWISE, ShortRuns
from harness.studies.sides import AGAIN, REPEATS


def _run(loss: float = 0.5) -> Traces:
    losses = [1.0, 0.9, loss]
    return {"worker/0": Trace(losses, [{"weight": f"{each}"} for each in losses])}


USUAL, ODD = 0.5, 0.6


def _short(first: float, again: float, other: float) -> ShortRuns:
    short = ShortRuns("a", ["b"])
    short.add({"a": _run(first), AGAIN: _run(again), "b": _run(other)})
    return short


def test_what_differs_each_time_has_another_meaning() -> None:
    short = _short(USUAL, USUAL, ODD)
    short.add_beside(OTHERWISE, {})
    for _ in range(ONCE_MORE):
        assert (short.found["b"].word, short.in_doubt) == ("different", ["b"])
        short.add_beside(MORE[len(short.tried)], {"a": _run(USUAL), "b": _run(ODD)})
    assert (short.found["b"].word, short.in_doubt) == ("different", [])


def test_one_odd_run_of_a_side_is_no_other_meaning() -> None:
    short = _short(USUAL, USUAL, ODD)
    short.add_beside(MORE[len(short.tried)], {"a": _run(USUAL), "b": _run(USUAL)})
    assert short.found["b"].word == "unknown"
    assert short.found["b"].sentence == (
        "it computes something else in 1 of 2 runs, as what depends on who comes first does: first the loss of step 2"
        " (0.5 against 0.6); losses differ by up to 0.2 of themselves within 3 steps; ask --measure drift"
    )
    assert short.in_doubt == [], "more of them would not change that"


def test_a_first_side_that_is_odd_later_is_as_far_from_itself() -> None:
    short = _short(USUAL, USUAL, ODD)
    short.add_beside(MORE[len(short.tried)], {"a": _run(ODD), "b": _run(ODD)})
    assert short.found["b"].word == "alike"
    assert "the first differs from itself by up to 0.2, run 3 times" in short.found["b"].sentence


def test_runs_that_came_to_nothing_leave_what_was_found() -> None:
    short = _short(USUAL, USUAL, ODD)
    for _ in range(ONCE_MORE):
        short.add_beside(MORE[len(short.tried)], {"b": _run(USUAL)})
    assert (short.found["b"].word, short.in_doubt) == ("different", [])


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_job_that_ends_elsewhere_now_and_then_is_hardly_ever_another(share: float) -> None:
    random, called = Random(7), 0

    def one() -> Traces:
        return _run(ODD + 0.3 * random.random() if random.random() < share else USUAL)

    for _ in range(1000):
        short = ShortRuns("a", ["b"])
        short.add({"a": one(), AGAIN: one(), "b": one()})
        if short.want_repeats:
            short.add({name: one() for name in REPEATS})
        if short.want_rounding:
            short.add_beside(OTHERWISE, {})
        while short.in_doubt:
            short.add_beside(MORE[len(short.tried)], {"a": one(), "b": one()})
        called += short.found["b"].word == "different"
    assert called <= 15, "without more runs it was a hundred and more"
