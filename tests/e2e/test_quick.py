"""The shipped quick scenarios on real MXNet: every verdict, and every verb on the runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from harness.execution import machine
from harness.storage import history
from harness.vocabulary.events import Loss
from tests.e2e.conftest import CLUSTERS, Quick, harness, needs_clusters

pytestmark = [pytest.mark.e2e, pytest.mark.alone]

NAMES = {
    "bfloat16-drift",
    "checkpoints",
    "dist-sync-healthy",
    "gluon-dist-sync",
    "horovod",
    "killed-worker-dist-sync",
    "lstm-lengths",
    "module-buckets",
    "network-buckets",
    "oracle-healthy",
    "paused-worker-dist-sync",
    "pocket-cluster",
    "resnet18-healthy",
    "slow-worker-dist-sync",
}


def _arm(verdict: Any, name: str = "main") -> Any:
    return next(arm for arm in verdict["arms"] if arm["arm"] == name)


def _value(arm: Any, name: str, role: str = "") -> float:
    matching = [m for m in arm["measures"] if (m["name"], m["subject"]) == (name, role)]
    assert matching and matching[0]["value"] is not None, (name, role)
    return float(matching[0]["value"])


def test_every_question_gets_its_answer(quick: Quick) -> None:
    left_out = [] if machine.bfloat16().there else ["bfloat16-drift"]
    left_out += [] if CLUSTERS else ["pocket-cluster"]
    assert set(quick.verdicts) == NAMES - set(left_out)
    wrong = {name: verdict["checks"] for name, verdict in quick.verdicts.items() if verdict["verdict"] != "pass"}
    assert wrong == {}


def test_throughput_memory_and_loss_of_a_healthy_run(quick: Quick) -> None:
    arm = _arm(quick.verdicts["resnet18-healthy"])
    assert arm["outcome"] == "completed"
    assert _value(arm, "throughput") > 0
    assert _value(arm, "peak_memory", "worker/0") > 100e6
    assert _value(arm, "live_memory", "worker/0") > 44e6  # 11 million parameters
    assert _value(arm, "final_loss") < 1.5


def test_counting_live_bytes_leaves_the_machine_as_it_was(quick: Quick) -> None:
    assert Path(os.devnull).is_char_device()  # MXNet's profiler unlinks the file it is given
    assert list((quick.results / "runs").glob("*-resnet18-healthy-*/logs/main/profile-*")) == []


def test_a_killed_worker_leaves_the_other_waiting_and_we_see_where(quick: Quick) -> None:
    verdict = quick.verdicts["killed-worker-dist-sync"]
    arm = _arm(verdict)
    assert arm["outcome"] == "hung"
    assert "worker/0 at step 200" in arm["reason"]
    (receipt,) = arm["receipts"]
    assert (receipt["name"], receipt["subject"], receipt["proven"]) == ("kill", "worker/1", True)
    stacks = {stack["subject"]: stack["text"] for stack in verdict["stacks"]}
    assert set(stacks) == {"scheduler", "server/0", "worker/0"}
    assert "Steps._close (steps.py" in stacks["worker/0"]


def test_a_slow_worker_is_as_slow_as_asked_and_holds_the_other_back(quick: Quick) -> None:
    verdict = quick.verdicts["slow-worker-dist-sync"]
    factor = re.search(r"a factor of ([\d.]+) for 3", _arm(verdict)["receipts"][0]["evidence"])
    assert factor is not None and float(factor[1]) == pytest.approx(3, rel=0.1)
    share = _value(_arm(verdict), "throughput_in_fault") / _value(_arm(verdict, "control"), "throughput")
    assert 0.1 < share < 0.8


def test_a_paused_worker_changes_nothing_but_time(quick: Quick) -> None:
    verdict = quick.verdicts["paused-worker-dist-sync"]
    assert "/proc state T after STOP, T before CONT" in _arm(verdict)["receipts"][0]["evidence"]
    drift = next(check for check in verdict["checks"] if check["check"] == "drift")
    assert drift["reason"] == "none: the same weights as control, bit by bit"


def test_horovod_trains_to_the_weights_of_dist_sync(quick: Quick) -> None:
    drift = {c["arm"]: c["reason"] for c in quick.verdicts["horovod"]["checks"] if c["check"] == "drift"}
    assert drift["horovod"] == "none: the same weights as dist-sync, bit by bit"


@needs_clusters
def test_a_pocket_cluster_changes_no_weight(quick: Quick) -> None:
    drift = [c["reason"] for c in quick.verdicts["pocket-cluster"]["checks"] if c["check"] == "drift"]
    assert drift == ["none: the same weights as loopback, bit by bit"]


def test_many_lengths_make_an_lstm_hold_more_memory(quick: Quick) -> None:
    """Of what they cost in time one process a side says nothing: the verdict's own check has an interval."""
    arms = [_arm(quick.verdicts["lstm-lengths"], name) for name in ("fixed", "buckets", "uniform")]
    fixed, buckets, uniform = (_value(arm, "held_memory", "worker/0") for arm in arms)
    assert 1.3 * fixed < buckets < uniform
    live = [_value(arm, "live_memory", "worker/0") for arm in arms]
    assert live == sorted(live)


