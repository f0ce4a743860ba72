from __future__ import annotations

import pytest

from harness.report import numbers
from harness.vocabulary.quantities import Quantity


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (Quantity("t", "samples/s", 422.13, 10, 417.4, 427.1), "422.1 samples/s (417.4 to 427.1), n=10"),
        (Quantity("t", "samples/s", 21860.4, 25, 21510.0, 22080.0), "21860 samples/s (21510 to 22080), n=25"),
        (Quantity("t", "s/sample", 0.000102, 9, 0.000097, 0.00012), "102 us/sample (97 to 120), n=9"),
        (Quantity("t", "s", 0.0015, 900), "1.5 ms, n=900"),
        (Quantity("m", "B", 16_600_000, 25, 900_000, 17e6), "16.6 MB (0.9 to 17), n=25"),
        (Quantity("g", "B/1000 steps", 983_000, 16), "983 kB/1000 steps, n=16"),
        (Quantity("f", "fraction", 0.886, 25, 0.886, 0.886), "88.6 %, n=25"),
        (Quantity("l", "", 0.135, 80, 0.09928, 0.1565), "0.135 (0.09928 to 0.1565), n=80"),
        (Quantity("x", "B", None, note="not asked for"), "not available: not asked for"),
    ],
)
def test_value_unit_interval_and_count(quantity: Quantity, text: str) -> None:
    assert numbers.text(quantity) == text
