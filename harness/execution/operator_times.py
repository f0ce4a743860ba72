"""What calls of operators take in two targets: both live at once and make them by turns, an operator after the other.

Which of them go first is drawn anew for each round. Nothing else should compute meanwhile.
"""

from __future__ import annotations

import json
import math
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from harness.execution.operator_process import CASE_SECONDS, Child, DiedError, Pass
from harness.execution.sweep import Sweep
from harness.execution.sweep_lines import read

OLD, NEW = 0, 1
FORWARD, GRADIENTS = WAYS = ("forward", "with gradients")
ELEMENTS = 65_536
"""Of the first array: of fewer, calls take what it takes to issue them, and nothing is seen of what they compute."""

GROWTH = 64
LONGER = (1, ELEMENTS // GROWTH, ELEMENTS)
"""Elements that are tried: what takes squares of them, or as much memory, is asked with fewer."""

MOST_SECONDS = 0.05
"""Of a call of the old target; what takes longer there is asked with fewer elements."""

ROUNDS, ROUND_SECONDS, MOST_CALLS = 9, 0.004, 400
FEW_ROUNDS, LONG_SECONDS = 3, 0.5
"""Rounds of calls that take so long in the new target."""

MOST_ROUND_SECONDS = CASE_SECONDS / 4
"""Of either target, but for a single call."""


@dataclass(frozen=True)
class Call:
    """A call that works in both targets, as the sweep found it (`harness/worker/operators/candidates.py`)."""

    op: str
    case: str
    shapes: tuple[tuple[int, ...], ...]
    kinds: tuple[str, ...]
    params: Mapping[str, str]

    def longer(self, elements: int) -> int:
        """By how much its arrays have to be longer for so many elements."""
        first = math.prod(self.shapes[0]) if self.shapes else 0
        return max(1, elements // first) if first else 1


@dataclass(frozen=True)
class Times:
    """Logarithms of what so many calls take in the new target beside the old one, a round each; ``seconds``: of one.

    Without rounds it was refused, or took too long, and ``refused`` says why. ``died``: by how much longer arrays were
    with which the new target's process ended or hung, or it refused the call, as ``end`` says, and the old one made it;
    else 0.
    """

    op: str
    way: str
    case: str
    longer: int = 1
    calls: int = 0
    seconds: float = 0.0
    ratios: tuple[float, ...] = ()
    refused: str = ""
    died: int = 0
    end: str = ""


@dataclass
class OperatorTimes:
    """Turns of an ``old`` and a ``new`` target; ``new_first``: whose process begins, and makes its call ready first.

    ``before``: what another pair found; this one asks calls that are as long, and looks for no longer ones.
    """

    sweep: Sweep
    old: Pass
    new: Pass
    new_first: bool = False
    before: Sequence[Times] = ()
    random: random.Random = field(default_factory=lambda: random.Random(0))

    def run(self, calls: Sequence[Call], file: Path, say: Callable[[int, int], None]) -> bool:
        """Time what is not in ``file`` yet; whether all is."""
        done = {times.op for times in read_times(file)}
        left = [call for call in calls if call.op not in done]
        with tempfile.TemporaryDirectory() as scratch, open(file, "ab") as lines:
            pair = _Pair(self.sweep, (self.old, self.new), (NEW, OLD) if self.new_first else (OLD, NEW), scratch)
            lines.write(b"\n")  # what a kill cut off ends here
            try:
                for place, call in enumerate(left):
                    if self.sweep.stopped():
                        return False
                    times = [self._times(pair, call, way) for way in WAYS]
                    lines.write("".join(f"{json.dumps(asdict(each))}\n" for each in times).encode())
                    lines.flush()
                    say(len(calls) - len(left) + place + 1, len(calls))
            finally:
                pair.close()
        return True

    def _times(self, pair: _Pair, call: Call, way: str) -> Times:
        """With as many elements as the old one takes in time: what only the new one is slow at is looked for."""
        known, taken = Times(call.op, way, call.case), dict[int, float]()
        for longer in self._lengths(call, way):
            try:
                first = pair.ready(call, longer, way)
            except RefusedError as error:
                known = _ended(known, str(error), longer if error.side == NEW else 0)
                break
            except DiedError as error:
                by_new = pair.died == NEW and pair.survives(OLD, call, longer, way)
                known = _ended(known, str(error), longer if by_new else 0)
                break
            if taken and first[OLD] > MOST_SECONDS:
                break
            grown = first[OLD] - (taken or first)[OLD]
            known, taken = replace(known, longer=longer), first
            if grown * GROWTH > MOST_SECONDS:  # so many more elements would take too long, or squares of them
                break
        return self._of_longest(pair, call, known, taken) if taken else known

    def _lengths(self, call: Call, way: str) -> list[int]:
        """By how much longer its arrays are, shortest first."""
        before = [each for each in self.before if (each.op, each.case, each.way) == (call.op, call.case, way)]
        found = [longer for each in before for longer in (each.longer, each.died) if longer]
        return sorted({*(found or (call.longer(elements) for elements in LONGER))})

    def _of_longest(self, pair: _Pair, call: Call, known: Times, taken: Mapping[int, float]) -> Times:
        """Rounds of the longest call that can be made; ``taken``: what one took."""
        calls = min(MOST_CALLS, max(1, round(ROUND_SECONDS / max(min(taken.values()), 1e-6))))
        calls = max(1, min(calls, int(MOST_ROUND_SECONDS / max(taken.values()))))
        try:
            if pair.longer != known.longer:
                pair.ready(call, known.longer, known.way)
            done = self._rounds(pair, known, calls, FEW_ROUNDS if taken[NEW] > LONG_SECONDS else ROUNDS)
            return replace(done, refused="")
        except RefusedError as error:  # what it just did it does no more
            return replace(known, refused=str(error))
        except DiedError as error:
            by_new = pair.died == NEW and pair.survives(OLD, call, known.longer, known.way)
            return _ended(known, str(error), known.longer if by_new else 0)

    def _rounds(self, pair: _Pair, known: Times, calls: int, rounds: int) -> Times:
        ratios, least = [], math.inf
        for _ in range(rounds):
            taken = dict[int, float]()
            for side in self.random.sample((OLD, NEW), 2):
                taken[side] = pair.seconds(side, known.op, calls)
            ratios.append(round(math.log(taken[NEW] / taken[OLD]), 4))
            least = min(least, taken[OLD] / calls)
        return replace(known, calls=calls, seconds=least, ratios=tuple(ratios))


class RefusedError(Exception):
    """A call that is refused, by the ``side`` that does; by the old one where both do."""

    def __init__(self, why: str, side: int) -> None:
        super().__init__(why)
        self.side = side


class _Pair:
    """A process of each target; both are replaced when one dies, and ``died`` says whose did last."""

    def __init__(self, sweep: Sweep, passes: tuple[Pass, Pass], order: tuple[int, int], scratch: str) -> None:
        self._sweep, self._passes, self._order, self._scratch = sweep, passes, order, scratch
        self._children = dict[int, Child]()
        self.died: int | None = None
        self.longer = 0
        """By how much arrays are longer that both are ready for; 0 where they are not."""

    def ready(self, call: Call, longer: int, way: str) -> dict[int, float]:
        """What a call takes in each; RefusedError where one refuses it, DiedError where one dies."""
        self.died, self.longer = None, 0
        if not self._children:
            self._children = {side: self._sweep.started(self._passes[side], self._scratch) for side in self._order}
        taken, refused = dict[int, float](), dict[int, RefusedError]()
        for side in self._order:
            try:
                taken[side] = self._asked(side, _one(call, longer, way))
            except RefusedError as error:
                refused[side] = error
        if refused:
            raise refused[min(refused)]
        self.longer = longer
        return taken

    def survives(self, side: int, call: Call, longer: int, way: str) -> bool:
        """Whether one side's process lives on after a call that it makes alone, done or refused."""
        self._children = {side: self._sweep.started(self._passes[side], self._scratch)}
        try:
            self._asked(side, _one(call, longer, way))
        except RefusedError:
            return True
        except DiedError:
            return False
        finally:
            self.close()
        return True

    def seconds(self, side: int, op: str, calls: int) -> float:
        """Of so many calls of what is ready."""
        return self._asked(side, {"op": op, "calls": calls})

    def _asked(self, side: int, what: Mapping[str, Any]) -> float:
        try:
            (told,) = self._children[side].ask(what, CASE_SECONDS)
        except DiedError:
            self.died = side
            self.close()
            raise
        if "refused" in told:
            raise RefusedError(told["refused"], side)
        return max(float(told["seconds"]), 1e-9)

    def close(self) -> None:
        for child in self._children.values():
            child.close()
        self._children = {}


def _ended(known: Times, why: str, by_new: int) -> Times:
    """A call that failed; ``by_new``: how much longer its arrays were where only the new target failed, else 0."""
    return replace(known, refused=why, died=by_new, end=why if by_new else "")


def _one(call: Call, longer: int, way: str) -> dict[str, Any]:
    """What a process is asked that is to make a call ready, and to time one."""
    return {"time": {**asdict(call), "longer": longer, "gradients": way == GRADIENTS}}


def read_times(file: Path) -> Iterator[Times]:
    """Those of a file, none where it is not there."""
    for line in read(file):
        yield Times(**{**line, "ratios": tuple(line["ratios"])})
