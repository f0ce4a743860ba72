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


SPLIT = [FOUR[0], replace(FOUR[1], mig=True, slices=["MIG-1a", "MIG-1b"]), *FOUR[2:]]


@pytest.mark.parametrize(
    ("shown", "wanted", "found"),
    [
        ("MIG-1b", [0], [1]),
        ("MIG-1b", [0, 1], [1]),
        ("MIG-1b,MIG-1a", [1], []),
        ("MIG-9", [0], []),
        ("0,2", [0, 1], [0, 2]),
        ("1", [0], None),
        (None, [0], None),
    ],
)
def test_of_a_split_gpu_a_process_sees_the_slice_that_is_named(
    shown: str | None, wanted: list[int], found: list[int] | None
) -> None:
    env = BY_BUS if shown is None else {**BY_BUS, visible.VARIABLE: shown}
    assert visible.physical(wanted, env, SPLIT) == found
    unnamed = visible.split(env, SPLIT)
    assert (unnamed is not None) == (found is None)
    assert unnamed in (None, SPLIT[1])
