from __future__ import annotations

import pytest

from harness.faults.slow_input import Delayed, SlowInput
from harness.vocabulary.receipts import Evidence

FAULT = SlowInput.model_validate(
    {"select": {"role": "worker", "rank": 1}, "at": {"step": 5}, "for": {"steps": 20}, "by": "20ms"}
)


def _delayed(*seconds: float, first: int = 5) -> Evidence:
    events = [Delayed(1.0, "main", "worker/1", 0, step, delay) for step, delay in enumerate(seconds, first)]
    return Evidence(events, (0.025,), (0.01,))


def test_it_is_proven_by_the_delay_that_the_worker_spent() -> None:
    sentence = "2 batches came 20.1 ms later at least; its steps took 25.0 ms, 10.0 ms without it"
    assert FAULT.receipt(_delayed(0.0201, 0.0203)) == (True, sentence)
    assert FAULT.receipt(Evidence(_delayed(0.5).events, (2.0,), (1.0,))) == (
        True,
        "1 batches came 500.0 ms later at least; its steps took 2000.0 ms, 1000.0 ms without it",
    )
    assert FAULT.receipt(Evidence(_delayed(0.0201).events, (0.02,)))[1] == "1 batches came 20.1 ms later at least"
    assert FAULT.receipt(_delayed(0.0201, 0.0))[0] is False


def test_steps_that_are_slow_for_another_reason_do_not_prove_it() -> None:
    assert FAULT.receipt(Evidence((), (0.04,), (0.01,))) == (False, FAULT.unseen)


def test_it_is_of_its_own_steps() -> None:
    assert FAULT.receipt(_delayed(0.0201, first=4))[0] is False


@pytest.mark.parametrize(
    ("delay", "fits"), [(0.0149, False), (0.0201, True), (0.0249, True), (0.0259, None), (0.027, False)]
)
def test_its_dose_is_the_median_delay(delay: float, fits: bool | None) -> None:
    assert FAULT.dose(_delayed(delay, delay, delay))[0] is fits


def test_its_dose_is_told() -> None:
    late = SlowInput.model_validate({**FAULT.model_dump(by_alias=True, exclude_none=True), "by": "2s"})
    assert late.dose(_delayed(2.001, 2.003)) == (True, "2002.0 ms each, 2000 ms were asked")
