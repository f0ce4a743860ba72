from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.reorder import Reorder
from harness.vocabulary.instructions import Impairment
from tests.faults.links import WRITTEN, acts_both_ways_or_one, proven_by_its_share

FAULT = Reorder.model_validate({**WRITTEN, "by": "10ms"})


def test_what_it_asks_the_wire_to_do() -> None:
    acts_both_ways_or_one(FAULT, Impairment(reorder=0.05, hold=0.01))


def test_the_wires_counters_prove_it() -> None:
    proven_by_its_share(FAULT, "were held for 10 ms")


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Reorder.model_validate({**WRITTEN, "by": "0ms"})
