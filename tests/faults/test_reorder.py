from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.reorder import Reorder
from harness.vocabulary.instructions import Impairment
from harness.vocabulary.receipts import Evidence
from tests.faults.links import WRITTEN, acts_both_ways_or_one, impaired

FAULT = Reorder.model_validate({**WRITTEN, "by": "10ms"})


def test_what_it_asks_the_wire_to_do() -> None:
    acts_both_ways_or_one(FAULT, Impairment(reorder=0.05, hold=0.01))


def test_the_wires_counters_prove_it() -> None:
    """As many as chance allows were held, and others overtook them."""
    held = impaired("out", 1000, 50, overtaken=30)
    sentence = "out: 50 of 1000 packets were held for 10 ms (5.00%) in 2.000 s, 30 were overtaken; "
    nothing = impaired("in", 0, 0)
    assert FAULT.receipt(Evidence([held, nothing])) == (True, sentence + "in: no packet came by in 2.000 s")
    assert FAULT.receipt(Evidence([impaired("out", 1000, 50, overtaken=1), nothing]))[0] is True
    assert FAULT.receipt(Evidence([impaired("out", 1000, 50), nothing]))[0] is False
    assert FAULT.receipt(Evidence([impaired("out", 1000, 100, overtaken=30), nothing]))[0] is False


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Reorder.model_validate({**WRITTEN, "by": "0ms"})
