"""Events through agent and history, and histories through the judge."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.execution.backends.local import LocalBackend
from harness.storage import history
from harness.vocabulary import events
from harness.vocabulary.instructions import Spawn

FLOOD = """
import os, time
events, credit = int(os.environ["HARNESS_EVENTS_FD"]), os.fdopen(int(os.environ["HARNESS_COMMANDS_FD"]))
line = b'{"t":%.6f,"arm":"main","subject":"flood","kind":"window","first":100,"steps":10,"seconds":0.0123456}\\n'
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
    line = '{"t":%.6f,"arm":"main","subject":"spin","kind":"window","first":0,"steps":1,"seconds":%.7f}\\n'
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


def _await_window(agent, past, subject):
    """Read until a process reports its first window; 30 s at most."""
    for _ in range(300):
        if any(event.subject == subject for event in _take(agent, past, 0.1)):
            return
    raise RuntimeError(f"{subject} reported no window within 30 s")


class Events:
    """Through agent and history, decoded on the way."""

    timeout = 300
    seconds, samples, pairs = 1.0, 10, 8
    tiny = {"seconds": 0.3, "samples": 1, "pairs": 1}

    def track_seconds_per_event(self):
        """20,000 a second at least."""
        with tempfile.TemporaryDirectory() as folder, LocalBackend(Path(folder)).open("main", networked=False) as agent:
            past = history.HistoryWriter(Path(folder) / "history.jsonl")
            agent.send(_spawn("flood", FLOOD, folder, RATE="0"))
            _take(agent, past, self.seconds)
            samples = [self.seconds / max(1, len(_take(agent, past, self.seconds))) for _ in range(self.samples)]
        return {"samples": samples, "number": 1}

    track_seconds_per_event.unit, track_seconds_per_event.limit = "seconds", 0.00005

    def track_slowdown_of_a_worker(self):
        """A computing process with 20,000 events a second beside it over the same without."""
        ratios = [self._window(RATE) / self._window(1) for _ in range(self.pairs)]
        return {"samples": ratios, "number": 1}

    track_slowdown_of_a_worker.unit, track_slowdown_of_a_worker.limit = "ratio", 1.01

    def _window(self, rate):
        with tempfile.TemporaryDirectory() as folder, LocalBackend(Path(folder)).open("main", networked=False) as agent:
            past = history.HistoryWriter(Path(folder) / "history.jsonl")
            agent.send(_spawn("flood", FLOOD, folder, RATE=str(rate)))
            agent.send(_spawn("spin", SPIN, folder))
            _await_window(agent, past, "spin")
            windows = sorted(
                event.seconds for event in _take(agent, past, 3.0 * self.seconds) if event.subject == "spin"
            )
        return windows[len(windows) // 2]


SCENARIO = "title: judging\nworkload: {model: mlp, steps: 10000000, warmup: 10}\nexpect: {outcome: completed}\n"
FAULT = "control: false\nfaults: [{pause: {select: {role: worker}, at: {step: 41000}, for: {time: 100ms}}}]\n"
WRITE = """
import sys
from pathlib import Path
from harness.vocabulary import events
from harness.vocabulary.events import *
path, n = Path(sys.argv[1]), int(sys.argv[2])
with open(path, "wb") as file:
    file.write(events.encode(Started(0.0, "main", "")))
    for i in range(n // 4):
        t, at = i * 0.01, ("main", "worker/0")
        if i == 4100 and sys.argv[3]:
            for event in (Injected(t, *at, 0, 41000), Signalled(t, *at, 0, "STOP", "R", "T", 1.0),
                          Signalled(t + 0.1, *at, 0, "CONT", "T", "S", 1.0), Healed(t + 0.1, *at, 0, None)):
                file.write(events.encode(event))
        slow = 2.0 if i > 4100 and i % 2 and sys.argv[3] else 1.0
        file.write(events.encode(Window(t, *at, i * 10, 10, slow * (0.0123 + i % 7 * 1e-4))))
        file.write(events.encode(Loss(t, *at, i * 10, [2.0 / (1 + i % 13)] * 10)))
        held = 90000000 + i % 11
        file.write(events.encode(Memory(t, *at, i * 10, 150000000, 160000000, held, 1000000, 900000, None)))
        file.write(events.encode(Progress(t, *at, i * 10)))
    file.write(events.encode(Ended(1.0, "main", "", "completed", "all is well")))
"""
JUDGE = r"""
import json, re, sys, time
from pathlib import Path
from harness.judging.judge import judge
from harness.planning.planner import make
from harness.planning.validation import load
from harness.storage import history
loaded = load(Path(sys.argv[2]))
plan = make(loaded, {"": loaded.scenario.target}, "0" * 64)
began = time.monotonic()
verdict = judge(plan, history.read(Path(sys.argv[1])), "run", {})
assert verdict.verdict == "pass", verdict
seconds = time.monotonic() - began
peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]
began = time.monotonic()
with open(sys.argv[1], "rb") as file:
    for line in file:
        json.loads(line)
print(seconds / (time.monotonic() - began), peak)
"""


class Judging:
    """A long history, judged by a process of its own; times are over those of decoding its lines by ``json``."""

    timeout = 600
    events, times = 1_000_000, 3
    tiny = {"events": 20_000, "times": 1}

    def track_ratio(self):
        """Without faults."""
        return {"samples": [self._judge(self.events)[0] for _ in range(self.times)], "number": 1}

    track_ratio.unit, track_ratio.limit = "ratio", 2.1

    def track_ratio_after_a_fault(self):
        """The same with a fault at their beginning, whose recovery is looked for in every window."""
        return {"samples": [self._judge(self.events, FAULT)[0] for _ in range(self.times)], "number": 1}

    track_ratio_after_a_fault.unit, track_ratio_after_a_fault.limit = "ratio", 2.1

    def track_memory_of_a_million_over_that_of_a_tenth(self):
        """1 means flat."""
        return self._judge(self.events)[1] / self._judge(self.events // 10)[1]

    track_memory_of_a_million_over_that_of_a_tenth.unit = "ratio"
    track_memory_of_a_million_over_that_of_a_tenth.limit = 1.05

    def _judge(self, n, faults=""):
        """How long it took, and the most memory that it held."""
        with tempfile.TemporaryDirectory() as folder:
            past, scenario = Path(folder) / "history.jsonl", Path(folder) / "scenario.yaml"
            scenario.write_text(SCENARIO + faults)
            subprocess.run([sys.executable, "-c", WRITE, str(past), str(n), faults], check=True)
            argv = [sys.executable, "-c", JUDGE, str(past), str(scenario)]
            ratio, peak = subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split()
        return float(ratio), float(peak)
