"""What a worker reports of its own faults, for tests of these."""

from __future__ import annotations

from harness.faults import WorkerFault
from harness.vocabulary.events import Committed
from harness.vocabulary.instructions import BeginInProcess, EndInProcess
from harness.vocabulary.receipts import Evidence

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}


def committed_in(*steps: int, what: str = "gradient of w", before: str = "a" * 64, after: str = "b" * 64) -> Evidence:
    """An account of these steps."""
    return Evidence([Committed(1.0, "main", "worker/1", 4, step, what, before, after, "so") for step in steps])


def unchanged(*steps: int) -> Evidence:
    """An account in which nothing changed."""
    return committed_in(*steps, after="a" * 64)


def committed_for(fault: WorkerFault, steps: int) -> None:
    """The worker is told to begin it and to end it so many steps later."""
    assert fault.inject("worker/1", 4) == (BeginInProcess("worker/1", 4),)
    assert fault.heal("worker/1", 4) == (EndInProcess("worker/1", 4),)
    assert fault.life.steps == steps


def proven_by_another_hash(fault: WorkerFault) -> None:
    """Of what was changed, in its step and in no other."""
    sentence = "step 50: gradient of w: so, SHA-256 aaaaaaaa became bbbbbbbb"
    assert fault.receipt(committed_in(50)) == (True, sentence)
    assert fault.receipt(unchanged(50)) == (False, "gradient of w of step 50 is unchanged")
    assert fault.receipt(committed_in(51))[0] is False
    assert fault.receipt(committed_in(50, 51))[0] is False
    assert fault.receipt(committed_in()) == (False, fault.unseen)
