"""Faults on real MXNet: exact, proven, undone; what they lead to is told; nothing outlives the harness."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness import faults
from harness.execution.backends.local import isolation
from harness.vocabulary import events
from harness.vocabulary.events import Checkpointed, Injected, Resumed
from tests.conftest import ROOT
from tests.e2e.conftest import Command, Quick, Stranger, harness, judged_arm, needs_clusters
from tests.e2e.test_cleanup import MARKER, _all_gone

pytestmark = pytest.mark.e2e

JOB = """\
title: a question
workload: {model: mlp, steps: 200, warmup: 10, checkpoint: {every: 50}}
topology: {kvstore: dist_sync, workers: 2}
stall_timeout: 4s
"""


def _history(results: Path) -> Iterator[events.Event]:
    (folder,) = (results / "runs").iterdir()
    return map(events.decode, (folder / "history.jsonl").read_bytes().splitlines())


def test_every_step_fault_begins_at_its_step_and_leaves_a_receipt(run: Callable[..., Command], tmp_path: Path) -> None:
    drawn = "faults: [{stale: {select: {role: worker, mode: one}, random: {rate: 60%}}}]\nseed: 3\n"
    command = run(JOB + drawn)
    receipts = judged_arm(command)["receipts"]
    assert len(receipts) > 100 and all(receipt["proven"] for receipt in receipts)
    (folder,) = (tmp_path / "results" / "runs").iterdir()
    schedule = json.loads((folder / "plan.json").read_text())["arms"][0]["schedule"]
    planned = {entry["fault"]: entry["entry"]["stale"]["at"]["step"] for entry in schedule}
    begun = {event.fault: event.step for event in _history(tmp_path / "results") if isinstance(event, Injected)}
    assert begun == planned


def test_faults_by_the_clock_never_begin_early(run: Callable[..., Command], tmp_path: Path) -> None:
    """How late they are, benchmarks/itself says."""
    every = "faults: [{pause: {select: {role: server}, every: {time: 250ms, times: 4}, for: {time: 50ms}}}]\n"
    run(JOB.replace("steps: 200", "steps: 1000") + every)
    past = list(_history(tmp_path / "results"))
    started = next(event.t for event in past if isinstance(event, events.Started))
    late = [event.t - started - 0.25 * (event.fault + 1) for event in past if isinstance(event, Injected)]
    assert len(late) == 4 and min(late) >= 0.0


def test_a_job_resumes_from_the_checkpoint_before_the_damaged_one(run: Callable[..., Command], tmp_path: Path) -> None:
    text = """\
faults:
  - checkpoint_corrupt: {select: {role: worker, rank: 0}, at: {step: 120}, how: truncate}
  - restart: {select: {role: worker, rank: 1}, at: {step: 130}, after: 200ms, scope: job}
