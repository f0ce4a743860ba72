"""What a comparison answers."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from harness.statistics.sequential import Sequential
from harness.studies import finding
from harness.studies.compared import MEASURES
from harness.studies.finding import Finding, Margin, Word


def _mean(low: float, high: float, n: int = 10) -> Sequential:
    return Sequential(n, (low + high) / 2, (high - low) / 2, 0.01)


@pytest.mark.parametrize(
    ("measure", "low", "high", "word"),
    [
        ("throughput", 0.002, 0.03, "faster"),
        ("throughput", -0.03, -0.002, "slower"),
        ("throughput", -0.009, 0.009, "same"),
        ("throughput", 0.001, 0.009, "same"),
        ("throughput", -0.011, 0.002, "undecided"),
        ("latency_p99", 0.02, 0.03, "slower"),
        ("peak_memory", -0.05, -0.02, "less"),
        ("held_memory", 0.02, 0.05, "more"),
    ],
)
def test_the_interval_decides(measure: str, low: float, high: float, word: Word) -> None:
    assert finding.word_of(MEASURES[measure], _mean(low, high), Margin(-0.01, 0.01)) == word


def test_an_answer_in_words() -> None:
    slower = Finding("throughput", "b", "slower", _mean(math.log(0.97), math.log(0.99), 12))
    assert finding.sentence(slower) == "b is slower: -2.01% throughput (-3.00% to -1.00%; 12 pairs)"
    grown = Finding("growth", "b", "more", _mean(100.0, 300.0))
    assert finding.sentence(grown) == "b is more: +200 memory growth, B/1000 steps (+100 to +300; 10 pairs)"
    nothing = Finding("latency_p50", "b", "undecided", None)
    assert finding.sentence(nothing) == "b: step latency p50 was not measured"
    early = Finding("throughput", "b", "undecided", Sequential(3, 0.0, math.inf, 0.01))
    assert finding.sentence(early) == "b is undecided: +0.00% throughput (no interval yet; 3 pairs)"
    assert finding.as_json(early)["low"] is None


@pytest.mark.parametrize(
    ("measure", "low", "high", "size"),
    [
        ("throughput", math.log(0.55), math.log(0.65), 0.45),  # of which less is worse
        ("throughput", 0.01, 0.02, -0.010050167),
        ("latency_p50", math.log(1.1), math.log(1.3), 0.3),
        ("peak_memory", math.log(20), math.log(31), 30.0),
        ("peak_memory", 1.0, 1000.0, None),
        ("growth", 100.0, 300.0, None),
        ("accuracy", -0.05, -0.01, None),
    ],
)
def test_how_much_worse_it_may_be(measure: str, low: float, high: float, size: float | None) -> None:
    found = finding.at_worst(Finding(measure, "b", "slower", _mean(low, high)))
    assert found == (None if size is None else pytest.approx(size))


def test_without_a_number_or_an_interval_nobody_knows_how_much() -> None:
    assert finding.at_worst(Finding("throughput", "b", "undecided", None)) is None
    early = Sequential(3, 0.0, math.inf, 0.01)
    assert finding.at_worst(Finding("latency_p50", "b", "undecided", early)) is None


def test_how_many_pairs_would_decide() -> None:
    speed, narrow = MEASURES["throughput"], Margin(-0.01, 0.01)
    needed = finding.pairs_needed(speed, Sequential(10, 0.005, 0.02, 0.0064), narrow)
    assert needed is not None
    assert 20 <= needed <= 60
    assert finding.pairs_needed(speed, Sequential(10, 0.0, 0.5, 5.0), Margin(-0.001, 0.001)) is None
    slower = Sequential(10, -0.012, 0.015, 0.0064)
    from_none, from_margin = (finding.pairs_needed(speed, slower, narrow, beyond) for beyond in (False, True))
    assert from_none is not None and from_margin is not None
    assert from_margin > 2 * from_none, "much nearer"


def test_a_mean_that_is_off_by_luck_may_be_decided_sooner() -> None:
    speed, margin = MEASURES["throughput"], Margin(-0.03, 0.03)
    unlucky = Sequential(7, -0.0113, 0.06, 0.036)
    found = finding.undecided("throughput", "b", unlucky, margin)
    at_best, needed = found.soonest, found.more
    centred = finding.pairs_needed(speed, Sequential(7, 0.0, 0.06, 0.036), margin)
    assert at_best is not None and needed is not None and centred is not None
    assert centred <= at_best <= centred + 3, "its standard error is 0.0136"
    assert at_best < needed / 1.5
    slower = Sequential(7, -0.04, 0.06, 0.036)
    found = finding.undecided("throughput", "b", slower, margin, beyond=True)
    assert found.soonest is not None and found.more is not None
    assert found.soonest < found.more / 3, "0.024 beyond the margin, and not 0.01"
    faster = finding.undecided("throughput", "b", Sequential(9, 0.028, 0.04, 0.03), margin)
    assert faster.soonest == faster.more, "that it is none is farther than that it is faster"
    hopeless = finding.undecided("throughput", "b", Sequential(7, 0.0, 5.0, 50.0), Margin(-0.001, 0.001))
    assert (hopeless.more, hopeless.soonest) == (None, None)


@pytest.mark.parametrize(
    ("measure", "low", "high", "word"),
    [
        ("throughput", -0.03, -0.002, "undecided"),
        ("throughput", -0.03, -0.011, "slower"),
        ("throughput", -0.009, -0.002, "same"),
        ("throughput", 0.002, 0.03, "faster"),
        ("latency_p99", 0.002, 0.03, "undecided"),
        ("latency_p99", 0.02, 0.03, "slower"),
    ],
)
def test_worse_beyond_the_margin_only_where_that_is_asked(measure: str, low: float, high: float, word: Word) -> None:
    assert finding.word_of(MEASURES[measure], _mean(low, high), Margin(-0.01, 0.01), beyond=True) == word


def test_what_would_decide_is_told_of_what_is_not_decided() -> None:
    open_ = Finding("drift", "b", "undecided", _mean(-0.02, 0.01), more=61)
    assert finding.wanting(open_, 61) == "; about 61 seeds would decide"
    assert finding.wanting(replace(open_, measure="throughput"), 61) == "; about 61 pairs would decide"
    assert finding.wanting(open_, None) == ""


def test_how_many_seeds_differences_need() -> None:
    drift = Finding("drift", "b", "undecided", Sequential(8, 0.0, 0.1, 0.02))
    assert finding.seeds_needed(drift) == "0.1% 9065, 0.5% 368, 1% 95, 2% 27, 5% 8, 10% 5, 20% 4"
    accuracy = Finding("accuracy", "b", "undecided", Sequential(8, 0.0, 0.1, 0.02))
    assert finding.seeds_needed(accuracy) == "0.001 9056, 0.005 366, 0.01 94, 0.02 26, 0.05 7, 0.1 4, 0.2 4"
    exact = Finding("drift", "b", "same", Sequential(8, 0.0, 0.0, 0.0))
    assert finding.seeds_needed(exact) == ""


def test_numbers_that_are_missing_are_told() -> None:
    some = Finding("steps_to_loss", "b", "undecided", _mean(-0.02, -0.01, 6), missing=2)
    told = "b is undecided: -1.49% steps to loss (-1.98% to -1.00%; 6 seeds, 2 more have no number)"
    assert finding.sentence(some) == told
    assert finding.as_json(some)["missing"] == 2


def test_a_margin_is_a_change_of_so_much() -> None:
    half = Margin.relative(0.5)
    assert (math.exp(half.low), math.exp(half.high)) == (pytest.approx(0.5), pytest.approx(1.5))
    assert Margin.relative(2.0).low == -math.inf
    assert finding.word_of(MEASURES["throughput"], _mean(math.log(1.55), math.log(1.6)), half) == "faster"
    assert finding.margin_in_words(Margin.relative(0.01), "throughput") == "-1.00% to +1.00%"
    assert finding.margin_in_words(Margin.around(0.05), "accuracy") == "-0.05 to +0.05"


def test_a_look_that_took_fewer_pairs_says_so() -> None:
    early = Finding("throughput", "b", "undecided", replace(_mean(-0.02, 0.01, 7), looked=4))
    assert finding.sentence(early) == "b is undecided: -0.50% throughput (-1.98% to +1.01%; 4 of 7 pairs)"


def test_ten_times_as_much_is_not_told_by_its_digits() -> None:
    wild = Finding("throughput", "b", "undecided", _mean(-4.0, 4.0, 4))
    assert finding.interval(wild) == "-98.17% to beyond +900%"
    assert finding.detectable(wild).startswith("beyond ±900%")
