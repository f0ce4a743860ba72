"""What pairs say."""

from __future__ import annotations

import math
from random import Random

import pytest

from harness.statistics.sequential import Look, Sequential, share
from harness.studies.evidence import GUARD, GUARDED, OF_SEEDS, Evidence, guarded
from harness.studies.finding import Finding, Margin, Question, Word
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides

SIDES = Sides("q", {"title": "t", "workload": {}}, (Side("a", {}), Side("b", {})))
THREE = Sides("q", {"title": "t", "workload": {}}, (*SIDES.sides, Side("c", {})))


def _evidence(asked: Question, *pairs: dict[str, dict[str, float]], of: Sides = SIDES) -> Evidence:
    """After pairs of 20 s with these effects, each looked at, in the time that was asked for."""
    evidence = Evidence(of, asked)
    for number, effects in enumerate(pairs, 1):
        evidence.pairs.append(Pair("run", 20.0, effects, {"held_memory": 1e8, "drift": 0.3 + number / 1000}))
        evidence.look(20.0 * number, asked.budget)
    return evidence


def test_seeds_that_were_asked_for_may_decide_however_quick_they_are() -> None:
    """Eight seeds in a hundredth of the budget: their number was decided before, and time spends the rest."""
    effects = [{"drift": {"b": 0.5 + number / 100}} for number in range(8)]
    told = {}
    for least in (0.0, OF_SEEDS):
        evidence = Evidence(SIDES, Question("drift"))
        for number, effect in enumerate(effects, 1):
            evidence.pairs.append(Pair("run", 0.1, effect, {"drift": 0.3 + number / 1000}))
        evidence.look(3.0, 300.0, least)
        (told[least],) = evidence.findings()
    assert (told[0.0].word, told[OF_SEEDS].word) == ("undecided", "worse")
    evidence.pairs.append(Pair("run", 0.1, effects[0], {"drift": 0.3}))
    evidence.look(150.0, 300.0, OF_SEEDS)
    assert OF_SEEDS == evidence.looks[0].share < evidence.looks[1].share < 1


def test_pairs_that_were_not_asked_for_a_start_lack_none() -> None:
    plain = {"throughput": {"b": 0.0}, "start_up": {"b": 0.3}}
    effects = [plain if number % 5 == 0 else {"throughput": {"b": 0.0}} for number in range(16)]
    evidence = _evidence(Question("throughput", 0.03), *effects)
    found = evidence.finding("start_up", SIDES.sides[1])
    assert found.mean is not None
    assert (found.missing, found.mean.n) == (0, 4)
    evidence.pairs.append(Pair("lost", 20.0, {}, {}))  # a side did not train to its end
    assert evidence.finding("start_up", SIDES.sides[1]).missing == 1
    evidence.pairs[-1] = Pair(
        "odd", 20.0, {"throughput": {"b": 0.0}}, {"start_up": 3.0}
    )  # it was asked for, of one side
    assert evidence.finding("start_up", SIDES.sides[1]).missing == 1


@pytest.mark.parametrize("asked", [Question("start_up"), Question("throughput", of_starts=True)])
def test_where_starts_are_asked_about_each_pair_that_has_none_lacks_it(asked: Question) -> None:
    effects = [{"throughput": {"b": 0.0}, "start_up": {"b": 0.3}}] * 5
    found = _evidence(asked, *effects, {"throughput": {"b": 0.0}}).finding("start_up", SIDES.sides[1])
    assert found.missing == 1


def test_the_margin_of_seeds_is_that_of_the_look() -> None:
    """Else seeds beyond it would be looks of their own: it grows with each that happens to be far from the others."""
    losses = [0.3, 0.301, 0.3, 0.301, 0.3, 0.301, 0.3, 0.301, 0.9, 0.1]
    evidence = Evidence(SIDES, Question("drift"))
    for number, loss in enumerate(losses, 1):
        effect = 0.002 * (-1) ** number
        evidence.pairs.append(Pair("run", 20.0, {"drift": {"b": effect}}, {"drift": loss}))
        if number == 8:
            evidence.look(3.0, 300.0, OF_SEEDS)
    found = evidence.finding("drift", SIDES.sides[1])
    assert found.mean is not None
    assert (found.mean.n, found.mean.looked, found.word) == (10, 8, "undecided")
    evidence.look(250.0, 300.0, OF_SEEDS)
    assert evidence.finding("drift", SIDES.sides[1]).word == "same"


