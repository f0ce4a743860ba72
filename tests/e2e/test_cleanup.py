"""Whatever ends the controller, nothing of a run stays alive and every folder can be read."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import harness, needs_clusters

pytestmark = pytest.mark.e2e

TEXT = """\
title: a question
workload: {model: mlp, steps: 100000, warmup: 10}
topology: {kvstore: dist_sync, workers: 2}
faults:
  - slow: {select: {role: worker, rank: 1}, at: {time: 100ms}, for: {time: 60s}, factor: 2}
"""
CLUSTER = TEXT.replace("workers: 2", "workers: 2, network: {bandwidth: 1gbit}")
ALIVE_SECONDS = 10.0  # four tests share the cores
MARKER = "HARNESS_TEST_MARKER"


def _of_this_test(marker: str, results: Path) -> list[psutil.Process]:
    """Controller and agent have the marker in their environment, roles the results folder in their arguments."""
    left = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get(MARKER) == marker or str(results) in " ".join(process.cmdline())
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                left.append(process)
        except psutil.Error:
            continue
    return left


def _all_gone(marker: str, results: Path) -> list[psutil.Process]:
    until = time.monotonic() + ALIVE_SECONDS
    while (alive := _of_this_test(marker, results)) and time.monotonic() < until:
        time.sleep(0.05)
    return alive


def _start(scenario: Path, results: Path, marker: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "harness", "run", str(scenario), "--results", str(results)]
    env = {**os.environ, MARKER: marker}
    return subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.parametrize(
    ("text", "moments"),
    [pytest.param(TEXT, 6, id="loopback"), pytest.param(CLUSTER, 6, id="cluster", marks=needs_clusters)],
)
def test_signals_at_random_moments(scenario: Any, target: Path, tmp_path: Path, text: str, moments: int) -> None:
    path, results = scenario(text), tmp_path / "results"
    draw = random.Random(20)
    for moment in range(moments):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)[moment % 3]
        marker = f"{os.getpid()}-{moment}"
        controller = _start(path, results, marker)
        time.sleep(draw.uniform(0.3, 2.5))
        controller.send_signal(number)
        if number == signal.SIGKILL:
            controller.wait()
            assert _all_gone(marker, results) == []
        else:
            assert _all_gone(marker, results) == []
            output, _ = controller.communicate(timeout=30)
            assert controller.returncode in (130, -number), output  # the latter before it was up
    _every_folder_can_be_read(results)


def _every_folder_can_be_read(results: Path) -> None:
    listed = harness("list", "--json", "--results", results)
    assert listed.code == 0
    statuses = {entry["run"]: entry["status"] for entry in listed.json["runs"]}
    assert set(statuses.values()) <= {"interrupted", "lost", "damaged"}
    assert list(statuses.values()).count("damaged") <= 2  # killed within the first files
    for run, status in statuses.items():
        if status != "damaged" and (results / "runs" / run / "history.jsonl").exists():
            shown = harness("show", run, "--results", results)
            assert (shown.code, shown.out.split()[0]) == (0, "INVALID"), shown.err


def test_a_full_disk_aborts_the_run_and_spares_the_others(scenario: Any, target: Path, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    path = scenario(TEXT.replace("steps: 100000", "steps: 100000, window: 1"))
    script = f"""
    mount -t tmpfs -o size=600k tmpfs {disk} || exit 77
    {sys.executable} -m harness run {path} --results {disk}; echo code $?
    {sys.executable} -m harness list --json --results {disk}
    """
    argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, timeout=120)
    if done.returncode == 77:
        pytest.skip("this machine mounts no tmpfs in a user namespace")
    assert "code 2" in done.stdout, done.stderr
    assert "history.jsonl cannot be written: no space left on device; free some space" in done.stderr
    assert '"status": "aborted"' in done.stdout
    assert "no space left on device" in done.stdout


STARTS = """\
import subprocess, sys
import mxnet as mx
from mxnet import autograd, gluon

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(700)", sys.argv[1]], start_new_session=True)
net = gluon.nn.Dense(1, in_units=2)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
for _ in range(20):
    with autograd.record():
        loss = net(mx.nd.ones((4, 2))).square()
    loss.backward()
    trainer.step(4)
"""


def test_what_a_script_starts_ends_with_it_also_without_namespaces(target: Path, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in map(Path, os.environ["PATH"].split(os.pathsep)):
        for tool in folder.iterdir() if folder.is_dir() else ():
            if tool.name != "unshare" and not (tools / tool.name).is_symlink():
                (tools / tool.name).symlink_to(tool)
    (tmp_path / "train.py").write_text(STARTS)
    marker = f"marked-{os.getpid()}"
    argv = [sys.executable, "-m", "harness", "try", "train.py", "--results", "results", "--", marker]
    env = {**os.environ, "PATH": str(tools)}
    done = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert [each.pid for each in psutil.process_iter(["cmdline"]) if marker in (each.info["cmdline"] or ())] == []
