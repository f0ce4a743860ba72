"""Outcomes other than completed and hung, on real MXNet."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.storage import history
from harness.vocabulary import events
from harness.vocabulary.events import Signalled, Window
from tests.e2e.conftest import Command, harness, judged_arm, needs_bfloat16

pytestmark = pytest.mark.e2e

SINGLE = """\
title: a question
workload: {model: mlp, steps: 60, warmup: 10}
"""
DIST = SINGLE + "topology: {kvstore: dist_sync, workers: 2}\nstall_timeout: 3s\n"

WRONG = """\
title: What does a wrong port lead to?
workload: {model: mlp, steps: 50}
topology: {kvstore: dist_sync, workers: 2}
startup_timeout: 10s
faults:
  - wrong_start: {select: {role: worker, rank: 1}, port: 9}
expect: {outcome: refused}
"""


def test_diverged(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.optimizer={learning_rate: 1.0e+30}", "--set", "expect={outcome: diverged}")
    assert command.code == 0
    assert judged_arm(command)["outcome"] == "diverged"
    assert "the loss of worker/0 is not finite at step" in judged_arm(command)["reason"]


def test_an_unexpected_outcome_fails(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.optimizer={learning_rate: 1.0e+30}")
    assert command.code == 1
    assert command.json["verdicts"][0]["checks"][0]["reason"].startswith("diverged, expected completed:")


def test_the_only_worker_killed_by_the_clock_has_crashed(run: Callable[..., Command]) -> None:
    kill = "faults: [{kill: {select: {role: worker}, at: {time: 200ms}}}]\nexpect: {outcome: crashed}\n"
    command = run(SINGLE.replace("60", "100000") + kill)
    assert command.code == 0, command.out
    assert judged_arm(command)["receipts"][0]["proven"]


@pytest.mark.parametrize("role", ["server", "scheduler"])
def test_a_killed_server_or_scheduler_hangs_the_job(run: Callable[..., Command], role: str) -> None:
    kill = f"faults: [{{kill: {{select: {{role: {role}}}, at: {{step: 30}}}}}}]\nexpect: {{outcome: hung}}\n"
    command = run(DIST + kill)
    assert command.code == 0, command.out
    assert judged_arm(command)["receipts"][0]["subject"].startswith(role)


def test_a_slow_server_has_a_receipt(run: Callable[..., Command]) -> None:
    slow = "faults: [{slow: {select: {role: server}, at: {step: 100}, for: {steps: 400}, factor: 2}}]\n"
    command = run(DIST.replace("steps: 60", "steps: 600") + slow)
    assert command.code == 0, command.out
    assert judged_arm(command)["receipts"][0]["proven"]


@pytest.mark.parametrize("fault", ["", WRONG])
def test_an_interpreter_without_mxnet_says_nothing_of_mxnet(run: Callable[..., Command], fault: str) -> None:
    command = run(fault or SINGLE, "--python", sys.executable)
    main = judged_arm(command)
    assert command.code == 3
    assert command.json["verdicts"][0]["verdict"] == "invalid"
    assert main["outcome"] == "aborted"
    assert "No module named 'mxnet'" in main["log"]


def test_who_does_not_come_up_is_named(run: Callable[..., Command], tmp_path: Path) -> None:
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\necho still importing\nexec sleep 60\n")
    sleeper.chmod(0o755)
    command = run(SINGLE + "startup_timeout: 10s\nexpect: {outcome: refused}\n", "--python", sleeper)
    assert command.code == 3
    assert judged_arm(command)["outcome"] == "aborted"
    assert judged_arm(command)["reason"] == "after 10 s worker/0 had not come up; mxnet was never there in any worker"
    assert judged_arm(command)["log"] == "still importing"


def test_an_interpreter_that_is_not_there(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--python", "/no/such/python")
    assert command.code == 2
    assert "there is no interpreter at /no/such/python" in command.err


@needs_bfloat16
def test_an_amp_dtype_trains(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.amp=bfloat16")
    assert command.code == 0, command.out


def test_settings_of_the_shell_are_not_passed_on_and_that_is_said(scenario: Any, target: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shell = {"MXNET_ENGINE_TYPE": "Nonsense", "OPENBLAS_NUM_THREADS": "2", "OPENBLAS_CORETYPE": "Nehalem"}
    command = harness("run", scenario(SINGLE), "--json", "--results", results, **shell)
    assert command.code == 0
    assert "not passed on to the run: MXNET_ENGINE_TYPE, OPENBLAS_NUM_THREADS; set" in command.err
    facts = command.json["verdicts"][0]["facts"]  # what the machine is told to be is passed on
    assert facts["target"]["libraries"]["openblas"] == "0.3.13 for Nehalem"
    assert facts["processor_told"].startswith("OPENBLAS_CORETYPE=Nehalem")


def test_settings_of_the_scenario_reach_mxnet(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "target.env={MXNET_ENGINE_TYPE: Nonsense}")
    assert judged_arm(command)["outcome"] == "refused"
    assert "Nonsense" in judged_arm(command)["log"]


WRAPPED = """\
title: a question
workload: {model: mlp, steps: 100}
faults:
  - memory_limit: {select: {role: worker}, at: {step: 50}, for: {steps: 20}, limit: 8GB}
  - pause: {select: {role: worker}, at: {step: 80}, for: {time: 500ms}, tolerance: 100%}