def _scattered(mean: float, overall: float | None = None) -> list[dict[str, dict[str, float]]]:
    random = Random(4)
    noise = [random.gauss(0.0, 0.003) for _ in range(14)]
    whole = mean if overall is None else overall
    return [{"throughput": {"b": mean + n}, "throughput_overall": {"b": whole + n}} for n in noise]


def test_a_cost_in_few_turns_is_told_though_the_median_is_the_same() -> None:
    (found,) = _evidence(Question(), *_scattered(0.0, -0.15)).findings()
    assert (found.measure, found.word) == ("throughput_overall", "slower")
    (median_only,) = _evidence(Question(), *_scattered(-0.03)).findings()
    assert (median_only.measure, median_only.word) == ("throughput", "slower")
    (same,) = _evidence(Question(), *_scattered(0.0)).findings()
    assert (same.measure, same.word) == ("throughput", "same")


def test_a_guard_that_is_slower_nobody_knows_by_how_much_is_no_go() -> None:
    random = Random(4)
    known = [{**each, "throughput_overall": {"b": random.gauss(-0.04, 0.012)}} for each in _scattered(0.0)]
    (usual,) = _evidence(Question(resolve=0.03), *known).findings()
    assert (usual.measure, usual.word) == ("throughput_overall", "slower")
    asked = _evidence(Question(resolve=0.03, beyond=True), *known)
    (found,) = asked.findings()
    assert (found.word, asked.is_worse_by_more(found)) == ("undecided", False)
    (far,) = _evidence(Question(resolve=0.03, beyond=True), *_scattered(0.0, -0.15)).findings()
    assert (far.measure, far.word) == ("throughput_overall", "slower")


def test_by_how_much_a_guard_is_slower_is_known_from_all_pairs() -> None:
    """Its first look that excludes none has a wide interval; what follows narrows it."""
    random = Random(9)
    noise = [(random.gauss(0.0, 0.01), random.gauss(-0.06, 0.025)) for _ in range(40)]
    pairs = [{"throughput": {"b": own}, "throughput_overall": {"b": whole}} for own, whole in noise]
    asked = Question(resolve=0.03, budget=180.0, beyond=True)
    (early,) = _evidence(asked, *pairs[:9]).findings()
    (late,) = _evidence(asked, *pairs).findings()
    assert (early.measure, early.word) == ("throughput_overall", "undecided")
    assert early.more is not None and 9 < early.more < 40
    assert (late.measure, late.word) == ("throughput_overall", "slower")


def test_the_same_is_said_only_where_the_whole_time_is_about_the_same_too() -> None:
    """The whole time scatters by 3 %, so that a cost of as much in few turns may be in it."""
    near, random = _scattered(0.0), Random(5)
    far = [{**each, "throughput_overall": {"b": random.gauss(0.0, 0.03)}} for each in near]
    (same,) = _evidence(Question(), *near).findings()
    (open_,) = _evidence(Question(), *far).findings()
    assert (same.word, open_.word) == ("same", "undecided")


def test_nothing_differs_of_which_the_whole_time_is_the_same() -> None:
    random = Random(4)
    slow = [random.gauss(0.0, 0.01) + 0.03 for _ in range(14)]
    exact = [{"throughput": {"b": effect}, "throughput_overall": {"b": random.gauss(0, 0.0005)}} for effect in slow]
    (found,) = _evidence(Question(), *exact).findings()
    assert found.word == "undecided"


