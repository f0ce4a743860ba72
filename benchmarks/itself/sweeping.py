"""What it saves to fork the process that follows one that an operator ended."""

import tempfile
import time
from pathlib import Path

from harness.execution.operator_process import Pass
from harness.execution.sweep import Sweep
from harness.execution.sweep_lines import DEATHS, read
from harness.scenario.schema import Target
from harness.targets import resolve


class FirstPass:
    """Seconds of a pass over operators of which many calls end their process, by forks over by new processes."""

    timeout, unit, limit = 1800, "ratio", 0.2
    operators, pairs = ("SequenceLast", "broadcast_div", "elemwise_div", "reset_arrays"), 3
    tiny = {"operators": ("elemwise_div",), "pairs": 1}

    def track_ratio(self):
        interpreter = resolve.interpreter(resolve.settle(Target(mxnet="1.9.1"), None, None), lambda line: None)
        return {"samples": [self._of_a_pair(interpreter, number) for number in range(self.pairs)], "number": 1}

    def _of_a_pair(self, interpreter, number):
        """Either goes first by turns."""
        order = (True, False) if number % 2 else (False, True)
        seconds = {forked: self._seconds(interpreter, forked) for forked in order}
        return seconds[True] / seconds[False]

    def _seconds(self, interpreter, forked):
        with tempfile.TemporaryDirectory() as name:
            asked = Pass("from", interpreter, {}, Path(name) / "from.jsonl")
            began = time.monotonic()
            assert Sweep(Path(name), 2).run(asked, self.operators, lambda done, of: None, forked=forked)
            taken = time.monotonic() - began
            assert sum(line.get("status") in DEATHS for line in read(asked.file)) > len(self.operators)
        return taken
