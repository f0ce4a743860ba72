from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.faults.slow import Throttled
from harness.judging.receipt_book import ReceiptBook
from harness.planning.plan import Plan
from harness.vocabulary.events import Committed, Exited, Healed, Injected, Signalled, Superseded, Window

SLOW = {"slow": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 20}, "factor": 3}}
KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}}}


def _window(t: float, first: int, seconds: float, role: str = "worker/1") -> Window:
    return Window(t, "main", role, first, 10, seconds)


def test_the_receipt_of_a_fault_that_never_came_due(fault_plan: Callable[..., Plan]) -> None:
    (receipt,) = ReceiptBook(fault_plan(KILL).arms[0]).receipts()
    assert not receipt.proven
    assert receipt.evidence == "the run, or its process, ended before it was due"


def test_only_what_happened_to_the_role_after_the_injection_counts(fault_plan: Callable[..., Plan]) -> None:
    book = ReceiptBook(fault_plan(KILL).arms[0])
    for event in (
        Injected(1.0, "main", "worker/1", 0, 30),
        Signalled(1.0, "main", "worker/1", 0, "KILL", "S", "Z", 0.0),
        Exited(1.1, "main", "worker/0", None, 9),
    ):
        book.add(event)
    (receipt,) = book.receipts()
    assert (receipt.proven, receipt.evidence) == (False, "the process did not end by signal 9")
    book.add(Exited(1.1, "main", "worker/1", None, 9))
    assert book.receipts()[0].proven


def test_step_times_inside_and_outside_the_fault_are_told_apart(fault_plan: Callable[..., Plan]) -> None:
    book = ReceiptBook(fault_plan(SLOW).arms[0])
    for event in (
        _window(1.0, 0, 50.0),  # warm-up
        _window(2.0, 10, 50.0),
        _window(3.0, 20, 1.0),
        Injected(3.0, "main", "worker/1", 0, 30),
        _window(6.0, 30, 3.0),
        _window(6.0, 30, 9.0, role="worker/0"),
        _window(9.0, 40, 3.0),
        Healed(9.0, "main", "worker/1", 0, 50),
        Throttled(9.0, "main", "worker/1", 0, 3.0, 6.0, 4.0, 100, 100, "R"),
        _window(9.5, 50, 1.0),  # spans the end
        _window(11.0, 60, 1.0),
    ):
        book.add(event)
    (receipt,) = book.receipts()
    assert receipt.proven
    assert receipt.evidence.endswith("its steps took 3.00 times as long; a factor of 3.00 for 3")


@pytest.mark.parametrize(("cut_at", "stands"), [(3.05, True), (3.2, False)])
def test_a_fault_that_was_cut_short_is_excused_only_where_it_had_no_time_to_act(
    fault_plan: Callable[..., Plan], cut_at: float, stands: bool
) -> None:
    book = ReceiptBook(fault_plan(SLOW).arms[0])
    book.add(Injected(3.0, "main", "worker/1", 0, 30))
    book.add(Superseded(cut_at, "main", "worker/1", 0, 1, "worker/1 was gone"))
    (receipt,) = book.receipts()
    assert (receipt.happened, receipt.stands) == (False, stands)


def test_a_window_counts_from_the_moment_at_which_the_fault_began(fault_plan: Callable[..., Plan]) -> None:
    """One that began at that very moment lies within; one that began before spans it."""
    book = ReceiptBook(fault_plan(SLOW).arms[0])
    for event in (
        _window(3.0, 20, 1.0),
        Injected(3.0, "main", "worker/1", 0, 30),
        _window(5.0, 30, 2.0),  # 0.2 s a step
        _window(5.5, 35, 2.6),  # began before
        Healed(9.0, "main", "worker/1", 0, 50),
        Throttled(9.0, "main", "worker/1", 0, 3.0, 6.0, 4.0, 100, 100, "R"),
    ):
        book.add(event)
    assert "its steps took 2.00 times as long" in book.receipts()[0].evidence


SCALE = {"scale": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 20}, "factor": 2}}


def test_every_step_that_was_taken_within_a_fault_of_the_worker_must_be_accounted_for(
    fault_plan: Callable[..., Plan],
) -> None:
    book = ReceiptBook(fault_plan(SCALE).arms[0])
    for event in (
        _window(3.0, 20, 1.0),
        Injected(3.0, "main", "worker/1", 0, 30),
        *(
            Committed(4.0, "main", "worker/1", 0, step, "gradient of w", "a" * 64, "b" * 64, "")
            for step in range(30, 49)
        ),
        _window(4.0, 30, 1.0),
        _window(5.0, 40, 1.0),
        Healed(5.0, "main", "worker/1", 0, 50),
        _window(6.0, 50, 1.0),
    ):
        book.add(event)
    assert book.receipts()[0].proven is False
    assert book.receipts()[0].evidence == "it was not committed in 1 steps that were taken, as in 49"
    book.add(Committed(5.0, "main", "worker/1", 0, 49, "gradient of w", "a" * 64, "b" * 64, ""))
    assert book.receipts()[0].proven is True