def test_later_pairs_change_nothing_of_what_a_look_decided() -> None:
    """Side b is the same by pair 8; its guard objects only later, while c is not decided."""
    random = Random(4)

    def pair(overall: float) -> dict[str, dict[str, float]]:
        effect = {"b": random.gauss(0, 0.002), "c": random.gauss(0, 0.2)}
        return {"throughput": effect, "throughput_overall": {"b": overall + random.gauss(0, 0.002), "c": effect["c"]}}

    early = [pair(0.0) for _ in range(10)]
    b, _ = _evidence(Question(), *early, of=THREE).findings()
    later, _ = _evidence(Question(), *early, *[pair(-0.3) for _ in range(20)], of=THREE).findings()
    assert b.word == later.word == "same"
    assert b == later


def test_a_pair_without_a_number_decides_nothing() -> None:
    (found,) = _evidence(Question(), {}, *_scattered(-0.03)).findings()
    assert (found.word, found.missing) == ("undecided", 1)


def test_sides_and_guard_share_the_level() -> None:
    assert _evidence(Question()).level("throughput") == pytest.approx(0.009)
    assert _evidence(Question()).level("throughput_overall") == pytest.approx(0.001)
    assert _evidence(Question(), of=THREE).level("throughput") == pytest.approx(0.0045)
    assert _evidence(Question("latency_p99")).level("throughput") == 0.01


def test_what_was_decided_stays_decided_while_another_side_is_not() -> None:
    """Side b is 3 % slower in the first ten pairs, and then noise drowns it; c is not decided at all."""
    random = Random(4)
    noisy = [{"throughput": {"b": -0.03 + random.gauss(0, 0.004), "c": random.gauss(0, 0.2)}} for _ in range(10)]
    lost = [{"throughput": {"b": random.gauss(0, 0.3), "c": random.gauss(0, 0.2)}} for _ in range(4)]
    b, c = _evidence(Question(), *noisy, *lost, of=THREE).findings()
    assert (b.word, c.word) == ("slower", "undecided")
    assert b.mean is not None
    assert b.mean.n <= 10


def test_growth_is_the_same_within_a_part_of_what_is_held() -> None:
    asked = Question("growth", resolve=0.02)
    margin = _evidence(asked, {"growth": {"b": 1.0}}).margin("growth")
    assert margin is not None
    assert (margin.low, margin.high) == (-2e6, 2e6)
    (found,) = _evidence(asked, *({"growth": {"b": 1000.0 * (n % 3)}} for n in range(14))).findings()
    assert found.word == "same"


def test_differences_are_asked_for_as_differences() -> None:
    margin = _evidence(Question("accuracy", resolve=0.05), {}).margin("accuracy")
    assert margin is not None
    assert (margin.low, margin.high) == (-0.05, 0.05)


def test_the_margin_of_drift_is_half_of_what_seeds_differ_by_at_least() -> None:
    margin = _evidence(Question("drift"), *[{}] * 8).margin("drift")
    assert margin is not None
    logs = [math.log(0.3 + n / 1000) for n in range(1, 9)]
    mean = sum(logs) / 8
    sd = math.sqrt(sum((log - mean) ** 2 for log in logs) / 7)
    assert margin.high == pytest.approx(sd * math.sqrt(7 / 14.067) / 2, rel=1e-3)  # 14.067: chi-squared, 7 degrees, 5 %


def test_a_budget_that_ends_with_a_pair_that_does_not_count_is_looked_at_in_full() -> None:
    """Time has passed, and what the last quarter told is there."""
    evidence = _evidence(Question(budget=300.0), *_scattered(-0.004)[:13])
    assert evidence.looks[-1] == Look(13, share(0.75))
    evidence.pairs.append(Pair("run", 20.0, {}, {}, disturbed="others used 90% of the processors"))
    evidence.look(280.0, 300.0)
    assert evidence.looks[-1] == Look(13, share(1.0))
    assert evidence.means("throughput", SIDES.sides[1])[-1].looked == 13
    evidence.look(281.0, 300.0)
    assert len(evidence.looks) == 14, "nothing more is due"


def test_before_there_is_a_pair_nothing_is_looked_at() -> None:
    evidence = Evidence(SIDES, Question())
    evidence.look(290.0, 300.0)
    assert evidence.looks == []


