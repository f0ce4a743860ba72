"""What a worker tells of its own faults, for tests of these."""

from __future__ import annotations

from harness.events import Tampered
from harness.receipts import Evidence


def tampered(*steps: int, what: str = "gradient of w", before: str = "a" * 64, after: str = "b" * 64) -> Evidence:
    """An account of these steps."""
    return Evidence([Tampered(1.0, "main", "worker/1", 4, step, what, before, after, "so") for step in steps])


def unchanged(*steps: int) -> Evidence:
    """An account in which nothing changed."""
    return tampered(*steps, after="a" * 64)
