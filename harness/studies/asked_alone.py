"""What passes cannot tell: files, what happens now and then, smaller calls; each a line on disk as it is known."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from harness.execution import sweep_lines
from harness.execution.operator_process import Pass
from harness.execution.single_calls import SingleCalls
from harness.execution.sweep import Sweep
from harness.studies import exchanged, now_and_then
from harness.studies.parity import Difference, Swept
from harness.studies.passes import EXCHANGED, MORE, SMALLER, words
from harness.studies.smallest import smallest
from harness.studies.unlike import Case


@dataclass(frozen=True)
class AskedAlone:
    """Calls of two targets, by processes of their own. KeyboardInterrupt where it is interrupted."""

    work: Sweep
    old: Pass
    new: Pass
    say: Callable[[str], None]

    def exchange(self, written: Sequence[tuple[str, int]], file: Path) -> None:
        """What each target makes of files that the other one wrote, of these kinds, and whose."""
        lines = list[dict[str, Any]]()
        with tempfile.TemporaryDirectory() as scratch:
            calls = self._calls(scratch)
            try:
                for name, side in written:
                    self.say(f"{words(EXCHANGED)}: {name} of the {('old', 'new')[side]} one")
                    lines.append(read_by_both(calls, name, side))
            finally:
                calls.close()
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    def now_and_then(self, fickle: Sequence[Difference], usual: Swept, made: Swept, file: Path) -> None:
        """What does not repeat itself in the new one, some more times of both; ``usual`` and ``made``: their passes."""
        done = {line["op"] for line in sweep_lines.read(file)}

        def line(calls: SingleCalls, each: Difference) -> dict[str, Any]:
            self.say(f"{words(MORE)}: {each.op}, which {each.kind}")
            told = [_alone(calls, each.case) for _ in range(now_and_then.TIMES)]
            name = each.case["case"]
            return now_and_then.line(each, usual.cases[name], len(made.every(name)), *zip(*told, strict=True))

        self._each_by_itself([each for each in fickle[: now_and_then.MOST] if each.op not in done], line, file)

    def shrink(self, failing: Sequence[Difference], file: Path) -> None:
        """What fails, with calls that are made smaller while it does."""
        done = {(line["op"], line["kind"]) for line in sweep_lines.read(file)}

        def line(calls: SingleCalls, each: Difference) -> dict[str, Any]:
            self.say(f"{words(SMALLER)}: {each.op}, which {each.kind}")
            return asdict(smallest(each, calls.ask))

        self._each_by_itself([each for each in failing if (each.op, each.kind) not in done], line, file)

    def _each_by_itself(
        self, found: Sequence[Difference], line: Callable[[SingleCalls, Difference], Mapping[str, Any]], file: Path
    ) -> None:
        """A line for each, as soon as it and those before it are known; so many side by side as in a pass."""

        def made(each: Difference) -> Mapping[str, Any]:
            with tempfile.TemporaryDirectory() as scratch:
                calls = self._calls(scratch)
                try:
                    return line(calls, each)
                finally:
                    calls.close()

        with open(file, "ab") as lines, ThreadPoolExecutor(self.work.jobs) as places:
            lines.write(b"\n")  # what a kill cut off ends here
            for each in places.map(made, found):
                lines.write(json.dumps(each).encode() + b"\n")
                lines.flush()

    def _calls(self, scratch: str) -> SingleCalls:
        return SingleCalls(self.work, (self.old, self.new), scratch)


def read_by_both(calls: SingleCalls, name: str, side: int) -> dict[str, Any]:
    """What fails to be written is tried once more, and what differs is read once more."""
    files = calls.files(side, name) or calls.files(side, name)
    if files is None:
        return exchanged.line(name, side)
    first, again = exchanged.line(name, side, calls.read(name, files)), None
    if (was := exchanged.told(first)) is not None:
        again = exchanged.line(name, side, calls.read(name, files))
    return first if again is None else {**again, "repeats": exchanged.told(again) == was}


def _alone(calls: SingleCalls, case: Case) -> tuple[Case, Case]:
    """What processes that were asked nothing before make of a case."""
    try:
        return calls.ask(case)
    finally:
        calls.close()
