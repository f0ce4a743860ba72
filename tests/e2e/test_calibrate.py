"""A calibration, and the verdict that rests on it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.e2e.conftest import Command, harness

pytestmark = pytest.mark.e2e

TEXT = """\
title: How fast does the mlp train?
seed: 3
workload: {model: mlp, batch_size: 32, steps: 120, warmup: 20}
"""
VARIANTS = """\
variants: {one: {}, other: {}}
expect: {throughput: {versus: one, at_least: 1%}}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def calibrated(results: Path, target: Path) -> Command:
    path = results / "question.yaml"
    path.write_text(TEXT)
    options = ("--runs", 6, "--duets", 8, "--resolve", "20%")
    return harness("calibrate", path, *options, "--json", "--results", results)


def test_noise_and_a_planted_slowness_are_measured(calibrated: Command) -> None:
    assert calibrated.code == 0, calibrated.err
    body = calibrated.json
    between, duets = body["between_runs"], body["duets"]
    assert (body["schema"], between["n"], len(body["rates"])) == ("harness/calibration/1", 6, 6)
    assert 0 < between["sd"] < between["upper"]
    assert body["over_time"]["neighbours"] > 0
    assert 0 < body["over_time"]["hours"] < 1
    assert all(turn > 0 for turn in body["within_duets"])
    if "planted" in duets:  # not where too many were disturbed
        assert duets["planted"]["asked"] == pytest.approx(-math.log(1.2))
        assert duets["planted"]["mean"] < duets["same"]["mean"]


def test_later_verdicts_take_it_and_say_so(calibrated: Command, results: Path) -> None:
    path = results / "variants.yaml"
    path.write_text(TEXT + VARIANTS)
    run = harness("run", path, "--json", "--results", results)
    assert run.out, run.err
    (verdict,) = run.json["verdicts"]
    reason = next(check["reason"] for check in verdict["checks"] if check["check"] == "throughput")
    assert "% from run to run as calibrated here with 6 runs of question" in reason
    assert verdict["facts"]["calibration"]["study"] == calibrated.json["study"]
    elsewhere = harness("run", path, "--json", "--results", results / "other")
    assert "as a cautious default" in elsewhere.out


def test_it_is_shown_again(calibrated: Command, results: Path) -> None:
    shown = harness("calibrate", "--resume", "last", "--results", results)
    assert shown.code == 0
    assert "medians of 6 runs differ by" in shown.out
    assert "neighbouring runs differ by" in shown.out
    assert "question: " in harness("studies", "--results", results).out
