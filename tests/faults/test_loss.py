from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.faults.loss import Loss
from harness.vocabulary.instructions import Impairment
from tests.faults.links import WRITTEN, acts_both_ways_or_one, proven_by_its_share

FAULT = Loss.model_validate({**WRITTEN})


def test_what_it_asks_the_wire_to_do() -> None:
    acts_both_ways_or_one(FAULT, Impairment(loss=0.05))


def test_the_wires_counters_prove_it() -> None:
    proven_by_its_share(FAULT, "were dropped")


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ValidationError):
        Loss.model_validate({**WRITTEN, "share": "0%"})
