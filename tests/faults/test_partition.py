from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.partition import Partition
from harness.vocabulary.instructions import Impair, Impairment, Restore
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import WallTime
from tests.faults.links import impaired

WRITTEN = {"select": {"host": "worker-1"}, "at": {"step": 50}, "for": {"time": "3s"}}
FAULT = Partition.model_validate(WRITTEN)


def _evidence(*counts: tuple[int, int, float | None, float | None], ways: tuple[str, ...] = ("out", "in")) -> Evidence:
    return Evidence([impaired(way, *report) for way, report in zip(ways, counts, strict=True)])


def test_what_it_asks_the_wire_to_do() -> None:
    impairment = Impairment(blocked=True)
    assert FAULT.inject("worker-1", 4) == (
        Impair("worker-1", 4, "out", impairment),
        Impair("worker-1", 4, "in", impairment),
    )
    assert FAULT.heal("worker-1", 4) == (Restore("worker-1", 4),)
    assert FAULT.life.duration == WallTime.model_validate({"time": "3s"})
    one_way = Partition.model_validate({**WRITTEN, "direction": "in"})
    assert one_way.inject("worker-1", 4) == (Impair("worker-1", 4, "in", impairment),)


@pytest.mark.parametrize(
    ("counts", "proven"),
    [
        ((12, 12, None, None), True),
        ((12, 11, None, None), False),
        ((0, 0, None, None), False),
    ],
)
def test_the_wires_counters_prove_it(counts: tuple[int, int, float | None, float | None], proven: bool) -> None:
    assert FAULT.receipt(_evidence(counts, counts))[0] is proven


def test_the_evidence_is_told_for_each_direction() -> None:
    assert FAULT.receipt(_evidence((12, 12, None, None), (0, 0, None, None))) == (
        True,
        "out: all 12 packets of 2.000 s were dropped; in: no packet came by in 2.000 s",
    )
    assert FAULT.receipt(Evidence((), (), ())) == (
        False,
        "out: the wire reported nothing; in: the wire reported nothing",
    )


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Partition.model_validate({**WRITTEN, "for": {"steps": 5}})
