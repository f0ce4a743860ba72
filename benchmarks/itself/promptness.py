"""How soon the harness acts, and how soon it knows."""

import subprocess
import sys
import tempfile
from pathlib import Path

from harness.storage import history
from harness.vocabulary import events

EVERY = 0.25
PAUSED = """\
title: faults by the clock
workload: {model: mlp, steps: 1000}
topology: {kvstore: dist_sync, workers: 2}
faults: [{pause: {select: {role: server}, every: {time: 250ms, times: TIMES}, for: {time: 50ms}}}]
"""
CRASHING = """\
title: a crash
workload: {model: mlp, steps: 5000}
faults: [{exit: {select: {role: worker}, at: {step: 100}}}]
expect: {outcome: crashed}
"""


def _past(text):
    """The events of one run of a scenario, whatever its verdict."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "question.yaml").write_text(text)
        argv = [sys.executable, "-m", "harness", "run", str(folder / "question.yaml"), "--results", str(folder)]
        subprocess.run(argv, check=False, capture_output=True, timeout=300)
        (run,) = (folder / "runs").iterdir()
        return list(history.read(run / "history.jsonl"))


class ByTheClock:
    """Seconds by which faults of the clock begin late on a job of dist_sync; a sample is one fault."""

    timeout = 600
    unit = "seconds"
    limit = 0.02
    times = 8
    tiny = {"times": 2}

    def track_late(self):
        past = _past(PAUSED.replace("TIMES", str(self.times)))
        started = next(event.t for event in past if isinstance(event, events.Started))
        begun = [event for event in past if isinstance(event, events.Injected)]
        return {"samples": [event.t - started - EVERY * (event.fault + 1) for event in begun], "number": 1}


class Crash:
    """Seconds from the end of a process that crashed to the end of its run, its last words read."""

    timeout = 600
    unit = "seconds"
    limit = 0.5
    times = 5
    tiny = {"times": 1}

    def track_known_after(self):
        return {"samples": [self._seconds() for _ in range(self.times)], "number": 1}

    def _seconds(self):
        past = _past(CRASHING)
        left, ended = (next(e for e in past if isinstance(e, kind)) for kind in (events.Exited, events.Ended))
        return ended.t - left.t
