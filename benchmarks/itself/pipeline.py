"""Events through agent and history, and histories through the judge."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import events, history
from harness.agent.client import AgentProcess
from harness.instructions import Spawn

FLOOD = """
import os, time
events, credit = int(os.environ["HARNESS_EVENTS_FD"]), os.fdopen(int(os.environ["HARNESS_CREDIT_FD"]))
line = b'{"t":%.6f,"arm":"main","role":"flood","kind":"window","first":100,"steps":10,"seconds":0.0123456}\\n'
rate = float(os.environ["RATE"])
began, sent = time.monotonic(), 0
while True:
    due = int((time.monotonic() - began) * rate) if rate else sent + 100
    for _ in range(due - sent):
        os.write(events, line % time.monotonic())
    sent = max(sent, due)
    if rate:
        time.sleep(0.002)
"""
SPIN = """
import os, time
import numpy as np
events = int(os.environ["HARNESS_EVENTS_FD"])
matrix = np.random.rand(96, 96)
while True:
    began = time.monotonic()
    for _ in range(2000):
        matrix @ matrix
    seconds = time.monotonic() - began
    line = '{"t":%.6f,"arm":"main","role":"spin","kind":"window","first":0,"steps":1,"seconds":%.7f}\\n'
    os.write(events, (line % (time.monotonic(), seconds)).encode())
"""
RATE = 20_000


def _spawn(role, script, folder, **env):
    inherited = {"PATH": os.environ["PATH"], "OPENBLAS_NUM_THREADS": "1"}
    return Spawn(role, (sys.executable, "-c", script), {**inherited, **env}, folder, str(Path(folder) / f"{role}.log"))


def _take(agent, past, seconds):
    """Read, store and decode for a while, as a run does; returns the events."""
    taken, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        lines = agent.read(0.05)
        if lines:
            past.append(lines)
            taken += [event for event in map(events.decode, lines.splitlines()) if isinstance(event, events.Window)]
    return taken


class Events:
    """Through agent and history, decoded on the way."""

    timeout = 300

    def track_seconds_per_event(self):
        """At most 0.00005 (20,000 a second)."""
        with tempfile.TemporaryDirectory() as folder, AgentProcess("main", Path(folder) / "agent.log") as agent:
            past = history.HistoryWriter(Path(folder) / "history.jsonl")
            agent.send(_spawn("flood", FLOOD, folder, RATE="0"))
            _take(agent, past, 1.0)
            samples = [1 / max(1, len(_take(agent, past, 1.0))) for _ in range(10)]
        return {"samples": samples, "number": 1}

    track_seconds_per_event.unit = "seconds"

    def track_slowdown_of_a_worker(self):
        """A computing process with 20,000 events a second beside it over the same without: at most 1.01."""
        ratios = [self._window(RATE) / self._window(1) for _ in range(8)]
        return {"samples": ratios, "number": 1}

    track_slowdown_of_a_worker.unit = "ratio"

    def _window(self, rate):
        with tempfile.TemporaryDirectory() as folder, AgentProcess("main", Path(folder) / "agent.log") as agent:
            past = history.HistoryWriter(Path(folder) / "history.jsonl")
            agent.send(_spawn("flood", FLOOD, folder, RATE=str(rate)))
            agent.send(_spawn("spin", SPIN, folder))
            _take(agent, past, 0.7)
            windows = sorted(event.seconds for event in _take(agent, past, 3.0) if event.role == "spin")
        return windows[len(windows) // 2]


SCENARIO = "title: judging\nworkload: {model: mlp, steps: 10000000, warmup: 10}\nexpect: {outcome: completed}\n"
WRITE = """
import sys
from pathlib import Path
from harness import events
from harness.events import *
path, n = Path(sys.argv[1]), int(sys.argv[2])
with open(path, "wb") as file:
    for i in range(n // 4):
        t, at = i * 0.01, ("main", "worker/0")
        file.write(events.encode(Window(t, *at, i * 10, 10, 0.0123 + i % 7 * 1e-4)))
        file.write(events.encode(Loss(t, *at, i * 10, [2.0 / (1 + i % 13)] * 10)))
        held = 90000000 + i % 11
        file.write(events.encode(Memory(t, *at, i * 10, 150000000, 160000000, held, 1000000, 900000, None)))
        file.write(events.encode(Progress(t, *at, i * 10)))
    file.write(events.encode(Ended(1.0, "main", "", "completed", "all is well")))
"""
JUDGE = r"""
import re, sys, time
from pathlib import Path
from harness import history, judge
from harness.plan import make
from harness.scenario.load import load
loaded = load(Path(sys.argv[2]))
plan = make(loaded, loaded.scenario.target, "0" * 64)
began = time.monotonic()
verdict = judge.judge(plan, history.read(Path(sys.argv[1])), "run", {})
assert verdict.verdict == "pass", verdict
seconds = time.monotonic() - began
print(seconds, re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
"""


class Judging:
    """A long history, judged by a process of its own."""

    timeout = 600

    def track_seconds_for_a_million_events(self):
        """At most 5."""
        return {"samples": [self._judge(1_000_000)[0] for _ in range(3)], "number": 1}

    track_seconds_for_a_million_events.unit = "seconds"

    def track_memory_of_a_million_over_that_of_a_tenth(self):
        """1 means flat."""
        return self._judge(1_000_000)[1] / self._judge(100_000)[1]

    track_memory_of_a_million_over_that_of_a_tenth.unit = "ratio"

    def _judge(self, n):
        with tempfile.TemporaryDirectory() as folder:
            past, scenario = Path(folder) / "history.jsonl", Path(folder) / "scenario.yaml"
            scenario.write_text(SCENARIO)
            subprocess.run([sys.executable, "-c", WRITE, str(past), str(n)], check=True)
            argv = [sys.executable, "-c", JUDGE, str(past), str(scenario)]
            seconds, peak = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()
        return float(seconds), float(peak)
