"""Cells that end alike with two targets, and what is told of those that do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.base.errors import InputError
from harness.planning.validation import load
from harness.scenario.schema import SEEDS, Target
from harness.studies import survival
from harness.studies.survival import Survival, ending
from harness.studies.table import FAILED, Result

OLD, NEW = Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1", env={"MXNET_A": "1"})
CELL = "dist_sync-kill-worker"


def _result(outcome: str, **fields: Any) -> Result:
    return Result("dist_sync", "kill worker", outcome, "", fields.pop("unproven", ""), **fields)


def _study(old: list[str], new: list[str]) -> Survival:
    """Every cell but one ended alike; of that one there are as many runs as words."""
    study = Survival(OLD, NEW, ["dist_sync"], ["kill"])
    for name in study.cells:
        for side, words in (("from", old), ("to", new)):
            for time, word in enumerate(words if name == CELL else ["completed"], 1):
                study._results[f"{side}-{name}-{time}"] = _result(word)
    return study


def _asked(study: Survival) -> list[str]:
    return [trial.key for trial in study.wanted()]


def test_every_cell_once_with_both_targets_by_turns() -> None:
    study = Survival(OLD, NEW, ["dist_sync"], ["kill"])
    names = ("dist_sync-nothing", "dist_sync-kill-worker")
    assert _asked(study)[:4] == [f"{side}-{name}-1" for name in names for side in ("from", "to")]
    assert study.total == len(_asked(study)) == 2 * len(study.cells) == 8


def test_each_run_is_of_its_target(tmp_path: Path) -> None:
    study = Survival(OLD, NEW, ["dist_sync"], ["restart"])
    for trial in study.wanted():
        (tmp_path / "cell.yaml").write_text(trial.text)
        target = load(tmp_path / "cell.yaml").scenario.target
        expected = OLD if trial.key.startswith("from") else NEW
        assert (target.mxnet, target.env.get("MXNET_A")) == (expected.mxnet, expected.env.get("MXNET_A"))
        assert ("PS_HEARTBEAT_TIMEOUT" in target.env) == ("heartbeats" in trial.key)


def test_only_what_ended_otherwise_is_run_again_with_other_seeds() -> None:
    study = _study(["crashed"], ["hung"])
    again = [f"{side}-{CELL}-{time}" for time, side in ((2, "to"), (2, "from"), (3, "from"), (3, "to"))]
    assert _asked(study) == again
    assert [yaml.safe_load(trial.text)["seed"] for trial in study.wanted()] == [62, 62, 63, 63]
    assert study.row.word == "not decided"
    assert _asked(_study(["crashed"], ["crashed"])) == []


def test_what_mostly_or_always_ends_worse_is_run_twice_more() -> None:
    more = [f"{side}-{CELL}-{time}" for time, side in ((4, "to"), (4, "from"), (5, "from"), (5, "to"))]
    for new, asked in ((["hung", "hung", "crashed"], more), (["hung", "crashed", "crashed"], []), (["hung"] * 3, more)):
        assert _asked(_study(["crashed"] * 3, new)) == asked


@pytest.mark.parametrize(
    ("old", "new", "word", "said"),
    [
        (["crashed"], ["crashed"], "go", ""),
        (["hung", "crashed"], ["crashed", "hung"], "go", ""),
        (
            ["hung", "crashed", "crashed"],
            ["hung", "hung", "crashed"],
            "go",
            "hung (2 of 3), crashed (1 of 3): no reason",
        ),
        (["crashed"] * 5, ["hung"] * 5, "no-go", "dist_sync, kill worker: crashed, now hung"),
        (["crashed"] * 3, ["hung"] * 3, "not decided", "crashed, now hung; not run often enough yet"),
        (["completed"] * 5, ["completed, weights differ"] * 5, "no-go", "completed, now completed, weights differ"),
        (["crashed"] * 3, ["hung", "hung", "crashed"], "not decided", "hung (2 of 3), crashed (1 of 3): mostly worse"),
        (
            ["crashed"] * 5,
            ["hung"] * 3 + ["crashed"] * 2,
            "not decided",
            "hung (3 of 5), crashed (2 of 5): mostly worse",
        ),
        (["crashed"] * 5, ["hung"] * 2 + ["crashed"] * 3, "go", "hung (2 of 5), crashed (3 of 5): no reason"),
        (["crashed"] * 3, ["hung", "crashed", "crashed"], "go", "hung (1 of 3), crashed (2 of 3): no reason"),
        (["hung"] * 3, ["crashed"] * 3, "go", "hung, now crashed: better"),
        (["completed", "hung", "completed"], ["crashed"] * 3, "go", "not worse in all runs"),
        (["completed"] * 3, [FAILED] * 3, "not decided", "there is no verdict on some"),
        (["completed"], ["crashed"] * 3, "not decided", "not run often enough yet"),
    ],
)
def test_what_is_told_of_a_cell(old: list[str], new: list[str], word: str, said: str) -> None:
    row = _study(old, new).row
    assert row.word == word
    assert said in " ".join([*(reason.text for reason in row.reasons), *row.told])


@pytest.mark.parametrize(
    ("result", "word"),
    [
        (_result("completed", weights="a"), "completed"),
        (_result("completed", weights=""), "completed, weights differ"),
        (_result("hung", stage="exit"), "trained, hung at the exit"),
        (_result("hung"), "hung"),
        (_result("completed", unproven="no signal", word="missing"), FAILED),
        (_result("completed", unproven="no packet", idle=True), "completed"),
        (_result(FAILED), FAILED),
        (_result("aborted"), FAILED),
        (_result("interrupted"), FAILED),
        (_result("unknown"), FAILED),
    ],
)
def test_how_a_run_ended(result: Result, word: str) -> None:
    assert ending(result) == word


def test_scenarios_of_ones_own_are_run_as_they_are_without_what_they_expect() -> None:
    own = {
        "pause": {
            "title": "t",
            "workload": {"model": "mlp", "steps": 40},
            "faults": [{"pause": {"at": {"step": 5}, "for": {"time": "1s"}}}],
            "expect": {"outcome": "completed"},
            "target": {"mxnet": "1.5.0", "env": {"MXNET_B": "2"}},
        }
    }
    study = Survival(OLD, NEW, [], [], own)
    (first, second) = study.wanted()
    assert (first.key, second.key) == ("from-own-pause-1", "to-own-pause-1")
    values = yaml.safe_load(second.text)
    assert values["target"] == {"mxnet": "1.9.1", "env": {"MXNET_A": "1", "MXNET_B": "2"}}
    assert "expect" not in values
    assert values["control"] is False
    assert Survival.asked(study.question, Path()).question == study.question


def test_a_key_of_no_trial() -> None:
    for key in ("nothing", "from-x-y", f"to-{survival.SIDES}-1"):
        with pytest.raises(LookupError):
            Survival(OLD, NEW, ["dist_sync"], ["kill"]).add(key, None, "why")


def test_names_that_would_share_a_cell_are_refused() -> None:
    own = {"title": "t", "workload": {"model": "mlp", "steps": 40}}
    with pytest.raises(InputError, match="differ in spaces"):
        Survival(OLD, NEW, [], [], {"a b": own, "a-b": own})


def test_without_a_cell_nothing_is_decided() -> None:
    assert Survival(OLD, NEW, [], []).row.word == "not decided"


def test_seeds_of_more_runs_go_round() -> None:
    study = _study(["crashed"], ["hung"])
    values = {**yaml.safe_load(study.cells[CELL].text), "seed": SEEDS - 1}
    study.cells[CELL] = replace(study.cells[CELL], text=yaml.safe_dump(values))
    assert [yaml.safe_load(trial.text)["seed"] for trial in study.wanted()] == [0, 0, 1, 1]
