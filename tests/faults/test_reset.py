from __future__ import annotations

from harness.faults.reset import Reset
from harness.vocabulary.events import Afterwards, Impaired
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import Evidence
from tests.faults.links import impaired

FAULT = Reset.model_validate({"select": {"host": "worker-1"}, "at": {"step": 5}, "direction": "out"})


def _told(touched: int, packets: int) -> Impaired:
    return impaired("out", packets, touched)


def _afterwards(lost: int | None, packets: int) -> Afterwards:
    return Afterwards(1.0, "main", "worker-1", 4, "out", 1.0, packets, lost)


def test_it_looks_for_connections_for_a_second() -> None:
    assert FAULT.impairment() == Impairment(reset=True)
    assert FAULT.life.duration is not None and FAULT.life.duration.time == 1.0


def test_it_is_proven_by_connections_that_the_wire_tore_down() -> None:
    assert FAULT.receipt(Evidence([_told(2, 9)])) == (True, "2 connections were torn down, at 9 packets")
    assert FAULT.receipt(Evidence([_told(1, 9)]))[0] is True
    assert FAULT.receipt(Evidence([_told(0, 9)]))[0] is False


def test_packets_pass_afterwards() -> None:
    assert FAULT.restored(Evidence([_told(2, 9), _afterwards(0, 5)])) == (
        True,
        "5 packets passed after it, 0 were lost",
    )
    assert FAULT.restored(Evidence([_told(2, 9), _afterwards(1, 5)]))[0] is False
    assert FAULT.restored(Evidence([_told(2, 9), _afterwards(None, 101)]))[0] is None
    assert FAULT.restored(Evidence([_told(2, 9)])) == (None, "no packet came by after it")
