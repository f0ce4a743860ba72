from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.bandwidth import Bandwidth
from harness.vocabulary.instructions import Impair, Impairment, Restore
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import For
from tests.faults.links import impaired

WRITTEN = {"select": {"host": "worker-1"}, "at": {"step": 50}, "for": {"steps": 100}, "limit": "50mbit"}
FAULT = Bandwidth.model_validate(WRITTEN)


def _evidence(*counts: tuple[int, int, float | None, float | None], ways: tuple[str, ...] = ("out", "in")) -> Evidence:
    return Evidence([impaired(way, *report) for way, report in zip(ways, counts, strict=True)])


def test_what_it_asks_the_wire_to_do() -> None:
    impairment = Impairment(bandwidth=5e7)
    assert FAULT.inject("worker-1", 4) == (
        Impair("worker-1", 4, "out", impairment),
        Impair("worker-1", 4, "in", impairment),
    )
    assert FAULT.heal("worker-1", 4) == (Restore("worker-1", 4),)
    assert FAULT.life.duration == For(steps=100)
    one_way = Bandwidth.model_validate({**WRITTEN, "direction": "in"})
    assert one_way.inject("worker-1", 4) == (Impair("worker-1", 4, "in", impairment),)


@pytest.mark.parametrize(
    ("counts", "proven"),
    [
        ((100, 0, None, 5e7), True),
        ((100, 0, None, 5.3e7), True),
        ((100, 0, None, None), False),
    ],
)
def test_packets_that_waited_prove_it(counts: tuple[int, int, float | None, float | None], proven: bool) -> None:
    assert FAULT.receipt(_evidence(counts, counts))[0] is proven


@pytest.mark.parametrize(("rate", "fits"), [(5e7, True), (4.8e7, True), (5.3e7, False), (4.6e7, False)])
def test_its_dose_is_the_rate_while_packets_waited(rate: float, fits: bool) -> None:
    assert FAULT.dose(_evidence((100, 0, None, rate), (0, 0, None, None)))[0] is fits


def test_the_evidence_is_told_for_each_direction() -> None:
    assert FAULT.receipt(_evidence((100, 0, None, 5e7), (0, 0, None, None))) == (
        True,
        "out: packets that waited left at 50 Mbit/s; in: no packet came by in 2.000 s",
    )
    assert FAULT.dose(_evidence((100, 0, None, 5e7), (0, 0, None, None))) == (True, "50 Mbit/s were asked")
    assert FAULT.receipt(Evidence((), (), ())) == (
        False,
        "out: the wire reported nothing; in: the wire reported nothing",
    )


def test_what_waited_for_nothing_has_no_dose() -> None:
    assert FAULT.dose(_evidence((100, 0, None, None), (0, 0, None, None))) == (None, "")


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Bandwidth.model_validate({**WRITTEN, "limit": "0mbit"})
