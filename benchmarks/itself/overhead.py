"""What the harness adds to a training loop, and to its start."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness.execution import worker_archive
from harness.execution.backends.local import LocalBackend
from harness.planning.planner import DEFAULT_ENV, make
from harness.planning.validation import load
from harness.storage import history
from harness.targets import environment, inherited
from harness.vocabulary import events
from harness.vocabulary.instructions import Spawn

DUET = Path(__file__).with_name("duet.py")
KEPT = "from _harness_worker import compiled; compiled.use({!r})"
TEXT = """\
title: overhead
workload: {{model: {model}, batch_size: {batch}, steps: 100000, warmup: 0, window: {window}, memory: {memory}}}
"""


def _target():
    return environment.ensure(environment.recipe(environment.DEFAULT_MXNET), lambda line: None).interpreter.python


class _Overhead:
    """Windows by turns in one process under a real agent (duet.py); a sample is the ratio of one pair."""

    timeout = 1800
    unit = "ratio"
    model, batch, window, pairs, memory = "", 0, 0, 0, "resident"
    warmup = 5
    tiny = {"pairs": 2, "warmup": 1}

    def track_ratio(self):
        """Seconds of a window in the harness over those of a bare loop."""
        with tempfile.TemporaryDirectory() as name:
            windows = self._windows(Path(name))
        by_role = {role: [w.seconds for w in windows if w.subject == role] for role in ("worker/0", "bare")}
        pairs = list(zip(by_role["worker/0"], by_role["bare"], strict=True))[self.warmup :]
        return {"samples": [ours / bare for ours, bare in pairs], "number": 1}

    def _windows(self, folder):
        plan, worker = self._inputs(folder)
        past = history.HistoryWriter(folder / "history.jsonl")
        argv = tuple(map(str, (_target(), DUET, worker, plan, self.pairs + self.warmup)))
        env = {**inherited.of_shell(), **DEFAULT_ENV}
        with LocalBackend(folder).open("main", networked=False) as agent:
            agent.send(Spawn("worker/0", argv, env, str(folder), str(folder / "log")))
            done = False
            while not done:
                lines = agent.read(1.0)
                past.append(lines)
                ends = [isinstance(events.decode(line), events.Done | events.Exited) for line in lines.splitlines()]
                done = any(ends)
        return [event for event in history.read(folder / "history.jsonl") if isinstance(event, events.Window)]

    def _inputs(self, folder):
        scenario, plan, worker = folder / "overhead.yaml", folder / "plan.json", folder / "worker.pyz"
        fields = {name: getattr(self, name) for name in ("model", "batch", "window", "memory")}
        scenario.write_text(TEXT.format(**fields))
        loaded = load(scenario)
        worker.write_bytes(worker_archive.build())
        plan.write_text(
            make(loaded, {"": loaded.scenario.target}, worker_archive.digest(worker_archive.build())).text()
        )
        return plan, worker


class Resnet18(_Overhead):
    """Steps of about 25 ms."""

    limit = 1.01
    model, batch, window, pairs = "resnet18", 8, 10, 40


class Mlp(_Overhead):
    """Steps of about a millisecond."""

    limit = 1.03
    model, batch, window, pairs = "mlp", 128, 50, 200


class MlpCountingLiveBytes(Mlp):
    """The same with ``memory: live``: what counting costs is inside the windows of both sides, reading it outside."""

    memory = "live"


def _imported(python, *before):
    """Seconds of a process that imports MXNet, and bytes of its own that it takes by then."""
    tell = "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('RssAnon')))"
    began = time.monotonic()
    code = "\n".join([*before, "import mxnet", tell])
    told = subprocess.run([str(python), "-c", code], check=True, stdout=subprocess.PIPE)
    return time.monotonic() - began, 1024 * int(told.stdout)


class Start:
    """Seconds from `harness run` to the first step, beyond `import mxnet` in the same target."""

    timeout = 600
    unit = "seconds"
    limit = 0.5
    times = 7
    tiny = {"times": 1}

    def track_beyond_import(self):
        """The first of each is not counted: it warms the disk's cache."""
        python = _target()
        with tempfile.TemporaryDirectory() as folder:
            samples = [self._started(Path(folder)) - _imported(python)[0] for _ in range(self.times + 1)]
        return {"samples": samples[1:], "number": 1}

    def _started(self, folder):
        scenario = folder / "start.yaml"
        scenario.write_text("title: start\nworkload: {model: mlp, steps: 20}\n")
        began = time.monotonic()
        argv = [sys.executable, "-m", "harness", "run", str(scenario), "--results", str(folder)]
        subprocess.run(argv, check=True, capture_output=True)
        newest = sorted((folder / "runs").iterdir())[-1]
        started = next(e for e in history.read(newest / "history.jsonl") if isinstance(e, events.Started))
        return started.t - began


class QuickStart:
    """An import of MXNet with what it compiles from a file, over one that compiles it; in alternation."""

    timeout = 600
    unit = "ratio"
    times = 7
    tiny = {"times": 1}

    def track_seconds(self):
        """Of the whole process."""
        return self._ratios(0)

    def track_memory(self):
        """Bytes of its own."""
        return self._ratios(1)

    track_seconds.limit, track_memory.limit = 0.5, 1.02

    def _ratios(self, number):
        """The first of each is not counted: one of them writes the file."""
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "worker.pyz"
            archive.write_bytes(worker_archive.build())
            kept = f"import sys; sys.path.insert(0, {str(archive)!r})", KEPT.format(folder)
            python = _target()
            pairs = [(_imported(python, *kept), _imported(python)) for _ in range(self.times + 1)]
        return {"samples": [quick[number] / plain[number] for quick, plain in pairs[1:]], "number": 1}