def test_a_number_of_few_pairs_has_what_all_looks_may_spend() -> None:
    """Starts are known of every fifth pair; the last look that finds no more of them is that of the budget."""
    plain = {"throughput": {"b": 0.0}, "start_up": {"b": 0.3}}
    effects = [plain if number % 5 == 0 else {"throughput": {"b": 0.0}} for number in range(19)]
    evidence = _evidence(Question("throughput", 0.03, budget=400.0), *effects)
    evidence.pairs[5] = Pair("run", 20.0, {"throughput": {"b": 0.0}, "start_up": {"b": 0.31}}, {})
    *_, last = evidence.means("start_up", SIDES.sides[1])
    once = Evidence(SIDES, evidence.asked, evidence.pairs, [Look(19, share(1.0))])
    assert (last.n, last.half) == (4, once.means("start_up", SIDES.sides[1])[-1].half)


def _said(measure: str, word: Word, estimate: float, half: float, sd: float = 0.01) -> Finding:
    return Finding(measure, "b", word, Sequential(20, estimate, half, sd))


ROOM = Margin.relative(0.03)


def test_what_the_guard_held_back_may_still_be_the_same() -> None:
    own = [_said(GUARDED, "slower", -0.025, 0.023), _said(GUARDED, "same", -0.005, 0.004)]
    guard = [_said(GUARD, "undecided", 0.0, 0.04), _said(GUARD, "same", 0.0, 0.005)]
    assert [found.word for found in guarded(own, guard, ROOM)] == ["undecided", "same"]


def test_the_guard_is_beside_what_is_known_by_now() -> None:
    """What a first look says is exaggerated: it would not have said it else."""
    own = [_said(GUARDED, "slower", -0.015, 0.014), _said(GUARDED, "slower", -0.008, 0.005)]
    guard = [_said(GUARD, "undecided", -0.003, 0.01), _said(GUARD, "undecided", -0.003, 0.009)]
    assert [found.word for found in guarded(own, guard, ROOM)] == ["undecided", "slower"]


def test_a_guard_that_turns_out_to_be_the_same_objects_no_longer() -> None:
    own = [_said(GUARDED, "same", -0.001, 0.002)] * 2
    guard = [_said(GUARD, "slower", -0.007, 0.006), _said(GUARD, "same", -0.005, 0.003)]
    assert [(found.measure, found.word) for found in guarded(own, guard, ROOM)] == [
        (GUARD, "slower"),
        (GUARDED, "same"),
    ]


def test_what_is_the_same_waits_until_the_guard_is_near_and_not_until_it_is_the_same() -> None:
    guard = _said(GUARD, "undecided", 0.0, 0.035, sd=0.05)
    (found,) = guarded([_said(GUARDED, "same", 0.0, 0.004)], [guard], ROOM)
    assert guard.mean is not None
    near, alike = (guard.mean.needed(math.log1p(part)) for part in (0.03, 0.01))
    assert near is not None and alike is not None
    assert (found.word, found.more) == ("undecided", near)
    assert near < alike / 5


def test_a_further_look_at_as_many_pairs_changes_no_answer() -> None:
    """Side b is slower for sure at the first look, by less than what counts as the same; c is open, so it goes on."""
    random = Random(4)
    noise = [random.gauss(0.0, 0.006) for _ in range(13)]
    effects = [{"throughput": {"b": -0.0095 + n, "c": random.gauss(0, 0.2)}} for n in noise]
    evidence = Evidence(THREE, Question(budget=300.0), [Pair("run", 20.0, each, {}) for each in effects])
    evidence.looks.append(Look(13, share(0.75)))
    first, _ = evidence.findings()
    assert first.mean is not None
    assert (first.word, first.mean.low < -0.01) == ("slower", True)
    evidence.looks.append(Look(13, share(1.0)))
    later, _ = evidence.findings()
    assert later == first
    last = evidence.finding("throughput", THREE.sides[1])
    assert last.mean is not None
    assert last.mean.half < first.mean.half
