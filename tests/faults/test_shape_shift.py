from __future__ import annotations

from harness.faults.shape_shift import ShapeShift
from harness.vocabulary.receipts import Evidence
from tests.faults.reports import WRITTEN, committed_for, committed_in, unchanged

SHAPES = {"distribution": "choice", "values": [8, 16]}
FAULT = ShapeShift.model_validate({**WRITTEN, "for": {"steps": 2}, "shapes": SHAPES})


def test_its_sizes_are_drawn_from_the_seed() -> None:
    committed_for(FAULT, 2)
    assert FAULT.sizes(3, 8) == FAULT.sizes(3, 8)
    assert set(FAULT.sizes(3, 50)) == {8, 16}


def test_it_is_proven_by_other_batches_in_its_steps_and_in_no_others() -> None:
    assert FAULT.receipt(committed_in(50, 51))[0] is True
    some = Evidence([*committed_in(50).events, *unchanged(51).events])
    assert FAULT.receipt(some)[0] is True
    assert str(FAULT.receipt(some)[1]).endswith("; 1 batches are others")
    assert FAULT.receipt(committed_in(50, 51, 52))[0] is False
    assert FAULT.receipt(unchanged(50))[0] is False
