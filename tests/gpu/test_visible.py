"""Numbers of GPUs, as processes and as NVML have them."""

from __future__ import annotations

import pytest

from harness.gpu import visible


def test_numbers_of_contexts() -> None:
    assert visible.numbers(["gpu(3)", "cpu(0)", "gpu(0)", "gpu(3)"]) == [0, 3]


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (None, [0, 1]),
        ("2,3", [2, 3]),
        (" 3 , 2", [3, 2]),
        ("5", [5]),
        ("", []),
        ("GPU-584c9901,GPU-1", [0, 1]),
    ],
)
def test_what_the_variable_makes_of_them(shown: str | None, found: list[int]) -> None:
    assert visible.physical([0, 1], shown) == found
