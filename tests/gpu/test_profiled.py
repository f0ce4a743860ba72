"""Allocations out of the profiler's levels."""

from __future__ import annotations

import pytest

from harness.base.errors import InputError
from harness.gpu import profiled


def lines(*levels: int, device: str = "cpu/0") -> list[str]:
    """As MXNet 1.9.1 writes them, with what stands around."""
    each = (f'        "args": {{ "Memory: {device}": {level} }},\n' for level in levels)
    return ["{\n", '        "name": "Memory: cpu/0",\n', *each, "}\n"]


def test_a_level_that_rises_is_an_array_and_one_that_falls_frees_one_of_its_size() -> None:
    found = profiled.trace("t", lines(100, 300, 200, 200, 400, 200, 0))
    assert found.events == [(0, 100), (1, 200), (0, 0), (3, 200), (3, 0), (1, 0)]


def test_other_devices_are_left_out() -> None:
    found = profiled.trace("t", [*lines(100), *lines(70, device="cpu/1"), *lines(0)])
    assert found.events == [(0, 100), (0, 0)]
    assert found.others == ("cpu/1",)


def test_arrays_from_before_are_freed_unseen() -> None:
    many = [size for _ in range(100) for size in (1000, 1400)]
    assert len(profiled.trace("t", lines(1000, 900, *many)).events) > 190


def test_levels_that_do_not_follow() -> None:
    with pytest.raises(InputError, match="t has 1 frees of nothing that was allocated"):
        profiled.trace("t", lines(100, 350, 150))
    with pytest.raises(InputError, match="noted no allocation of t"):
        profiled.trace("t", lines())
