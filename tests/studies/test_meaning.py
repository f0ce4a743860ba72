"""What two sides compute, from losses and digests."""

from __future__ import annotations

import math

from harness.studies import meaning
from harness.studies.meaning import Meaning, Trace, traces
from harness.vocabulary.events import Loss, Parameters

A = Trace([2.0, 1.5, 1.0], [{"w": "1", "b": "5"}, {"w": "2", "b": "6"}, {"w": "3", "b": "7"}])


def compare(first: Trace, again: Trace, other: Trace) -> Meaning:
    """Of sides of one worker."""
    one, same, two = ({"worker/0": trace} for trace in (first, again, other))
    return meaning.compare(one, [same], two)


def _moved(by: float, bias: float) -> Trace:
    """Losses that differ by rounding, and parameters that went some way."""
    start, end = {"w": [1.0, 2.0], "b": [0.0, 0.0]}, {"w": [1.0 + by, 2.0 - by], "b": [bias, 0.0]}
    return Trace([2.0, 1.9 + bias * 1e-5], [{"w": "1", "b": "1"}, {"w": str(by), "b": str(bias)}], [start, end])


def test_a_parameter_that_goes_another_way_is_another_meaning_though_losses_hide_it() -> None:
    usual = _moved(0.1, 0.004)
    assert compare(usual, usual, _moved(0.1000001, 0.004)).word == "alike"
    never = compare(usual, usual, _moved(0.1, 0.0))
    assert never.word == "different"
    assert never.sentence.endswith("b ends apart by 100.0% of what it changed by")
    assert compare(usual, usual, _moved(0.2, 0.004)).word == "different"
    assert compare(usual, _moved(0.19, 0.004), _moved(0.2, 0.004)).word == "alike"  # it does not repeat itself


def test_what_hardly_moves_may_be_nothing_but_rounding() -> None:
    """As a bias before a batch norm, whose gradient is 0 but for rounding."""
    usual = _moved(0.1, 1e-8)
    assert compare(usual, usual, _moved(0.1, -1e-8)).word == "alike"


def test_the_worst_worker_counts_and_is_named() -> None:
    fine = {"worker/0": A, "worker/1": A}
    found = meaning.compare(fine, [fine], {"worker/0": A, "worker/1": Trace([9.0, 9.0, 9.0], A.digests)})
    assert found.word == "different"
    assert found.sentence.startswith("worker/1: it computes something else: first the loss of step 0")
    assert meaning.compare(fine, [fine], fine).sentence.startswith("the same numbers")
    assert meaning.compare(fine, [fine], {}).word == "unknown"


def test_the_same_bits() -> None:
    found = compare(A, A, A)
    assert (found.word, found.difference) == ("identical", 0.0)
    assert found.sentence == "the same numbers, bit by bit: losses and every parameter of 3 steps"


def test_rounding_is_told_from_another_meaning() -> None:
    rounded = Trace([2.0, 1.50001, 1.0], A.digests)
    found = compare(A, A, rounded)
    assert found.word == "alike"
    assert "first the loss of step 1 (1.5 against 1.50001)" in found.sentence
    other = compare(A, A, Trace([2.0, 1.6, 1.0], A.digests))
    assert other.word == "different"
    assert other.sentence.startswith("it computes something else: first the loss of step 1")


def test_the_first_parameter_that_parts_is_named() -> None:
    other = Trace(A.losses, [A.digests[0], {"w": "2", "b": "9"}, A.digests[2]])
    assert "first b after step 1" in compare(A, A, other).sentence


def test_a_side_that_does_not_repeat_itself_is_given_room() -> None:
    again = Trace([2.0, 1.53, 1.0], A.digests)
    near, far = Trace([2.0, 1.55, 1.0], A.digests), Trace([2.0, 1.8, 1.0], A.digests)
    assert compare(A, again, near).sentence.startswith("alike as far as the first repeats itself: ")
    assert "differs from itself by up to 0.02, run 2 times" in compare(A, again, near).sentence
    assert compare(A, again, far).word == "different"


def test_repeats_differ_from_one_another_too() -> None:
    """1.49 and 1.55 are 4 % apart, either is nearer to the first."""
    once, twice, other = ({"worker/0": Trace([2.0, loss, 1.0], A.digests)} for loss in (1.49, 1.55, 1.65))
    first = {"worker/0": A}
    assert meaning.compare(first, [once], other).word == "different"
    assert meaning.compare(first, [once, twice], other).word == "alike"


def test_whether_a_side_repeats_itself() -> None:
    first, rounded, away = ({"worker/0": Trace([2.0, loss, 1.0], A.digests)} for loss in (1.5, 1.50001, 1.53))
    assert meaning.repeats(first, first)
    assert meaning.repeats(first, rounded)
    assert not meaning.repeats(first, away)
    assert meaning.repeats(first, {})


def test_losses_that_are_not_finite() -> None:
    broken = Trace([2.0, math.nan, math.nan], A.digests)
    assert compare(broken, broken, broken).word == "identical"
    assert compare(A, A, broken).word == "different"


