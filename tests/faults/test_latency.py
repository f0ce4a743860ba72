from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.latency import Latency
from harness.vocabulary.events import Impaired
from harness.vocabulary.instructions import Impair, Impairment, Restore
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import For

WRITTEN = {"select": {"host": "worker-1"}, "at": {"step": 50}, "for": {"steps": 100}, "by": "20ms", "jitter": "1ms"}
FAULT = Latency.model_validate(WRITTEN)


def _evidence(*told: tuple[int, int, float | None, float | None], ways: tuple[str, ...] = ("out", "in")) -> Evidence:
    reports = [Impaired(1.0, "main", "worker-1", 4, way, 2.0, *one, False) for way, one in zip(ways, told, strict=True)]
    return Evidence(reports, (), ())


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
    ("told", "proven"),
    [
        ((100, 100, 0.02, None), True),
        ((100, 100, 0.0225, None), True),
        ((100, 100, 0.024, None), False),
        ((100, 100, 0.016, None), False),
        ((100, 100, None, None), False),
    ],
)
def test_the_wires_counters_prove_it(told: tuple[int, int, float | None, float | None], proven: bool) -> None:
    assert FAULT.receipt(_evidence(told, told))[0] is proven


def test_the_evidence_is_told_for_each_direction() -> None:
    assert FAULT.receipt(_evidence((100, 100, 0.02, None), (0, 0, None, None))) == (
        True,
        "out: 100 packets took 20.00 ms longer, 20 ms were asked; in: no packet came by in 2.000 s",
    )
    assert FAULT.receipt(Evidence((), (), ())) == (
        False,
        "out: the wire reported nothing; in: the wire reported nothing",
    )


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Latency.model_validate({**WRITTEN, "jitter": "30ms"})
