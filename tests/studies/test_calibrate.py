"""What a calibration makes of its duets."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from harness.judging.verdict import Verdict
from harness.statistics.sequential import caution, shown
from harness.storage import run_folder
from harness.studies import pairs, study_folder
from harness.studies.calibrate import PLANTED, SAME, Calibrate
from harness.studies.pairs import Pair
from harness.studies.sides import Sides
from harness.vocabulary.events import Ended
from harness.vocabulary.quantities import ArmMeasures

SCENARIO = Sides("q", {"title": "t", "workload": {"model": "mlp", "steps": 50}}, ())


def _duets(count: int) -> dict[str, Any]:
    """The summary after so many duets that scatter by 0.64 %, of 20 s each."""
    study, random = Calibrate(SCENARIO, 1, count), Random(1)
    for number in range(count):
        (_, other) = study._sides(number).sides
        effect = random.gauss(-0.01 if other.name == PLANTED else 0.0, 0.0064)
        effects = {"throughput": {other.name: effect}, "throughput_overall": {other.name: effect}}
        study._add_duet(f"duet-{number:03d}", Pair("run", 20.0, effects, {}))
    return dict(study.summary()["duets"])


def test_every_fourth_duet_has_a_planted_slowness() -> None:
    study = Calibrate(SCENARIO, 1, 8, 0.02)
    others = [study._sides(number).sides[1] for number in range(8)]
    assert [other.name for other in others] == [SAME, SAME, SAME, PLANTED] * 2
    assert others[3].fields == {"workload.burden": 0.02}


def test_comparisons_are_drawn_anew_from_all_of_them() -> None:
    duets = _duets(200)
    assert (duets["n"], len(duets["same"]["effects"]), len(duets["planted"]["effects"])) == (200, 150, 50)
    assert duets["planted"]["asked"] == pytest.approx(-0.00995, abs=1e-5) != duets["planted"]["mean"]
    in_five = duets["answers"]["5"]
    assert in_five["planted"]["slower"] > 0.85
    assert in_five["same"]["slower"] + in_five["same"]["faster"] < 0.01
    assert duets["detectable"]["1"] is None  # three pairs
    assert duets["detectable"]["10"] < duets["detectable"]["5"] < 0.01
    beside_its_guard = shown(28, duets["same"]["sd"] * caution(150), 0.009)
    assert duets["detectable"]["10"] == beside_its_guard, "of thirty pairs, two of which are for meaning"


def test_few_duets_draw_no_comparisons() -> None:
    assert _duets(7) == {"n": 7}
    assert _duets(8)["answers"]["5"] == {}
    assert set(_duets(20)["answers"]["5"]) == {"same", "planted"}


def test_what_disturbs_costs_time() -> None:
    study = Calibrate(SCENARIO, 1, 40)
    for number in range(40):
        (_, other) = study._sides(number).sides
        disturbed = "others used 50% of the processors" if number % 10 == 9 else ""
        effect = {other.name: 0.001 * (number % 3)}
        effects = {"throughput": effect, "throughput_overall": effect}
        study._add_duet(f"duet-{number:03d}", Pair("run", 20.0, effects, {}, disturbed))
    assert study.summary()["duets"]["n"] == 36
    assert study.summary()["duets"]["seconds_each"] == pytest.approx(40 * 20 / 36)
    assert study.summary()["duets"]["answers"]["1"]["same"]["pairs"] == 1.0  # of 60 s, 22 s each, two for meaning


@pytest.mark.parametrize(
    ("level", "slow"),
    [
        (lambda number: 0.0, None),
        (lambda number: 0.0005 * number, 0.029),
        (lambda number: 0.05 * (number >= 100), 0.025),
    ],
)
def test_noise_of_neighbours_has_no_slow_change_in_it(level: Callable[[int], float], slow: float | None) -> None:
    """Independent runs with a standard deviation of 1 %; a drift by 10 % in all; a jump by 5 % halfway."""
    study, random = Calibrate(SCENARIO, 200, 0), Random(1)
    study.rates = [math.exp(random.gauss(level(number), 0.01)) for number in range(200)]
    study.began = [1e9 + 36.0 * number for number in range(200)]
    found = study.over_time
    assert found is not None
    assert found["neighbours"] == pytest.approx(0.01, rel=0.15)
    assert found["slow"] == (None if slow is None else pytest.approx(slow, abs=0.003))
    assert found["hours"] == pytest.approx(1.99)


def test_chance_alone_is_rarely_told_as_a_slow_change() -> None:
    """Of 400 calibrations with 12 independent runs each, 5 % are expected."""
    random, told = Random(2), 0
    for _ in range(400):
        study = Calibrate(SCENARIO, 12, 0)
        study.rates, study.began = [math.exp(random.gauss(0, 0.02)) for _ in range(12)], [30.0 * n for n in range(12)]
        found = study.over_time
        told += found is not None and found["slow"] is not None
    assert 8 <= told <= 32


def test_runs_after_a_long_gap_are_no_neighbours() -> None:
    study = Calibrate(SCENARIO, 12, 0)
    study.rates, study.began = [1.0, 1.01] * 3 + [1.2, 1.21] * 3, [30.0 * n + 86400.0 * (n > 5) for n in range(12)]
    found = study.over_time
    assert found is not None
    assert found["neighbours"] == pytest.approx(0.0066, abs=0.001)
    assert found["slow"] == pytest.approx(0.095, abs=0.005)


def test_few_runs_tell_nothing_of_time() -> None:
    study = Calibrate(SCENARIO, 5, 0)
    study.rates, study.began = [1.0, 1.1, 1.0, 1.1, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0]
    assert study.over_time is None


def test_a_machine_that_changed_ends_a_calibration() -> None:
    """Numbers of another kernel, or with another GPU, are not put together."""
    study = Calibrate(SCENARIO, 3, 0)
    study._ran = {"the harness": "1", "kernel of the machine": "5.10", "the target of q": "1.9.1"}
    assert study._differing({"the harness": "1", "the target of b": "1.9.1"}) == [], "a duet has other arms"
    assert study._differing({"kernel of the machine": "6.1"}) == ["kernel of the machine"]
    assert study.wanted() != []


def test_software_that_changed_before_a_calibration_goes_on_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = Calibrate(SCENARIO, 3, 0)
    study.folder, study._ran = study_folder.create(tmp_path, study.name, study.question), {"the target of q": "1.8.0"}
    monkeypatch.setattr(run_folder, "find", lambda results, name: None)
    monkeypatch.setattr(pairs, "what_ran", lambda folder, facts: {"the target of q": "1.9.1"})
    ended = ArmMeasures("q", "q", 1, 1, Ended(1.0, "q", "", "completed", ""), (), {})
    verdict = Verdict("run", "", "pass", "", (), (ended,), (), (), {})
    assert not study.counts(verdict), "opened again, with the software of then, it goes on"
    end = "the target of q is not what it was when this was begun; begin a new calibration"
    assert (study.add("run-000", verdict, ""), study.wanted()) == (f"run-000: {end}", [])


def test_a_thousand_runs_have_a_thousand_seeds() -> None:
    study = Calibrate(SCENARIO, 1002, 1)
    assert study._trial("run-1001").text != study._trial("run-001").text
