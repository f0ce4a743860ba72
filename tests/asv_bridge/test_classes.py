from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.asv_bridge import classes
from harness.asv_bridge.nights import NIGHT_VARIABLE
from harness.base.errors import InputError
from tests.conftest import ROOT, SCENARIO

TAGGED = SCENARIO + "tags: [asv]\n"


def test_every_scenario_with_the_tag_is_a_class() -> None:
    made = classes.generate(ROOT / "scenarios")
    assert set(made) == {"Bfloat16Drift", "DistSyncHealthy", "LstmLengths", "Resnet18Healthy", "SlowWorkerDistSync"}
    slow: Any = made["SlowWorkerDistSync"]
    assert (slow.params, slow.param_names) == ([["control", "main"]], ["arm"])
    assert slow.track_seconds_per_sample.unit == "seconds"
    assert "Does one worker" in slow.track_peak_memory.pretty_source


def _version(folder: Path, text: str) -> str:
    (folder / "question.yaml").write_text(text)
    made: Any = classes.generate(folder)["Question"]
    return str(made.track_peak_memory.version)


def test_the_version_follows_the_content(tmp_path: Path) -> None:
    first = _version(tmp_path, TAGGED)
    assert _version(tmp_path, TAGGED) == first
    assert _version(tmp_path, TAGGED.replace("seed: 7", "seed: 8")) != first


def test_drift_needs_something_to_compare_with(tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(TAGGED)
    assert not hasattr(classes.generate(tmp_path)["Question"], "track_drift")
    assert hasattr(classes.generate(ROOT / "scenarios")["Bfloat16Drift"], "track_drift")


def test_what_is_broken_keeps_a_night_from_no_other_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.yaml").write_text("title: t\ntags: [asv]\nworkload: {model: mlp, steps: 60}\n")
    (tmp_path / "bad.yaml").write_text("title: t\ntags: [asv]\nworkload: {model: mlp, stepz: 60}\n")
    with pytest.raises(InputError, match=r"bad\.yaml:3:"):
        classes.generate(tmp_path)
    monkeypatch.setenv(NIGHT_VARIABLE, "n1")
    assert list(classes.generate(tmp_path)) == ["Good"]


def test_two_scenarios_cannot_share_a_name(tmp_path: Path) -> None:
    for name in ("a-b", "a_b"):
        (tmp_path / f"{name}.yaml").write_text(TAGGED)
    with pytest.raises(InputError, match="two scenarios for asv are called a_b, or nearly"):
        classes.generate(tmp_path)