def test_a_side_that_stopped_early_says_nothing() -> None:
    assert compare(A, A, Trace([2.0], [])).word == "unknown"
    assert compare(Trace([], []), A, A).word == "unknown"
    silent = Trace(A.losses, [])
    assert compare(silent, silent, silent).word == "unknown"
    assert compare(A, A, silent).sentence == "one of them told no digests of its parameters after each step"


def test_traces_are_those_of_each_worker() -> None:
    past = [
        Loss(1.0, "a", "worker/0", 0, [2.0, None]),
        Loss(1.0, "a", "worker/1", 0, [9.0, 9.0]),
        Parameters(1.0, "a", "worker/0", 1, {"w": "1"}, {"w": [0.5]}),
        Parameters(1.0, "a", "worker/1", 1, {"w": "9"}, {"w": [0.7]}),
    ]
    found = traces(past)["a"]
    assert found["worker/0"].losses[0] == 2.0
    assert math.isnan(found["worker/0"].losses[1])
    assert found["worker/0"].digests == [{"w": "1"}]
    assert found["worker/1"].sketches == [{"w": [0.7]}]


def _grown(*losses: float) -> dict[str, Trace]:
    return {"worker/0": Trace(losses, [{"w": str(loss)} for loss in losses])}


CHAOTIC = _grown(4.0, 3.0, 2.0, 1.0, 1.0)
"""As a residual network, in which what was rounded otherwise is a tenth of the loss after some steps."""


def test_what_rounding_grows_to_is_no_other_meaning() -> None:
    rounded, other = _grown(4.0, 3.0, 2.0, 1.01, 0.9), _grown(4.000001, 3.0, 2.00001, 0.9, 0.8)
    assert meaning.compare(CHAOTIC, [CHAOTIC], other).word == "different"
    found = meaning.compare(CHAOTIC, [CHAOTIC], other, [rounded])
    assert found == Meaning(
        "alike",
        "alike as far as rounding lets anybody tell: first the loss of step 0 (4 against 4.000001); losses differ by "
        "up to 0.2 of themselves within 5 steps; rounding grows to 0.1 in the first one, too",
        0.19999999999999996,
        0.09999999999999998,
    )
    assert meaning.compare(CHAOTIC, [CHAOTIC], _grown(4.0, 3.0, 2.0, 1.0, 0.6), [rounded]).word == "different"
    calm = _grown(4.0, 3.0, 2.0, 1.000001, 1.0)
    assert meaning.compare(CHAOTIC, [CHAOTIC], other, [calm]).word == "different"


def test_a_parameter_that_rounding_does_not_move_so_far_is_another_meaning() -> None:
    usual, other = ({"worker/0": _moved(0.1, bias)} for bias in (0.004, 0.0))
    near, far = ({"worker/0": _moved(0.1, bias)} for bias in (0.0039, 0.002))
    assert meaning.compare(usual, [usual], other, [near]).word == "different"
    assert meaning.compare(usual, [usual], other, [far]).word == "alike"


def test_rounding_needs_time_to_grow() -> None:
    assert meaning.begins_alike(CHAOTIC, _grown(4.0001, 3.0, 2.0, 0.1, 0.1))
    assert meaning.begins_alike(CHAOTIC, _grown(4.0, 3.0, 2.01, 1.0, 1.0))
    assert not meaning.begins_alike(CHAOTIC, _grown(4.0, 3.01, 2.0, 1.0, 1.0))
    assert not meaning.begins_alike(CHAOTIC, _grown(math.nan, 3.0, 2.0, 1.0, 1.0))
    assert not meaning.begins_alike(CHAOTIC, {})


def test_a_difference_that_grows_sooner_than_rounding_is_another_meaning() -> None:
    first, late = _grown(*(4.0,) * 20), _grown(*(4.0,) * 19, 3.0)
    assert meaning.compare(first, [first], _grown(*(4.0,) * 19, 3.5), [late]).word == "alike"
    assert meaning.compare(first, [first], _grown(*(4.0,) * 15, *(3.5,) * 5), [late]).word == "alike"
    assert meaning.compare(first, [first], _grown(*(4.0,) * 14, *(3.5,) * 6), [late]).word == "different"


def test_what_parts_at_once_or_is_not_whole_is_no_rounding() -> None:
    other = _grown(4.0, 3.0, 2.0, 1.0, 0.6)
    for run in (_grown(4.0, 2.0, 1.5, 0.6, 0.6), _grown(4.0, 3.0, 2.0, 0.6), {}):
        assert meaning.compare(CHAOTIC, [CHAOTIC], other, [run]).word == "different"
    both = dict.fromkeys(("worker/0", "worker/1"), CHAOTIC["worker/0"])
    second = {**both, "worker/1": other["worker/0"]}
    assert meaning.compare(both, [both], second, [_grown(4.0, 3.0, 2.0, 0.6, 0.6)]).word == "different"


def test_where_no_loss_could_be_too_far_apart_nothing_is_known() -> None:
    """A script that draws other numbers each time: three times what it differs by itself is all there is."""
    first, again, other = (Trace([2.3, each], [{"w": "1"}, {"w": str(each)}]) for each in (2.0, 1.2, 23.0))
    found = compare(first, again, other)
    assert found.word == "unknown"
    assert "the first differs from itself by up to 0.4" in found.sentence and "seed them" in found.sentence
