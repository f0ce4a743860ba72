from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.latency import Latency
from harness.vocabulary.instructions import Impair, Impairment, Restore
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import For
from tests.faults.links import impaired

WRITTEN = {"select": {"host": "worker-1"}, "at": {"step": 50}, "for": {"steps": 100}, "by": "20ms", "jitter": "1ms"}
FAULT = Latency.model_validate(WRITTEN)


def _evidence(*counts: tuple[int, int, float | None, float | None], ways: tuple[str, ...] = ("out", "in")) -> Evidence:
    return Evidence([impaired(way, *report) for way, report in zip(ways, counts, strict=True)])


def test_what_it_asks_the_wire_to_do() -> None:
    impairment = Impairment(latency=0.02, jitter=0.001)
    assert FAULT.inject("worker-1", 4) == (
        Impair("worker-1", 4, "out", impairment),
        Impair("worker-1", 4, "in", impairment),
    )
    assert FAULT.heal("worker-1", 4) == (Restore("worker-1", 4),)
    assert FAULT.life.duration == For(steps=100)
    one_way = Latency.model_validate({**WRITTEN, "direction": "in"})
    assert one_way.inject("worker-1", 4) == (Impair("worker-1", 4, "in", impairment),)


@pytest.mark.parametrize(
    ("counts", "proven"),
    [
        ((100, 100, 0.02, None), True),
        ((100, 100, 0.011, None), True),
        ((100, 100, 0.009, None), False),
        ((100, 100, 0.0, None), False),
        ((100, 100, None, None), False),
    ],
)
def test_packets_that_took_longer_prove_it(counts: tuple[int, int, float | None, float | None], proven: bool) -> None:
    assert FAULT.receipt(_evidence(counts, counts))[0] is proven


@pytest.mark.parametrize(
    ("written", "delay", "fits"),
    [
        ({}, 0.02, True),
        ({}, 0.0222, True),  # 5 %, what chance allows, and the jitter
        ({}, 0.0232, None),  # the wire may be a millisecond late
        ({}, 0.0234, False),
        ({}, 0.0184, False),  # being late makes nothing shorter
        ({"tolerance": "20%"}, 0.0244, True),
        ({"jitter": "20ms"}, 0.032, True),  # packets that keep their order wait for one another
        ({"jitter": "20ms"}, 0.047, False),
    ],
)
def test_its_dose_is_the_mean_within_what_chance_allows(
    written: dict[str, str], delay: float, fits: bool | None
) -> None:
    fault = Latency.model_validate({**WRITTEN, **written})
    report = (100, 100, delay, None)
    assert fault.dose(_evidence(report, report))[0] is fits


def test_a_millisecond_is_not_proven_by_none() -> None:
    """A delay of 0 lies within the millisecond that the wire may be late."""
    fault = Latency.model_validate({**WRITTEN, "by": "1ms", "jitter": "0ms"})
    assert fault.receipt(_evidence((100, 100, 0.0, None), (0, 0, None, None)))[0] is False


def test_the_evidence_is_told_for_each_direction() -> None:
    assert FAULT.receipt(_evidence((100, 100, 0.02, None), (0, 0, None, None))) == (
        True,
        "out: 100 packets took 20.00 ms longer; in: no packet came by in 2.000 s",
    )
    assert FAULT.dose(_evidence((100, 100, 0.02, None), (0, 0, None, None))) == (True, "20 ms were asked")
    assert FAULT.receipt(Evidence((), (), ())) == (
        False,
        "out: the wire reported nothing; in: the wire reported nothing",
    )


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Latency.model_validate({**WRITTEN, "jitter": "30ms"})
