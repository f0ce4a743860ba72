"""Limits of a control group, and of those that it is in."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.execution import control_group


@pytest.fixture
def groups(tmp_path: Path) -> tuple[Path, Path]:
    """A group in another one, and where a process reads which is its own."""
    groups, own = tmp_path / "groups", tmp_path / "own"
    (groups / "slice" / "unit").mkdir(parents=True)
    own.write_text("9:name=systemd:/\n0::/slice/unit\n")
    return groups, own


def test_what_held_processes_back_is_counted_in_all_of_them(groups: tuple[Path, Path]) -> None:
    assert control_group.throttled(*groups) == {}
    for name, count in (("slice", 3), ("slice/unit", 4)):
        (groups[0] / name / "cpu.stat").write_text(f"usage_usec 9\nnr_periods 8\nnr_throttled {count}\n")
    assert control_group.throttled(*groups) == {"throttled": 7.0}
    assert control_group.throttled(groups[0], groups[0] / "nowhere") == {}


def test_the_least_limit_counts(groups: tuple[Path, Path]) -> None:
    assert control_group.cpu_limit(*groups) == {}
    (groups[0] / "slice/unit/cpu.max").write_text("max 100000\n")
    assert control_group.cpu_limit(*groups) == {}
    (groups[0] / "slice/cpu.max").write_text("150000 100000\n")
    assert control_group.cpu_limit(*groups) == {"cpu_limit": 1.5}
    (groups[0] / "slice/unit/cpu.max").write_text("50000 100000\n")
    assert control_group.cpu_limit(*groups) == {"cpu_limit": 0.5}
