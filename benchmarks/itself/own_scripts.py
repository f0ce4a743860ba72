"""What it costs a user's script to be seen."""

import json
import tempfile
from pathlib import Path
from statistics import median

import harness

SCRIPT = Path(__file__).with_name("hooked.py")
TEXT = """\
title: what does it cost to be seen?
workload: {{script: {script}, args: [{trains}, {width}, {window}, {pairs}, {out}], warmup: 0, window: {window}}}
"""


class _Seen:
    """Windows by turns in scripts under real agents (hooked.py); a sample is the median ratio of one script's pairs.

    Processes differ by where their memory lies, so that many pairs of one say little of the next.
    """

    timeout = 1800
    unit = "ratio"
    trains, width, window, pairs = "gluon", 0, 0, 0
    processes, warmup = 5, 5
    tiny = {"processes": 1, "pairs": 2, "warmup": 1}

    def track_ratio(self):
        """Seconds of a window that is seen, with its report, over those of one that is not."""
        return {"samples": [self._of_a_process() for _ in range(self.processes)], "number": 1}

    def _of_a_process(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            out, question = folder / "seconds.json", folder / "question.yaml"
            fields = {
                "trains": self.trains,
                "width": self.width,
                "window": self.window,
                "pairs": self.pairs + self.warmup,
            }
            question.write_text(TEXT.format(script=SCRIPT, out=out, **fields))
            run = harness.run(question, folder / "results")
            assert run.verdict is not None and run.verdict.arms[0].ended.outcome == "completed", run.verdict.reason
            seconds = json.loads(out.read_text())
        pairs = list(zip(seconds["seen"], seconds["bare"], strict=True))[self.warmup :]
        return median(seen / bare for seen, bare in pairs)


class SeenAt20Milliseconds(_Seen):
    """Steps of about 20 ms."""

    limit = 1.01
    width, window, pairs = 2048, 10, 20


class SeenAt1Millisecond(_Seen):
    """Steps of about a millisecond."""

    limit = 1.03
    width, window, pairs = 128, 200, 30


class ModuleAt1Millisecond(_Seen):
    """The same of a Module, whose loss the harness computes from its output."""

    limit = 1.03
    trains, width, window, pairs = "module", 320, 200, 30
