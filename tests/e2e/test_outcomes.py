"""Outcomes other than completed and hung, on real MXNet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.execution import machine
from tests.e2e.conftest import Command, harness, last_arm

pytestmark = pytest.mark.e2e

SINGLE = """\
title: a question
workload: {model: mlp, steps: 60, warmup: 10}
"""
DIST = SINGLE + "topology: {kvstore: dist_sync, workers: 2}\nstall_timeout: 3s\n"


def test_diverged(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.optimizer={learning_rate: 1.0e+30}", "--set", "expect={outcome: diverged}")
    assert command.code == 0
    assert last_arm(command)["outcome"] == "diverged"
    assert "the loss of worker/0 is not finite at step" in last_arm(command)["reason"]


def test_an_unexpected_outcome_fails(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.optimizer={learning_rate: 1.0e+30}")
    assert command.code == 1
    assert command.json["verdicts"][0]["checks"][0]["reason"].startswith("diverged, expected completed:")


def test_the_only_worker_killed_by_the_clock_has_crashed(run: Callable[..., Command]) -> None:
    kill = "faults: [{kill: {select: {role: worker}, at: {time: 200ms}}}]\nexpect: {outcome: crashed}\n"
    command = run(SINGLE.replace("60", "100000") + kill)
    assert command.code == 0, command.out
    assert last_arm(command)["receipts"][0]["proven"]


@pytest.mark.parametrize("role", ["server", "scheduler"])
def test_a_killed_server_or_scheduler_hangs_the_job(run: Callable[..., Command], role: str) -> None:
    kill = f"faults: [{{kill: {{select: {{role: {role}}}, at: {{step: 30}}}}}}]\nexpect: {{outcome: hung}}\n"
    command = run(DIST + kill)
    assert command.code == 0, command.out
    assert last_arm(command)["receipts"][0]["subject"].startswith(role)


def test_a_slow_server_has_a_receipt(run: Callable[..., Command]) -> None:
    slow = "faults: [{slow: {select: {role: server}, at: {step: 100}, for: {steps: 400}, factor: 2}}]\n"
    command = run(DIST.replace("steps: 60", "steps: 600") + slow)
    assert command.code == 0, command.out
    assert last_arm(command)["receipts"][0]["proven"]


def test_an_interpreter_without_mxnet_is_refused_with_what_it_said(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--python", sys.executable)
    main = last_arm(command)
    assert command.code == 1
    assert main["outcome"] == "refused"
    assert main["reason"] == "worker/0 ended with exit status 1 before all were ready"
    assert "ModuleNotFoundError: No module named 'mxnet'" in main["log"]


def test_who_does_not_come_up_is_named(run: Callable[..., Command], tmp_path: Path) -> None:
    sleeper = tmp_path / "python"
    sleeper.write_text("#!/bin/sh\necho still importing\nexec sleep 60\n")
    sleeper.chmod(0o755)
    command = run(SINGLE + "startup_timeout: 1s\nexpect: {outcome: refused}\n", "--python", sleeper)
    assert command.code == 0
    assert last_arm(command)["reason"] == "after 1 s worker/0 had not come up"
    assert last_arm(command)["log"] == "still importing"


def test_an_interpreter_that_is_not_there(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--python", "/no/such/python")
    assert command.code == 2
    assert "there is no interpreter at /no/such/python" in command.err


@pytest.mark.skipif(not machine.bfloat16().there, reason="this processor has no AVX-512")
def test_an_amp_dtype_trains(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "workload.amp=bfloat16")
    assert command.code == 0, command.out


def test_settings_of_the_shell_are_not_passed_on_and_that_is_said(scenario: Any, target: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    command = harness("run", scenario(SINGLE), "--results", results, MXNET_ENGINE_TYPE="Nonsense")
    assert command.code == 0
    assert "not passed on to the run: MXNET_ENGINE_TYPE" in command.err


def test_settings_of_the_scenario_reach_mxnet(run: Callable[..., Command]) -> None:
    command = run(SINGLE, "--set", "target.env={MXNET_ENGINE_TYPE: Nonsense}")
    assert last_arm(command)["outcome"] == "refused"
    assert "Nonsense" in last_arm(command)["log"]