"""


@pytest.mark.parametrize("way", ['{} "$@"\nexit $?', 'exec setsid --fork --wait {} "$@"'])
def test_faults_act_on_the_program_and_not_on_a_wrapper_around_it(
    run: Callable[..., Command], target: Path, tmp_path: Path, way: str
) -> None:
    wrapper = tmp_path / "python"
    wrapper.write_text(f"#!/bin/sh\n{way.format(target)}\n")
    wrapper.chmod(0o755)
    command = run(WRAPPED, "--python", wrapper)
    assert command.code == 0, command.out
    limit, pause = judged_arm(command)["receipts"]
    held = re.search(r"it held ([\d.]+) (\w+) then", limit["evidence"])
    assert held is not None and held[2] in ("MB", "GB"), limit["evidence"]
    assert (limit["restored"], pause["restored"]) == (True, True)
    past = list(history.read(next((tmp_path / "results" / "runs").iterdir()) / "history.jsonl"))
    stop, cont = (event.t for event in past if isinstance(event, Signalled) and event.fault == 1)
    assert [event for event in past if isinstance(event, Window) and stop + 0.1 < event.t < cont] == []


STUB = 'case "$*" in *worker/1*) sleep 2; exit 7;; esac\n'


def test_a_process_that_never_was_mxnet_is_not_its_matter(
    run: Callable[..., Command], target: Path, tmp_path: Path
) -> None:
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\n{STUB}exec {target} "$@"\n')
    wrapper.chmod(0o755)
    job = "title: q\nworkload: {model: mlp, steps: 50}\ntopology: {kvstore: dist_sync, workers: 2}\n"
    command = run(job + "expect: {outcome: refused}\n", "--python", wrapper)
    assert (command.code, judged_arm(command)["outcome"]) == (3, "aborted")
    assert "exit status 7 before all were ready; mxnet was never there in" in judged_arm(command)["reason"]


MISSING = """\
title: a question
workload: {model: mlp, steps: 50}
topology: TOPOLOGY
startup_timeout: 20s
faults: [{late_start: {select: {role: worker, rank: 1}}}]
expect: {outcome: refused}
"""


@pytest.mark.parametrize("topology", ["{kvstore: dist_sync, workers: 2}", "{horovod: {ranks: 2}}"])
def test_roles_listen_on_their_own_address_only(run: Callable[..., Command], topology: str) -> None:
    command = run(MISSING.replace("TOPOLOGY", topology))
    assert command.code == 0, command.out
    stacks = command.json["verdicts"][0]["stacks"]
    listening = [socket for stack in stacks for socket in stack["sockets"] if socket.endswith("LISTEN")]
    assert len(listening) >= 1
    assert [socket for socket in listening if not socket.startswith("127.0.0.1:")] == []


DEFECT = """\
title: a question
workload: {model: mlp, steps: 50}
faults: [{scale: {select: {role: worker}, at: {step: 20}, factor: 2.0, parameter: nothing}}]
"""


def test_what_the_harness_cannot_do_is_not_a_crash_of_mxnet(run: Callable[..., Command]) -> None:
    command = run(DEFECT)
    assert command.code == 3
    assert judged_arm(command)["outcome"] == "aborted"
    assert "CannotCommitError: no parameter has 'nothing' in its name; there are" in judged_arm(command)["reason"]


TWICE = """\
title: a question
workload: {model: mlp, steps: 120, warmup: 10, checkpoint: {every: 20}}
topology: {kvstore: dist_sync, workers: 2}
stall_timeout: 10s
faults:
  - scale: {select: {role: worker, rank: 1}, at: {step: 30}, for: {steps: 30}, factor: 2.0}
  - restart: {select: {mode: all}, at: {step: 35}, after: 300ms, scope: job}
"""


def test_after_a_restart_a_fault_acts_in_its_own_steps_and_every_role_is_started_once(
    run: Callable[..., Command], tmp_path: Path
) -> None:
    command = run(TWICE)
    assert command.code == 0, command.out
    (folder,) = (tmp_path / "results" / "runs").iterdir()
    past = [events.decode(line) for line in (folder / "history.jsonl").read_bytes().splitlines()]
    committed = {event.step for event in past if isinstance(event, events.Committed)}
    assert committed == set(range(30, 60))
    spawned = [event.subject for event in past if isinstance(event, events.Spawned) and event.arm == "main"]
    assert sorted(spawned) == sorted(2 * ["scheduler", "server/0", "worker/0", "worker/1"])


NCCL = """\
import mxnet as mx
print('''NCCL version 2.21.5+cuda11.0
host:25758:25758 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to =nosuch0

host:25758:25758 [0] bootstrap.cc:48 NCCL WARN Bootstrap : no socket interface found
host:25758:25758 [0] NCCL INFO init.cc:84 -> 3''', flush=True)
raise mx.MXNetError("NCCL error")
"""
"""What NCCL 2.21.5 printed where it finds no network; the real one is asked by ``make test-gpu-target``."""


def test_what_nccl_warned_of_is_in_the_reason_and_its_version_among_the_facts(
    run: Callable[..., Command], tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(NCCL)
    text = f"title: t\nworkload: {{script: {tmp_path / 'train.py'}}}\nexpect: {{outcome: refused}}\n"
    spoken = run(text, "--set", "target.env.NCCL_DEBUG=INFO")
    assert spoken.code == 0, spoken.out
    assert judged_arm(spoken)["reason"].endswith(
        "; NCCL in worker/0 warned: bootstrap.cc:48: Bootstrap : no socket interface found"
    )
    (verdict,) = spoken.json["verdicts"]
    assert verdict["facts"]["nccl"]["main"]["worker/0"]["version"] == "2.21.5"
    silent = run(text)
    assert "NCCL in worker/0" not in judged_arm(silent)["reason"]
