"""What is read from a pair, and which pairs count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.judging.verdict import Verdict
from harness.studies import pairs, sides
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides
from harness.vocabulary.events import Window
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm
from tests.studies.two_sides import taken

SCENARIO = Sides(
    "question",
    {"title": "t", "workload": {"model": "mlp", "steps": 50}},
    (Side("a", {}), Side("b", {"workload.batch_size": 64})),
)
QUIET = Pair("run", 10.0, {}, {})
NOISY = replace(QUIET, disturbed="others used 40% of the processors")


def test_a_pair_that_is_disturbed_is_made_again_and_then_counts_whatever_comes() -> None:
    assert pairs.counted([QUIET, NOISY, QUIET]) == [QUIET, QUIET]
    assert pairs.counted([QUIET, NOISY]) == [QUIET]
    assert pairs.counted([NOISY, QUIET, NOISY]) == [QUIET]
    assert pairs.counted([QUIET, NOISY, NOISY, NOISY, QUIET]) == [QUIET, NOISY, NOISY, QUIET]
    assert pairs.counted([]) == []


@given(st.lists(st.booleans(), max_size=12))
def test_whether_a_pair_counts_does_not_depend_on_what_comes_after(noisy: list[bool]) -> None:
    every = [Pair(str(number), 1.0, {}, {}, "loud" if loud else "") for number, loud in enumerate(noisy)]
    for length in range(len(every)):
        assert pairs.counted(every[:length]) == [pair for pair in pairs.counted(every) if pair in every[:length]]


@pytest.mark.parametrize(
    ("step", "resolve", "turn", "turns"),
    [
        (0.015, 0.01, 1, 33),
        (0.001, 0.01, 6, 83),
        (0.006, 0.02, 1, 83),
        (0.2, 0.02, 1, 20),
        (0.005, 0.05, 1, 40),
        (0.0, 0.2, 1, 20),
        (0.005, 0.001, 1, 100),
        (0.07, 0.01, 1, 20),  # not the 140 s that 1,000 turns of two sides would take
    ],
)
def test_a_turn_is_short_and_a_pair_as_long_as_the_question_needs(
    step: float, resolve: float, turn: int, turns: int
) -> None:
    values = yaml.safe_load(pairs.duet(SCENARIO, 0, step, resolve, {}, False))
    assert (values["turns"], values["workload"]["window"]) == (turn, turn)
    assert values["workload"]["steps"] == turn * (turns + pairs.WARMUP_TURNS)
    sides.checked(yaml.safe_dump(values), "question")


def test_where_all_pairs_start_as_production_does_they_are_longer() -> None:
    quick, plain = (yaml.safe_load(pairs.duet(SCENARIO, 1, 0.006, 0.01, {}, starts)) for starts in (False, True))
    assert [values["workload"]["steps"] for values in (quick, plain)] == [83 + 3, 167 + 3]


def test_every_fifth_pair_starts_as_production_does_and_all_where_starts_are_asked_about() -> None:
    def quick(number: int, starts: bool) -> bool:
        return bool(yaml.safe_load(pairs.duet(SCENARIO, number, 0.015, 0.01, {}, starts))["quick_start"])

    assert [number for number in range(11) if not quick(number, False)] == [0, 5, 10]
    assert not any(quick(number, True) for number in range(11))


def test_a_step_takes_what_the_slowest_arms_fastest_window_does() -> None:
    past = [
        Window(1.0, "a", "worker/0", 0, 5, 9.0),
        Window(2.0, "a", "worker/0", 5, 5, 0.5),
        Window(3.0, "a", "worker/0", 10, 5, 0.4),
        Window(3.0, "b", "worker/0", 10, 5, 1.0),
    ]
    assert pairs.step_seconds(past) == pytest.approx(0.2)
    assert pairs.step_seconds([]) == 0.0


def test_a_verdict_becomes_a_pair(tmp_path: Path) -> None:
    def side(name: str, peak: float) -> object:
        return arm(Quantity("peak_memory", "B", peak, 1, subject="worker/0"), name=name)

    facts = {"disturbance": {"used_by_others": 0.25, "stolen": 0.2}}
    verdict = Verdict("id", "t", "pass", "", [], [side("b", 200.0), side("a", 100.0)], [], [], facts)  # type: ignore[list-item]
    found = pairs.pair_of(verdict, 7.0, SCENARIO, in_turns=True)
    assert found.effects == {"peak_memory": {"b": pytest.approx(0.6931, abs=1e-4)}}
    assert (found.run, found.seconds, found.first) == ("id", 7.0, {"peak_memory": 100.0})
    assert found.disturbed == "others used 25% of the processors"


def test_sides_that_took_unlike_steps_are_not_compared_where_they_end() -> None:
    def found(steps: int) -> Pair:
        return pairs.pair_of(taken(50, steps), 7.0, SCENARIO, in_turns=True)

    assert (found(50).parted, found(50).effects["peak_memory"]) == ({"b": 0.0}, {"b": 0.0})
    assert (found(31).parted, found(31).effects) == ({}, {})


def test_a_gpu_whose_clocks_fell_disturbs_a_pair() -> None:
    cool, hot = (arm(Quantity("gpu_slowed", "fraction", share, 40, subject="gpu/1")) for share in (0.1, 0.34))
    assert pairs._slowed([cool]) == ""
    assert pairs._slowed([cool, hot]) == "gpu/1 had lower clocks for 34% of the time"
    assert pairs._slowed([arm()]) == ""


def test_each_disturbance_is_named() -> None:
    quiet = {"used_by_others": 0.02, "stolen": 0.3, "waited": 0.9, "throttled": "not available", "mhz": "not available"}
    assert pairs.disturbance({}) == pairs.disturbance({"disturbance": quiet}) == ""
    every = {**quiet, "used_by_others": 0.5, "stolen": 0.6, "throttled": 4.0}
    told = "others used 50% of the processors and the hypervisor took 60% of the processors"
    assert pairs.disturbance({"disturbance": every}) == f"{told} and a control group held processes back"
