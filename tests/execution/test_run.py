"""Who takes the next turn, and when things happened: events of another clock are told in the controller's time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from types import SimpleNamespace
from typing import Any

from harness.execution.arm_run import ArmRun
from harness.execution.run import _rounds
from harness.planning.plan import Plan
from harness.vocabulary import events
from harness.vocabulary.events import Event, Progress


def _taken(offset: float) -> tuple[list[Event], list[Event]]:
    """What the history and the conductor have of one event at second 5."""
    written: list[bytes] = []
    heard: list[Event] = []
    run: Any = object.__new__(ArmRun)
    run._agent = SimpleNamespace(clock_offset=offset)
    run._history = SimpleNamespace(append=written.append)
    run._conductor = SimpleNamespace(on=lambda event: heard.append(event) or [])
    run._observe = lambda event: None
    run._take(events.encode(Progress(5.0, "main", "worker/0", 10)))
    return [events.decode(line) for line in b"".join(written).splitlines()], heard


def test_times_are_the_controllers() -> None:
    for offset, expected in ((0.0, 5.0), (100.0, 105.0), (-2.5, 2.5)):
        written, heard = _taken(offset)
        assert written == heard == [Progress(expected, "main", "worker/0", 10)]


TURNS = """\
title: t
seed: 3
turns: 5
workload: {model: mlp, steps: 50, warmup: 10}
variants: {a: {}, b: {}}
"""


def _orders(names: str, plan: Plan, count: int) -> list[str]:
    runs: Any = list(names)
    return ["".join(map(str, each)) for each in islice(_rounds(runs, plan.arms[0]), count)]


def test_two_are_as_often_and_as_late_as_each_other(plan_of: Callable[..., Plan]) -> None:
    """Counted from the end of the warm-up, two turns here, where the numbers that count begin."""
    early, late, *counted = _orders("ab", plan_of(TURNS), 10)
    one, other = counted[:2]
    assert {one, other} == {"ab", "ba"}
    assert counted == [one, other, other, one, other, one, one, other]
    assert (early, late) == (other, other)
    drawn = {_orders("ab", plan_of(TURNS, ("seed", seed)), 3)[2] for seed in range(8)}
    assert drawn == {"ab", "ba"}, "who begins is drawn from the seed"


def test_of_three_each_goes_before_each_other_as_often(plan_of: Callable[..., Plan]) -> None:
    orders = _orders("abc", plan_of(TURNS), 402)[2:]
    for one, other in ("ab", "ac", "bc"):
        assert sum(order.index(one) < order.index(other) for order in orders) == 200
    assert len({*orders}) == 6, "whoever is in the middle is drawn again and again"
