"""The scenarios that come with the harness."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def folder() -> Path:
    """Where they are: within an installed package, or beside it in a clone."""
    inside = _PACKAGE / "shipped" / "scenarios"
    return inside if inside.is_dir() else _PACKAGE.parent / "scenarios"
