from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.faults.memory_limit import Limited
from harness.faults.slow import Throttled
from harness.judging.receipt_book import ReceiptBook
from harness.planning.plan import Plan
from harness.vocabulary.events import (
    Committed,
    Event,
    Exited,
    Healed,
    Injected,
    Signalled,
    Superseded,
    Window,
    Withdrawn,
)
from harness.vocabulary.receipts import Receipt

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


PAUSE = {"pause": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"time": "1s"}}}
W1 = "worker/1"


def _receipt(plan: Plan, *events: Event) -> Receipt:
    book = ReceiptBook(plan.arms[0])
    for event in events:
        book.add(event)
    return book.receipts()[0]


def test_what_never_began_names_what_made_it_impossible(fault_plan: Callable[..., Plan]) -> None:
    gone = Superseded(3.0, "main", W1, 0, 7, "worker/1 was gone")
    assert _receipt(fault_plan(PAUSE), gone) == Receipt(
        0, "pause", W1, False, "superseded by fault 7: worker/1 was gone", happened=False, superseded=7
    )


def _stopped(until: float, state: str = "S") -> list[Event]:
    return [
        Injected(3.0, "main", W1, 0, 30),
        Signalled(3.0, "main", W1, 0, "STOP", "S", "T", 0.5),
        Signalled(until, "main", W1, 0, "CONT", "T", state, 0.5),
        Healed(until, "main", W1, 0, None),
    ]


SEEN = "/proc state T after STOP, T before CONT, S after it; 0.0 ms run in between"


def test_a_receipt_has_dose_and_what_was_seen_afterwards(fault_plan: Callable[..., Plan]) -> None:
    asked = "1.000 s apart, 1 s were asked"
    expected = Receipt(0, "pause", W1, True, f"{SEEN}; {asked}", True, "/proc state S", dose="as asked")
    assert _receipt(fault_plan(PAUSE), *_stopped(4.0)) == expected
    assert (expected.word, expected.stands) == ("proven", True)


def test_a_dose_that_is_off_is_not_proven_though_it_happened(fault_plan: Callable[..., Plan]) -> None:
    receipt = _receipt(fault_plan(PAUSE), *_stopped(5.0))
    assert (receipt.proven, receipt.happened, receipt.dose, receipt.word) == (False, True, "off", "dose is off")


def test_a_dose_that_cannot_be_kept_that_finely_is_unclear(fault_plan: Callable[..., Plan]) -> None:
    short = {"pause": {**PAUSE["pause"], "for": {"time": "20ms"}}}
    receipt = _receipt(fault_plan(short), *_stopped(3.034))
    assert receipt.evidence == f"{SEEN}; 0.034 s apart, 0.02 s were asked, and a busy machine may be 0.05 s late"
    assert (receipt.proven, receipt.dose, receipt.word) == (True, "unclear", "proven, dose unclear")


def test_what_was_cut_short_and_happened_says_so_and_leaves_nothing_to_restore(fault_plan: Callable[..., Plan]) -> None:
    past = _stopped(4.0)
    cut = Superseded(3.9, "main", W1, 0, 7, "worker/1 was gone")
    receipt = _receipt(fault_plan(PAUSE), *past[:3], cut, past[3])
    assert receipt.evidence.endswith("1 s were asked; superseded by fault 7: worker/1 was gone")
    assert (receipt.restored, receipt.superseded, receipt.word) == (None, 7, "proven")


def test_what_ended_before_another_took_its_place_is_told_without_it(fault_plan: Callable[..., Plan]) -> None:
    late = Superseded(9.0, "main", W1, 0, 7, "worker/1 was gone")
    receipt = _receipt(fault_plan(PAUSE), *_stopped(4.0), late)
    assert receipt.evidence == f"{SEEN}; 1.000 s apart, 1 s were asked"
    assert receipt.restored is True


LIMITED = {"memory_limit": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "limit": "1GB"}}


def test_what_the_end_of_the_arm_cut_short_says_for_how_long_it_was_in_force(fault_plan: Callable[..., Plan]) -> None:
    plan = fault_plan({"memory_limit": {**LIMITED["memory_limit"], "for": {"time": "60s"}}})
    began = [Injected(3.0, "main", W1, 0, 30), Limited(3.0, "main", W1, 0, 7, False, None, 10**9, 10**8)]
    ended = [Limited(6.25, "main", W1, 0, 7, True, 10**9, None, 10**8), Healed(6.25, "main", W1, 0, None)]
    receipt = _receipt(plan, *began, *ended)
    assert receipt.evidence.endswith("; in force for 3.25 of 60 s, to the end of its process or the arm")
    assert receipt.proven
    whole = _receipt(fault_plan(LIMITED), *began, *ended)
    assert whole.evidence == "/proc/7 shows a limit of 1 GB; it held 100 MB then"


CORRUPT = {"corrupt_batch": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 2}}}


@pytest.mark.parametrize(
    ("withdrawn", "proven", "evidence"),
    [
        ([], True, ""),
        ([(0, 30)], False, "batches were changed, but nobody trained with them"),  # one of two steps was left out
        ([(0, 30), (0, 31)], False, "batches were changed, but nobody trained with them"),
        ([(1, 30)], True, ""),  # of another fault
        ([(0, 29)], True, ""),  # nothing was told of that step
    ],
)
def test_what_nobody_trained_with_is_no_proof(
    fault_plan: Callable[..., Plan], withdrawn: list[tuple[int, int]], proven: bool, evidence: str
) -> None:
    book = ReceiptBook(fault_plan(CORRUPT).arms[0])
    book.add(Injected(1.0, "main", "worker/1", 0, 30))
    for step in (30, 31):
        book.add(Committed(1.0 + step, "main", "worker/1", 0, step, "data", "a", "b", "noise"))
    book.add(Window(40.0, "main", "worker/1", 30, 2, 0.1))
    for fault, step in withdrawn:
        book.add(Withdrawn(41.0, "main", "worker/1", fault, step))
    (receipt,) = book.receipts()
    assert receipt.proven is proven
    assert evidence in receipt.evidence
