"""Which side a ratio is of, and what is asked with fewer elements; real ones are in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from harness.execution.operator_process import DiedError, Pass
from harness.execution.operator_times import Call, OperatorTimes, Times, read_times
from harness.execution.sweep import Sweep

OLD, NEW = (cast(Pass, name) for name in ("old", "new"))
CALLS = [Call(op, f"{op} base", ((2, 3),), ("normal",), {}) for op in ("exp", "greedy", "deadly")]


class Child:
    """Of a target in which calls take so many seconds; some want few elements, some end the process."""

    def __init__(self, seconds: float, kills: str) -> None:
        self.seconds, self.kills, self.closed = seconds, kills, False

    def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
        asked = what.get("time", what)
        if asked["op"] == "deadly" and self.kills:
            raise DiedError(self.kills, 11)
        if asked["op"] == "greedy" and asked.get("longer", 1) > 1000:
            yield {"end": "", "refused": "out of memory"}
        else:
            yield {"end": "", "seconds": self.seconds * what.get("calls", 1)}

    def close(self) -> None:
        self.closed = True


class Targets:
    """Starts processes; those of the new one are half as fast. ``kills``: what becomes of them by a deadly call."""

    def __init__(self, *kills: str) -> None:
        self.kills = kills or ("crashed", "crashed")
        self.begun: list[str] = []
        self.children: list[Child] = []

    def stopped(self) -> bool:
        return False

    def started(self, asked: Pass, scratch: str) -> Child:
        self.begun.append(str(asked))
        new = asked is NEW
        self.children.append(Child(0.001 if new else 0.0005, self.kills[new]))
        return self.children[-1]


def _timed(file: Path, new_first: bool = False, *kills: str) -> tuple[Targets, list[Times]]:
    targets = Targets(*kills)
    assert OperatorTimes(cast(Sweep, targets), OLD, NEW, new_first).run(CALLS, file, lambda done, of: None)
    return targets, list(read_times(file))


@pytest.mark.parametrize(("new_first", "begun"), [(False, ["old", "new"]), (True, ["new", "old"])])
def test_a_ratio_is_of_the_new_one_beside_the_old_one(tmp_path: Path, new_first: bool, begun: list[str]) -> None:
    targets, times = _timed(tmp_path / "times.jsonl", new_first)
    assert targets.begun[:2] == begun
    assert [(each.op, each.way) for each in times[:2]] == [("exp", "forward"), ("exp", "with gradients")]
    assert times[0].ratios == (round(math.log(2), 4),) * 9
    assert (times[0].longer, times[0].calls, times[0].seconds) == (10_922, 8, pytest.approx(0.0005))


def test_what_is_refused_is_asked_with_fewer_elements_and_a_process_that_dies_is_replaced(tmp_path: Path) -> None:
    targets, times = _timed(tmp_path / "times.jsonl")
    assert (times[2].op, times[2].longer) == ("greedy", 170)
    assert (times[4].op, times[4].ratios, times[4].refused) == ("deadly", (), "crashed")
    assert all(child.closed for child in targets.children)


def test_going_on_times_what_is_left(tmp_path: Path) -> None:
    file = tmp_path / "times.jsonl"
    _timed(file)
    lines = [line for line in file.read_text().splitlines() if line]
    file.write_text("\n".join(lines[:4]) + '\n{"op": "dead')
    targets, times = _timed(file)
    assert [each.op for each in times] == ["exp", "exp", "greedy", "greedy", "deadly", "deadly"]
    assert targets.begun


@pytest.mark.parametrize("new_first", [False, True])
@pytest.mark.parametrize(
    ("kills", "died", "end"),
    [
        (("crashed", "crashed"), 0, ""),  # the old one does not survive it either
        (("hung", "crashed"), 0, ""),
        (("crashed", ""), 0, ""),
        (("", "crashed"), 1, "crashed"),
        (("", "hung"), 1, "hung"),
    ],
)
def test_whose_process_ended_and_with_how_much(
    tmp_path: Path, kills: tuple[str, str], died: int, end: str, new_first: bool
) -> None:
    targets, times = _timed(tmp_path / "times.jsonl", new_first, *kills)
    assert {each.op: (each.died, each.end) for each in times} == {
        "exp": (0, ""),
        "greedy": (0, ""),
        "deadly": (died, end),
    }
    assert all(child.closed for child in targets.children)


class Slow(Child):
    """Takes time by the square of its elements, or by these alone."""

    def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
        if "time" in what:
            self.longer = what["time"]["longer"]
        power = 2 if what.get("time", what)["op"] == "greedy" else 1
        taken = self.seconds * self.longer**power * what.get("calls", 1)
        if taken > patience:
            raise DiedError("hung", None)
        yield {"end": "", "seconds": taken}


class SlowTargets(Targets):
    """The new one takes so many times as long."""

    def __init__(self, times: float) -> None:
        super().__init__()
        self.times = times

    def started(self, asked: Pass, scratch: str) -> Child:
        return Slow(1e-7 * (self.times if asked is NEW else 1.0), "")


@pytest.mark.parametrize(("times", "rounds"), [(1.0, 9), (300.0, 9), (6000.0, 3)])
def test_only_what_the_old_one_takes_long_for_is_asked_with_fewer(tmp_path: Path, times: float, rounds: int) -> None:
    file = tmp_path / "times.jsonl"
    assert OperatorTimes(cast(Sweep, SlowTargets(times)), OLD, NEW).run(CALLS[:2], file, lambda done, of: None)
    exp, _, greedy, _ = read_times(file)
    assert (exp.longer, exp.refused, len(exp.ratios)) == (10_922, "", rounds)
    assert exp.ratios[0] == round(math.log(times), 4), "however much slower the new one is"
    assert (greedy.longer, greedy.died, greedy.end) == ((170, 0, "") if times < 1000 else (1, 170, "hung"))


def test_a_long_call_that_only_the_new_one_refuses_is_told(tmp_path: Path) -> None:
    class Wide(Child):
        def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
            yield {"end": "", "seconds": self.seconds * what.get("calls", 1)}

    class Both(Targets):
        def started(self, asked: Pass, scratch: str) -> Child:
            return Child(0.0005, "") if asked is NEW else Wide(0.0005, "")

    file = tmp_path / "times.jsonl"
    assert OperatorTimes(cast(Sweep, Both()), OLD, NEW, new_first=True).run(CALLS[1:2], file, lambda done, of: None)
    greedy = next(iter(read_times(file)))
    assert (greedy.longer, greedy.died, greedy.end, len(greedy.ratios)) == (170, 10_922, "out of memory", 9)


def test_another_pair_asks_what_the_first_one_could(tmp_path: Path) -> None:
    class Asked(Slow):
        def ask(self, what: Mapping[str, Any], patience: float) -> Iterator[dict[str, Any]]:
            if "time" in what:
                lengths.append((what["time"]["op"], what["time"]["longer"]))
            return super().ask(what, patience)

    class Pairs(SlowTargets):
        def started(self, asked: Pass, scratch: str) -> Child:
            return Asked(1e-7 * (self.times if asked is NEW else 1.0), "")

    lengths = list[tuple[str, int]]()
    before = [
        Times("exp", "forward", "exp base", longer=170, ratios=(0.2,)),
        Times("greedy", "forward", "greedy base", longer=1, ratios=(0.2,), died=170, end="hung"),
    ]
    file = tmp_path / "times.jsonl"
    pair = OperatorTimes(cast(Sweep, Pairs(6000.0)), OLD, NEW, before=before)
    assert pair.run(CALLS[:2], file, lambda done, of: None)
    exp, gradients, greedy, _ = read_times(file)
    assert (exp.longer, gradients.longer) == (170, 10_922), "a way that is not known is looked for"
    assert (greedy.longer, greedy.died, len(greedy.ratios)) == (1, 170, 9)
    assert lengths[:3] == [("exp", 170), ("exp", 170), ("exp", 1)]
