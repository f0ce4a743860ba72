from __future__ import annotations

from harness.faults.memory_limit import Limited, MemoryLimit
from harness.vocabulary.instructions import Act, Undo
from harness.vocabulary.receipts import Evidence

FAULT = MemoryLimit.model_validate({"select": {"role": "server"}, "at": {"step": 5}, "limit": "300MB"})


def _limited(*pairs: tuple[int | None, int | None]) -> Evidence:
    """The first sets it, the second ends it."""
    return Evidence([_report(7, place == 1, *pair) for place, pair in enumerate(pairs)])


def _report(pid: int, ended: bool, before: int | None, after: int | None) -> Limited:
    return Limited(1.0, "main", "server/0", 3, pid, ended, before, after, 10**8)


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.inject("server/0", 3) == (Act("server/0", 3, "memory_limit", {"bytes": 300_000_000}),)
    assert FAULT.heal("server/0", 3) == (Undo("server/0", 3),)


def test_it_is_proven_by_the_limit_that_the_kernel_shows() -> None:
    sentence = "/proc/7 shows a limit of 300 MB; it held 100 MB then"
    assert FAULT.receipt(_limited((None, 300_000_000))) == (True, sentence)
    assert FAULT.receipt(_limited((None, None))) == (False, "/proc/7 shows a limit of unlimited; it held 100 MB then")
    assert FAULT.receipt(Evidence(())) == (False, "no limit was reported")


def test_it_is_lifted_to_what_it_was() -> None:
    lifted = _limited((None, 300_000_000), (300_000_000, None))
    assert FAULT.restored(lifted) == (True, "the limit is as before")
    kept = _limited((None, 300_000_000), (300_000_000, 300_000_000))
    assert FAULT.restored(kept) == (False, "the limit is 300000000, not None")


def test_of_a_process_that_is_gone_nothing_is_to_be_undone() -> None:
    limit = 300_000_000
    begun = [_report(7, False, None, limit), _report(8, False, None, limit)]
    assert FAULT.receipt(Evidence(begun))[0] is True
    assert FAULT.restored(Evidence(begun)) == (None, "")
    assert FAULT.restored(Evidence([*begun, _report(8, True, limit, None)]))[0] is True
    before = [_report(7, False, None, limit), _report(8, False, 400_000_000, limit)]
    assert FAULT.restored(Evidence([*before, _report(8, True, limit, 400_000_000)]))[0] is True


def test_a_limit_that_something_else_had_lifted_before_its_end_did_not_hold() -> None:
    lifted = _limited((None, 300_000_000), (None, None))
    assert FAULT.receipt(lifted) == (False, "something else had set the limit to unlimited before it ended")