expect: {agreement: true}
"""
    command = run(JOB + text)
    assert command.code == 0, command.out
    resumed = [event for event in _history(tmp_path / "results") if isinstance(event, Resumed)]
    assert [event.step for event in resumed] == [50, 50]
    assert resumed[0].rejected == ["0000000100.checkpoint: its SHA-256 is not the one that it was written with"]


@pytest.mark.skipif(not isolation(), reason="no user namespaces here")
def test_a_full_disk_costs_a_checkpoint_and_not_the_run(run: Callable[..., Command], tmp_path: Path) -> None:
    full = "faults: [{disk_full: {select: {role: worker, rank: 0}, at: {step: 90}, for: {steps: 50}}}]\n"
    command = run(JOB + full)
    assert command.code == 0, command.out
    failures = {
        event.step: event.failure
        for event in _history(tmp_path / "results")
        if isinstance(event, Checkpointed) and event.arm == "main"
    }
    assert failures == {50: "", 100: "No space left on device", 150: "", 200: ""}


def test_a_gradient_that_is_no_number_is_named_by_step_worker_and_parameter(run: Callable[..., Command]) -> None:
    nan = "faults: [{nan: {select: {role: worker, rank: 1}, at: {step: 65}, parameter: dense1}}]\n"
    command = run(JOB.replace("mlp,", "mlp, gradients: norms,") + nan + "expect: {outcome: diverged}\n")
    assert command.code == 0, command.out
    assert judged_arm(command)["reason"].startswith(
        "the gradient of dense1_weight of worker/1 is not finite at step 65"
    )


def test_a_crash_is_known_with_what_was_said_last(run: Callable[..., Command], tmp_path: Path) -> None:
    single = "title: q\nworkload: {model: mlp, steps: 5000}\nexpect: {outcome: crashed}\n"
    command = run(single + "faults: [{exit: {select: {role: worker}, at: {step: 100}}}]\n")
    assert command.code == 0, command.out
    ended = next(event for event in _history(tmp_path / "results") if isinstance(event, events.Ended))
    assert (ended.subject, ended.outcome) == ("worker/0", "crashed")
    assert "AskedError: the harness was asked to let the training script fail before step 100" in ended.log


def test_a_dropped_update_is_named_by_key_worker_and_step(run: Callable[..., Command]) -> None:
    drop = "faults: [{drop: {select: {role: worker, rank: 1}, at: {step: 100}}}]\nexpect: {updates: exact}\n"
    job = "title: q\nworkload: {training: oracle, steps: 150}\ntopology: {kvstore: dist_async, workers: 2}\n"
    command = run(job + drop)
    (check,) = [entry for entry in command.json["verdicts"][0]["checks"] if entry["check"] == "updates"]
    assert check["verdict"] == "fail"
    assert "worker/1 after step 102 in oracle_large: 101 updates of worker/1, not 102" in check["reason"]


def test_start_up_faults_say_where_everybody_waits(run: Callable[..., Command]) -> None:
    wrong = "faults: [{wrong_start: {select: {role: scheduler}, workers: 3}}]\nexpect: {outcome: refused}\n"
    command = run(JOB + wrong, "--set", "startup_timeout=20s")
    assert command.code == 0, command.out
    assert judged_arm(command)["receipts"][0]["evidence"] == "it was started with DMLC_NUM_WORKER=3"
    waits = {wait["role"]: wait for wait in command.json["verdicts"][0]["blocked"]}
    assert waits["scheduler"]["doing"] == "waits for all workers and servers to come"
    assert waits["worker/1"]["doing"] == "waits for the scheduler to let it in"
    assert waits["worker/1"]["peers"] == ["scheduler"]


def test_a_schedule_is_shrunk_to_what_does_it_and_shown(scenario: Any, target: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    text = """\
title: a question
workload: {model: mlp, steps: 200, warmup: 20}
faults:
  - pause: {select: {role: worker, rank: 0}, at: {step: 30}, for: {time: 100ms}}
  - kill: {select: {role: worker}, at: {step: 60}}
"""
    assert harness("run", scenario(text), "--results", results).code == 1
    shown = harness("show", "last", "--timeline", "--png", tmp_path / "t.png", "--results", results)
    assert "main: crashed" in shown.out and "1 kill of worker/0" in shown.out
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")
    shrunk = harness("shrink", "last", "--output", tmp_path / "small.yaml", "--results", results)
    assert shrunk.code == 0, shrunk.err
    small = yaml.safe_load((tmp_path / "small.yaml").read_text())
    assert small["faults"] == [{"kill": {"select": {"role": "worker", "rank": 0}, "at": {"step": 60}}}]
    assert small["expect"] == {"outcome": "crashed"}


@pytest.mark.alone
def test_there_is_nothing_to_shrink_in_what_completed(quick: Quick) -> None:
    command = harness("shrink", quick.run("dist-sync-healthy"), "--results", quick.results)
    assert (command.code, "there is nothing to shrink" in command.err) == (2, True)


@needs_clusters
@pytest.mark.alone
def test_a_table_of_what_was_asked(stranger: Stranger, tmp_path: Path) -> None:
    """That of README's command, told again from what its study keeps."""
    page = tmp_path / "page.md"
    command = harness("table", "--resume", "last", "--markdown", page, "--results", stranger.results, "--json")
    assert command.code == 0, command.err
    cells = {cell["fault"]: cell["outcome"] for cell in command.json["cells"]}
    killed = {f"kill {role}": "hung" for role in ("worker", "server", "scheduler")}
    assert cells == {"nothing": "completed"} | killed
    assert page.read_text().startswith("| fault | dist_sync |\n")


