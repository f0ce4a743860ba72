"""What takes longer: more than a tenth, in every pair of processes, in most rounds; real calls are timed in e2e."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from harness.execution.operator_times import ROUNDS, Call, Times
from harness.studies import call_times

OLD: dict[str, Any] = {
    f"{op}(2x3n,4n) base": {
        "case": f"{op}(2x3n,4n) base", "op": op, "shapes": [[2, 3], [4]], "kinds": ["normal", "normal"], "params": {},
        "variant": "base", "status": "ok",
    }
    for op in ("exp", "dot")
}  # fmt: skip


def _times(op: str, *times: float, way: str = "forward", scatter: float = 0.0, seed: int = 0) -> Times:
    """Rounds that take so many times as long, in turn."""
    random = Random(seed)
    ratios = [math.log(times[place % len(times)]) + random.gauss(0, scatter) for place in range(ROUNDS)]
    return Times(op, way, f"{op}(2x3n,4n) base", 10, 100, 2e-5, tuple(ratios))


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        ((1.2, 1.3, 1.25, 1.2, 1.2), "takes longer"),
        ((0.7, 0.8, 0.75, 0.7, 0.7), "takes less time"),
        ((1.2, 1.3, 1.2, 1.2, 1.05), None),
        ((1.2, 1.3, 1.2, 1.2, 0.8), None),
        ((1.09,) * 5, None),
    ],
)
def test_every_pair_has_to_see_it(pairs: tuple[float, ...], kind: str | None) -> None:
    found = call_times.differences([[_times("exp", each)] for each in pairs], OLD)
    assert [each.kind for each in found] == ([kind] if kind else [])


def test_how_much_is_told_with_its_range_and_the_case_as_it_was_timed() -> None:
    pairs = [
        [_times("exp", each), _times("exp", each + 0.5, way="with gradients")] for each in (1.2, 1.3, 1.25, 1.25, 1.25)
    ]
    (found,) = call_times.differences(pairs, OLD)
    assert found.how == ("1.75 times as long as 20 µs, with gradients (1.70 to 1.80 in 5 pairs of processes)")
    assert found.size == pytest.approx(0.8)
    assert (found.cases, found.case["shapes"], found.case["timed"]) == (2, [(20, 3), (4,)], "with gradients")


def test_the_slowest_comes_first() -> None:
    pairs = [[_times("exp", 1.2), _times("dot", 2.0)]] * 5
    assert [each.op for each in call_times.differences(pairs, OLD)] == ["dot", "exp"]


def test_rounds_that_do_not_agree_are_no_suspects() -> None:
    assert call_times.suspects([[_times("exp", 1.5, 1.5, 1.0)]]) == []
    assert call_times.suspects([[_times("exp", 1.5, 1.5, 1.5, 1.5, 1.0)]]) == ["exp"]
    assert call_times.suspects([[Times("exp", "forward", "", refused="it has no gradient")]]) == []


def test_who_is_not_seen_by_every_pair_so_far_is_no_suspect_any_more() -> None:
    assert call_times.suspects([[_times("exp", 1.5)], [_times("exp", 1.5)]]) == ["exp"]
    assert call_times.suspects([[_times("exp", 1.5)], [_times("exp", 0.6)]]) == []
    assert call_times.suspects([[_times("exp", 1.5)], []]) == []
    assert call_times.suspects([]) == []


def test_four_pairs_say_nothing() -> None:
    assert call_times.differences([[_times("exp", 2.0)]] * 4, OLD) == []


def test_noise_of_a_tenth_is_not_told() -> None:
    """Of 2,000 calls that take the same, with rounds that scatter by 20 % and processes by 3 %."""
    random = Random(1)
    for number in range(2000):
        pairs = [[_times("exp", math.exp(random.gauss(0, 0.03)), scatter=0.2, seed=5 * number + k)] for k in range(5)]
        assert call_times.differences(pairs, OLD) == []


def test_calls_are_the_first_that_work_in_both() -> None:
    new = {name: case if case["op"] == "exp" else {**case, "status": "error"} for name, case in OLD.items()}
    expected = Call("exp", "exp(2x3n,4n) base", ((2, 3), (4,)), ("normal", "normal"), {})
    assert call_times.calls(OLD, new) == [expected]
    assert call_times.calls(OLD, {}) == []


def test_arrays_grow_to_so_many_elements() -> None:
    assert Call("exp", "", ((2, 3),), ("normal",), {}).longer(65_536) == 10_922
    assert Call("zeros", "", (), (), {}).longer(65_536) == 1
    assert Call("exp", "", ((0, 3),), ("normal",), {}).longer(65_536) == 1


@pytest.mark.parametrize(
    ("end", "kind", "word"), [("crashed", "crashes", "ends"), ("", "crashes", "ends"), ("hung", "hangs", "hangs")]
)
def test_a_process_that_ends_in_every_pair_is_a_crash_and_in_some_now_and_then(end: str, kind: str, word: str) -> None:
    ended, other = replace(_times("exp", 1.0), died=10, end=end), _times("exp", 1.0)
    assert call_times.suspects([[ended], [ended]]) == ["exp"]
    assert call_times.suspects([[ended], [other]]) == ["exp"]
    assert call_times.suspects([[other]]) == []
    (found,) = call_times.differences([[ended]] * 5, OLD)
    assert (found.op, found.kind, found.case["shapes"]) == ("exp", kind, [(20, 3), (4,)])
    assert found.how == f"the process {word}, in 5 of 5 pairs of processes"
    assert call_times.fickle([[ended]] * 5, OLD) == []
    assert call_times.differences([[ended]] * 4 + [[other]], OLD) == []
    (found,) = call_times.fickle([[other], *[[ended]] * 4], OLD)
    assert (found.kind, found.how) == ("crashes now and then", f"the process {word}, in 4 of 5 pairs of processes")
    assert call_times.by_chance([[other], *[[ended]] * 4]) == []
    assert call_times.fickle([[ended]] * 4, OLD) == []
    assert call_times.fickle([[other], [other], *[[ended]] * 3], OLD) == [], "so is chance, of an even coin"
    assert call_times.by_chance([[other], [other], *[[ended]] * 3]) == ["exp"]
    assert call_times.by_chance([[ended]] * 5) == call_times.by_chance([[other]] * 5) == []


def test_a_long_call_that_only_the_new_one_refuses() -> None:
    refused = replace(_times("exp", 1.0), ratios=(), died=10, end="MXNetError: no memory")
    (found,) = call_times.differences([[refused]] * 5, OLD)
    assert (found.kind, found.how) == ("refuses", "MXNetError: no memory, in 5 of 5 pairs of processes")
    assert call_times.fickle([[_times("exp", 1.0)], *[[refused]] * 4], OLD) == [], "memory may be short for a while"
    assert call_times.by_chance([[_times("exp", 1.0)], *[[refused]] * 4]) == []
