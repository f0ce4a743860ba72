"""A verdict with all that a page shows, and words from outside that no page may take for its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from harness.judging.judge import judge
from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.report.timeline import Timeline, timelines
from harness.vocabulary.events import Done, Ended, Event, Exited, Injected, Loss, Spawned, Stack, Window
from tests.conftest import SCENARIO

EVIL = "<script>alert(1)</script> & \"quotes\" 'too' | [b] `x`"
KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}}
FACTS = {
    "cpu_model": EVIL, "cores": 2, "memory_bytes": 25_000_000_000, "kernel": "6.18",
    "target": {"mxnet": "1.9.1", "python": "3.11.7"},
}  # fmt: skip


@dataclass(frozen=True)
class Example:
    """A verdict and what happened when."""

    verdict: Verdict
    timelines: list[Timeline]


@pytest.fixture
def example(plan_of: Callable[..., Plan]) -> Example:
    alone = ("control", False), ("expect", {"outcome": "completed"})
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("title", f"Why {EVIL}?"), *alone)
    past: list[Event] = [Spawned(0.0, "main", f"worker/{rank}", 10 + rank, None) for rank in (0, 1)]
    for place in range(1, 6):
        for worker in ("worker/0", "worker/1"):
            past.append(Window(float(place), "main", worker, 10 * (place - 1), 10, 0.5 + 0.01 * place))
            past.append(Loss(float(place), "main", worker, 10 * (place - 1), [2.0 / place]))
    past += [
        Injected(5.5, "main", "worker/1", 0, 50),
        Exited(5.6, "main", "worker/1", None, 9),
        Stack(8.0, "main", "worker/0", "line 1\nline 2", []),
        Done(8.5, "main", "worker/0", 50),
        Ended(9.0, "main", "worker/0", "crashed", f"the reason {EVIL}", f"the last words {EVIL}"),
    ]
    verdict = judge(plan, past, "20261123T122110-why-488953", FACTS)
    return Example(verdict, timelines(plan, past, verdict))
