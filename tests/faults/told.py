"""What a worker tells of its own faults, for tests of these."""

from __future__ import annotations

from harness.events import Tampered
from harness.faults import WorkerFault
from harness.instructions import Tamper, Untamper
from harness.receipts import Evidence

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}


def tampered(*steps: int, what: str = "gradient of w", before: str = "a" * 64, after: str = "b" * 64) -> Evidence:
    """An account of these steps."""
    return Evidence([Tampered(1.0, "main", "worker/1", 4, step, what, before, after, "so") for step in steps])


def unchanged(*steps: int) -> Evidence:
    """An account in which nothing changed."""
    return tampered(*steps, after="a" * 64)


def committed_for(fault: WorkerFault, steps: int) -> None:
    """The worker is told to begin it and to end it so many steps later."""
    assert fault.inject("worker/1", 4) == (Tamper("worker/1", 4),)
    assert fault.heal("worker/1", 4) == (Untamper("worker/1", 4),)
    assert fault.duration is not None and fault.duration.steps == steps


def proven_by_another_hash(fault: WorkerFault) -> None:
    """Of what was changed, in its step and in no other."""
    said = "step 50: gradient of w: so, SHA-256 aaaaaaaa became bbbbbbbb"
    assert fault.receipt(tampered(50)) == (True, said)
    assert fault.receipt(unchanged(50)) == (False, "gradient of w of step 50 is unchanged")
    assert fault.receipt(tampered(51))[0] is False
    assert fault.receipt(tampered(50, 51))[0] is False
    assert fault.receipt(tampered()) == (False, "the worker reported no tampering")
