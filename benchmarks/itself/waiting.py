"""What a side of a duet costs the other while it waits: nothing, or its turns would be in the other's time."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from harness.storage import history
from harness.vocabulary.events import Window

DUET = """\
title: one side waits
turns: {turn}
workload: {{model: lenet, batch_size: 32, steps: {steps}, warmup: {turn}, window: {turn}}}
{topology}
variants: {{a: {{}}, b: {{}}}}
"""
TOPOLOGIES = {
    "single": "",
    "two threads": "target: {env: {OMP_NUM_THREADS: 2}}",
    "dist_sync": "topology: {kvstore: dist_sync, workers: 2, servers: 1}",
    "horovod": "topology: {horovod: {ranks: 2}}",
}
BEGINS, ENDS = 0.15, 0.05
"""Seconds of a turn that are left out: processor time is known as of the last look."""


class Waiting:
    """Cores that the processes of the waiting side take in long turns of the other: some 0.7 s on a fast machine."""

    timeout, unit, limit = 600, "cores", 0.02
    params, param_names = list(TOPOLOGIES), ["topology"]
    turn, turns = 150, 4
    tiny = {"turns": 2, "params": ["single"]}

    def track_cores(self, topology):
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder) / "duet.yaml"
            text = DUET.format(turn=self.turn, steps=self.turn * self.turns, topology=TOPOLOGIES[topology])
            scenario.write_text(text)
            argv = [sys.executable, "-m", "harness", "run", str(scenario), "--results", folder]
            with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as controller:
                looks = _looks(controller)
            (path,) = Path(folder).glob("runs/*/history.jsonl")
            windows = [event for event in history.read(path) if isinstance(event, Window)]
        samples = [share for window in windows if (share := _of_the_other(window, looks)) is not None]
        return {"samples": samples, "number": 1}


def _looks(controller):
    """Processor seconds of every process of every arm, as ``{arm: {pid: [(time, seconds)]}}``."""
    looks, known = {}, {}
    while controller.poll() is None:
        for process in psutil.Process(controller.pid).children(recursive=True):
            if process.pid not in known and (arm := _arm(process)):
                known[process.pid] = (process, arm)
        now = time.monotonic()
        for process, arm in list(known.values()):
            try:
                seconds = sum(process.cpu_times()[:2])
            except psutil.Error:
                del known[process.pid]
                continue
            looks.setdefault(arm, {}).setdefault(process.pid, []).append((now, seconds))
        time.sleep(0.02)
    return looks


def _arm(process):
    """The arm that a process is of, by its command line; None for what is no role."""
    try:
        line = process.cmdline()
    except psutil.Error:
        return None
    return line[-2] if any(word.endswith("worker.pyz") for word in line) else None


def _of_the_other(window, looks):
    """Cores that the other side's processes took within a window; None for one that is too short to tell."""
    begin, end = window.t - window.seconds + BEGINS, window.t - ENDS
    taken = 0.0
    for seen in looks.get("b" if window.arm == "a" else "a", {}).values():
        within = [seconds for at, seconds in seen if begin <= at <= end]
        taken += within[-1] - within[0] if len(within) > 1 else 0.0
    return taken / (end - begin) if end - begin > 0.1 else None