LONG = """\
title: a question
quick_start: true
workload: {{model: lstm, steps: 100000, warmup: 10, checkpoint: {{every: 30}}}}
topology: {{kvstore: dist_sync, workers: 2, network: {{}}}}
faults:
{faults}
"""
AT_30 = "select: {role: worker, rank: 0}, at: {step: 30}"
AT_START = "select: {role: server}"
TOGETHER: list[dict[str, str]] = [
    {
        "bandwidth": f"{AT_30}, limit: 10mbit",
        "duplicate": f"{AT_30}, share: 10%",
        "flap": f"{AT_30}, down: 50ms, up: 50ms",
        "latency": f"{AT_30}, by: 5ms",
        "loss": f"{AT_30}, share: 5%",
        "partition": f"{AT_30}, for: {{time: 60s}}",
        "reorder": f"{AT_30}, share: 5%, by: 5ms",
        "reset": AT_30,
    },
    {
        "bit_flip": f"{AT_30}, bit: 30",
        "corrupt_batch": AT_30,
        "drop": AT_30,
        "inf": AT_30,
        "nan": AT_30,
        "scale": f"{AT_30}, for: {{steps: 90000}}, factor: 0.9",
        "shape_shift": f"{AT_30}, for: {{steps: 90000}}, shapes: {{distribution: fixed, value: 8}}",
        "slow_input": f"{AT_30}, for: {{steps: 90000}}, by: 20ms",
        "stale": AT_30,
        "uneven_shard": f"{AT_30}, batch: 2",
    },
    {
        "checkpoint_corrupt": AT_30,
        "cpu_hog": AT_30,
        "disk_full": AT_30,
        "memory_limit": f"{AT_30}, limit: 4GB",
        "pause": f"{AT_30}, for: {{time: 60s}}",
        "slow": f"{AT_30}, factor: 3",
    },
    {"checkpoint_kill": AT_30},
    {"exit": AT_30},
    {"kill": AT_30},
    {"restart": f"{AT_30}, after: 60s"},
    {"late_start": AT_START},
    {"wrong_start": f"{AT_START}, workers: 3"},
]


@needs_clusters
def test_nothing_outlives_a_killed_controller_whatever_faults_are_in_force(target: Path, tmp_path: Path) -> None:
    """SIGKILL while all faults of a group are in force, every fault in one of them; 2 s later nothing is left.

    All that need no GPU; what holds a GPU's memory is a child of the agent's, as what hogs processors is.
    """
    possible = sorted(name for name, fault in faults.all_faults().items() if "gpus" not in fault.needs)
    assert sorted(name for group in TOGETHER for name in group) == possible
    with ThreadPoolExecutor(2) as pool:
        left = list(pool.map(lambda group: _left_after_kill(group, tmp_path), TOGETHER))
    assert left == [[]] * len(TOGETHER)


def _left_after_kill(group: dict[str, str], folder: Path) -> list[Any]:
    name = "-".join(group)[:60]
    path, results, marker = folder / f"{name}.yaml", folder / f"{name}-results", f"{os.getpid()}-{name}"
    entries = [f"  - {fault}: {{{parameters}}}" for fault, parameters in group.items()]
    path.write_text(LONG.format(faults="\n".join(entries)))
    argv = [sys.executable, "-m", "harness", "run", str(path), "--results", str(results)]
    env = {**os.environ, MARKER: marker}
    controller = subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        _await_injections(len(group), results, controller)
        time.sleep(0.2)
    finally:
        controller.send_signal(signal.SIGKILL)
        controller.communicate()
    return _all_gone(marker, results)


def _await_injections(count: int, results: Path, controller: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for history in results.glob("runs/*/history.jsonl"):
            if history.read_bytes().count(b'"kind":"injected"') == count:
                return
        assert controller.poll() is None, controller.communicate()[1].decode()
        time.sleep(0.05)
    raise AssertionError(f"not all of {count} faults began in {results}")
