from __future__ import annotations

import pytest

from harness.faults.slow_input import SlowInput
from harness.vocabulary.receipts import Evidence

FAULT = SlowInput.model_validate(
    {"select": {"role": "worker", "rank": 1}, "at": {"step": 5}, "for": {"steps": 20}, "by": "20ms"}
)


@pytest.mark.parametrize(
    ("inside", "outside", "proven"),
    [((0.025,), (0.01,), True), ((0.017,), (0.01,), False), ((0.025,), (0.03,), False), ((), (0.01,), False)],
)
def test_it_is_proven_by_the_time_of_steps(inside: tuple[float, ...], outside: tuple[float, ...], proven: bool) -> None:
    assert FAULT.receipt(Evidence((), inside, outside))[0] is proven


def test_the_evidence_is_told() -> None:
    assert FAULT.receipt(Evidence((), (0.025,), (0.01,)))[1] == "its steps took 25.0 ms, 10.0 ms without it"
