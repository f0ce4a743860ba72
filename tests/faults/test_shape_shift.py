from __future__ import annotations

from harness.faults.shape_shift import ShapeShift
from harness.instructions import Tamper, Untamper
from tests.faults.told import tampered, unchanged

WRITTEN = {
    "select": {"role": "worker", "rank": 1},
    "at": {"step": 50},
    "for": {"steps": 2},
    "shapes": {"distribution": "choice", "values": [8, 16]},
}
FAULT = ShapeShift.model_validate(WRITTEN)


def test_the_worker_is_told_to_commit_it_while_it_lasts() -> None:
    assert FAULT.inject("worker/1", 4) == (Tamper("worker/1", 4),)
    assert FAULT.heal("worker/1", 4) == (Untamper("worker/1", 4),)
    assert FAULT.duration is not None and FAULT.duration.steps == 2


def test_its_sizes_are_drawn_from_the_seed() -> None:
    assert FAULT.sizes(3, 8) == FAULT.sizes(3, 8)
    assert set(FAULT.sizes(3, 50)) == {8, 16}


def test_it_is_proven_by_other_batches_in_all_its_steps() -> None:
    assert FAULT.receipt(tampered(50, 51))[0] is True
    assert FAULT.receipt(tampered(50, 51, 52))[0] is False
    assert FAULT.receipt(unchanged(50))[0] is False
