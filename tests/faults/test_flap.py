from __future__ import annotations

from dataclasses import replace

import pytest

from harness.faults.flap import Flap
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import Evidence
from tests.faults.links import impaired

FAULT = Flap.model_validate(
    {"select": {"host": "worker-1"}, "at": {"step": 5}, "direction": "out", "down": "100ms", "up": "300ms"}
)


def test_what_it_asks_the_wire_to_do() -> None:
    assert FAULT.impairment() == Impairment(blocked=True, period=0.4, down=0.1)


@pytest.mark.parametrize(("touched", "proven"), [(4, True), (1, True), (0, False), (40, False)])
def test_some_packets_are_dropped_and_others_are_not(touched: int, proven: bool) -> None:
    sentence = f"out: {touched} of 40 packets were dropped in 5.0 rounds"
    assert FAULT.receipt(Evidence([impaired("out", 40, touched)])) == (proven, sentence)


@pytest.mark.parametrize(("touched", "seconds", "proven"), [(1, 0.1, True), (0, 0.1, False), (1, 0.2, False)])
def test_one_that_never_came_to_its_up_lets_nothing_pass(touched: int, seconds: float, proven: bool) -> None:
    report = replace(impaired("out", max(touched, 1), touched), seconds=seconds)
    assert FAULT.receipt(Evidence([report]))[0] is proven
