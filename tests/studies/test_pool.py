"""Runs in processes of their own, that end when their study does."""

from __future__ import annotations

import signal
from pathlib import Path

import psutil
import pytest

from harness.execution.interruption import Interruption
from harness.studies import pool
from harness.studies.pool import Command


def test_an_interruption_ends_all_and_none_of_them_counts_as_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "module", lambda *argv: ["sleep", "60"])
    interruption = Interruption()
    interruption.signal = signal.SIGINT
    commands = [Command("one", ()), Command("two", ())]
    before = set(psutil.Process().children())
    with pytest.raises(KeyboardInterrupt):
        list(pool.run_all(commands, 2, interruption))
    assert set(psutil.Process().children()) == before


def test_what_it_complained_of_is_the_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "module", lambda *argv: ["sh", "-c", "echo this; echo that >&2; exit 4"])
    (found,) = pool.run_all([Command("one", ())])
    assert (found.key, found.verdict, found.failure) == ("one", None, "exit status 4: that")
