"""Numbers of GPUs, as processes and as NVML have them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.gpu import visible
from harness.gpu.devices import Gpu

FOUR = [Gpu(number, "A100", f"GPU-{number}a-b", (8, 0), None, None, False) for number in range(4)]
BY_BUS = {visible.ORDER: visible.BY_BUS}


def test_numbers_of_contexts() -> None:
    assert visible.numbers(["gpu(3)", "cpu(0)", "gpu(0)", "gpu(3)"]) == [0, 3]


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        ("2,3", [2, 3]),
        (" 3 , 2", [3, 2]),
        ("1", [1]),
        ("", []),
        ("-1", []),
        ("NoDevFiles", []),
        ("3,-1,1", [3]),
        ("3,9,1", [3]),
        ("0,0", [0]),
        ("GPU-2a,GPU-1a", [2, 1]),
        ("GPU-", []),
    ],
)
def test_what_the_variable_makes_of_them(shown: str, found: list[int]) -> None:
    """As CUDA has it: what follows an entry that is no device is hidden."""
    assert visible.physical([0, 1], {**BY_BUS, visible.VARIABLE: shown}, FOUR) == found


def test_without_it_they_are_what_they_are() -> None:
    assert visible.physical([0, 1], BY_BUS, FOUR) == [0, 1]


def test_another_order_of_several_is_known_to_nobody() -> None:
    assert visible.physical([0], {visible.ORDER: "FASTEST_FIRST"}, FOUR) is None
    assert visible.physical([0], {}, FOUR[:1]) == [0]


def test_parts_of_a_gpu_are_not_told_apart() -> None:
    assert visible.physical([0], {**BY_BUS, visible.VARIABLE: "MIG-1234"}, FOUR) is None
    parts = [replace(FOUR[0], mig=True)]
    assert visible.physical([0], {**BY_BUS, visible.VARIABLE: "0"}, parts) is None