def test_a_run_folder_holds_everything(quick: Quick) -> None:
    folder = quick.results / "runs" / quick.run("dist-sync-healthy")
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "facts.json", "history.jsonl", "logs", "plan.json", "scenario.yaml", "status.json", "verdict.json", "worker.pyz"
    }  # fmt: skip
    facts = json.loads((folder / "facts.json").read_text())
    assert facts["target_packages"]["mxnet"] == facts["target"]["mxnet"] == "1.9.1"
    assert "DIST_KVSTORE" in facts["target"]["features"]
    assert quick.verdicts["dist-sync-healthy"]["facts"] == facts
    assert {path.name for path in (folder / "logs" / "main").iterdir()} == {
        "agent.log", "scheduler.log", "server-0.log", "worker-0.log", "worker-1.log"
    }  # fmt: skip


def test_list_show_and_judge(quick: Quick) -> None:
    results, killed = quick.results, quick.run("killed-worker-dist-sync")
    listed = {entry["run"]: entry["verdict"] for entry in harness("list", "--json", "--results", results).json["runs"]}
    assert {listed[quick.run(name)] for name in quick.verdicts} == {"pass"}
    shown = harness("show", killed, "--results", results)
    assert (shown.code, "hung: nothing moved" in shown.out, "ended by signal 9" in shown.out) == (0, True, True)
    again = harness("judge", killed, "--json", "--results", results)
    assert again.json["verdict"] == "pass"
    assert harness("show", "nonsense", "--results", results).code == 2


def test_the_same_scenario_trains_to_the_same_weights(quick: Quick) -> None:
    """That which `make bench` and README run."""
    first, second = (_arm(verdict) for verdict in _bodies(quick, "slow-worker-dist-sync")[:2])
    weights = [next(m["note"] for m in arm["measures"] if m["name"] == "different_weights") for arm in (first, second)]
    assert weights[0] == weights[1]


def test_a_replay_has_the_same_losses_until_the_same_step(quick: Quick) -> None:
    """That of the run that README lets hang."""
    runs = [body["run"] for body in _bodies(quick, "killed-worker-dist-sync")[:2]]
    losses = [_losses(quick.results / "runs" / run) for run in runs]
    assert len(losses[0]) == 2 * 200
    assert losses[0] == losses[1]


def _bodies(quick: Quick, name: str) -> list[Any]:
    """The verdicts of all runs of a scenario, the oldest first."""
    return [json.loads(path.read_text()) for path in sorted((quick.results / "runs").glob(f"*-{name}-*/verdict.json"))]


def _losses(folder: Path) -> dict[tuple[str, int], float]:
    """By worker and step of the job itself."""
    past = history.read(folder / "history.jsonl")
    told = [event for event in past if isinstance(event, Loss) and event.arm == "main"]
    return {(event.subject, event.first + place): loss for event in told for place, loss in enumerate(event.values)}


def test_a_damaged_run_is_a_clear_error(quick: Quick, tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "broken"
    folder.mkdir(parents=True)
    command = harness("show", "broken", "--results", tmp_path)
    assert command.code == 2
    assert "plan.json cannot be read: no such file" in command.err
