"""A calibration as people read it."""

from __future__ import annotations

import io
from random import Random

import pytest
from rich.console import Console

from harness.report import calibration
from harness.studies.calibrate import PLANTED, Calibrate
from harness.studies.pairs import Pair
from harness.studies.sides import Sides

SCENARIO = Sides("q", {"title": "How noisy?", "workload": {"model": "mlp", "steps": 50}}, ())


def _text(planted: float, disturbed: int = 0) -> str:
    """Of 20 duets that scatter by 0.3 %, the first so many of them disturbed, of which every second is left out."""
    study, random = Calibrate(SCENARIO, 1, 20), Random(1)
    for number in range(20):
        (_, other) = study._sides(number).sides
        effect = random.gauss(planted if other.name == PLANTED else 0.0, 0.003)
        effects = {name: {other.name: effect} for name in ("throughput", "throughput_overall")}
        why = "others used 40%" if number < disturbed else ""
        study._add_duet(f"duet-{number:03d}", Pair("run", 20.0, effects, {}, why))
    return _shown(study)


def _shown(study: Calibrate) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(calibration.render(study))
    return console.export_text()


@pytest.mark.parametrize(("planted", "trusted"), [(-0.01, True), (-0.05, False), (0.0, False)])
def test_what_was_planted_has_to_be_seen(planted: float, trusted: bool) -> None:
    text = _text(planted)
    assert "20 duets of 20 s count; 0 of all 20 were disturbed" in text
    assert "which costs -0.99% of throughput" in text
    assert ("trust nothing that is said of comparisons" in text) is not trusted


def test_what_is_the_same_has_to_come_out_the_same() -> None:
    """Comparisons are drawn anew from scatter around the mean, in which that would not show."""
    study, random = Calibrate(SCENARIO, 1, 20), Random(1)
    for number in range(20):
        (_, other) = study._sides(number).sides
        effect = random.gauss(0.009, 0.003) - 0.01 * (other.name == PLANTED)
        effects = {name: {other.name: effect} for name in ("throughput", "throughput_overall")}
        study._add_duet(f"duet-{number:03d}", Pair("run", 20.0, effects, {}))
    assert "what is the same does not come out the same: trust nothing" in _shown(study)


def test_twenty_duets_are_enough_also_where_one_is_left_out() -> None:
    text = _text(-0.01, disturbed=1)
    assert "19 duets of" in text
    assert "duets are needed" not in text
    assert "false alarms and found: of 10000 comparisons" in text


def test_runs_that_others_disturbed_are_told() -> None:
    study = Calibrate(SCENARIO, 6, 0)
    study.rates, study.within, study.disturbed = [1.0, 1.1, 1.2, 1.0, 1.1, 0.9], [0.1] * 6, 4
    study.began = [10.0 * number for number in range(6)]
    assert "4 of 6 runs were disturbed by others: calibrate again when the machine is quiet" in _shown(study)


@pytest.mark.parametrize(
    ("apart", "told"),
    [
        (60.0, "5 minutes they also changed slowly, by 4.3%; more --runs tell what hours do\n"),
        (3600.0, "5.0 hours they also changed slowly, by 4.3%\n"),
    ],
)
def test_what_changes_slowly_is_told_apart(apart: float, told: str) -> None:
    study = Calibrate(SCENARIO, 6, 0)
    study.rates, study.within = [1.0, 1.0, 1.0, 1.1, 1.1, 1.1], [0.1] * 6
    study.began = [apart * number for number in range(6)]
    text = "".join(f"{line.rstrip()}\n" for line in _shown(study).splitlines())
    assert f"neighbouring runs differ by 3.0%; over {told}" in text
    study.rates = [1.0, 1.1, 1.0, 1.1, 1.0, 1.1]
    assert "nothing changed slowly that chance does not explain" in _shown(study)
