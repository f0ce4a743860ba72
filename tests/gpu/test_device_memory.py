"""What a device gives, as `tests/recorded/h100/allocator.json` has it."""

from __future__ import annotations

import json

import pytest

from harness.gpu.device_memory import MIB, PAGE, DeviceMemory
from tests.conftest import ROOT

RECORDED = json.loads((ROOT / "tests" / "recorded" / "h100" / "allocator.json").read_text())["granularity"]


@pytest.mark.parametrize("row", [row for row in RECORDED if row["size"] >= 65536], ids=lambda row: str(row["size"]))
def test_64_blocks_take_what_they_took(row: dict[str, int]) -> None:
    """Bytes of the device, but for a page that may have been there before; below 64 kB all came out of such."""
    device = DeviceMemory(10**10, 10**10)
    for _ in range(64):
        assert device.malloc(row["size"]) is not None
    assert 10**10 - device.free - row["taken_by_64"] in (0, PAGE)


def test_what_is_given_back_is_free() -> None:
    device = DeviceMemory(10 * MIB, 10 * MIB)
    blocks = [device.malloc(size) for size in (1, MIB, 3 * MIB)]
    assert device.free == 4 * MIB
    assert device.malloc(4 * MIB + 1) is None
    for block in blocks:
        assert block is not None
        device.release(block)
    assert (device.free, device.mallocs, device.frees) == (10 * MIB, 4, 3)
