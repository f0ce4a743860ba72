from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.shapes.ramp import Ramp


def test_from_first_to_last_and_again() -> None:
    ramp = Ramp(distribution="ramp", first=8, last=16, over=5)
    assert ramp.sizes(7, 500) == (8, 10, 12, 14, 16)
    assert ramp.sizes(7, 3) == (8, 10, 12)


def test_down_as_well() -> None:
    ramp = Ramp(distribution="ramp", first=16, last=8, over=3)
    assert ramp.sizes(7, 3) == (16, 12, 8)
    assert ramp.extremes() == (8, 16)


def test_it_has_to_move() -> None:
    with pytest.raises(ValidationError, match="first and last are both 8; use distribution: fixed"):
        Ramp(distribution="ramp", first=8, last=8, over=5)
