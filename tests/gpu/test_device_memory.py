"""What a device gives, as `tests/recorded/h100/allocator.json` has it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.lists(st.one_of(st.integers(1, MIB), st.integers(-50, -1)), max_size=300))
def test_small_blocks_go_to_the_oldest_page_with_room(asked: list[int]) -> None:
    """Beside a search through all pages, with the rule as it is written."""
    device, blocks, pages = DeviceMemory(10**9, 10**9), [], list[list[int]]()
    for size in asked:
        if size > 0:
            rounded = -(-size // 512) * 512
            room = (page for page in pages if sum(page) and sum(page) + rounded <= PAGE)
            page = next(room, None)
            if page is None:
                page = list[int]()
                pages.append(page)
            page.append(rounded)
            blocks.append((device.malloc(size), page, rounded))
        elif blocks:
            block, page, rounded = blocks.pop(size % len(blocks))
            assert block is not None
            page.remove(rounded)
            device.release(block)
        assert 10**9 - device.free == PAGE * sum(bool(page) for page in pages)
