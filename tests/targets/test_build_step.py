"""One step of building a target."""

from __future__ import annotations

import signal
import subprocess
from typing import Any

import pytest

from harness.targets import build_step


def test_who_waits_for_a_build_step_ends_it_when_he_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal may be meant for us alone: what a terminal sends goes to all."""
    started, popen = list[subprocess.Popen[str]](), subprocess.Popen

    def noted(*arguments: Any, **named: Any) -> subprocess.Popen[str]:
        started.append(popen(*arguments, **named))
        return started[-1]

    def pressed(line: str) -> None:
        raise KeyboardInterrupt(line)

    monkeypatch.setattr(build_step.subprocess, "Popen", noted)
    with pytest.raises(KeyboardInterrupt):
        build_step.run(["sh", "-c", "echo loading; exec sleep 20"], "what", note=pressed)
    assert [process.returncode for process in started] == [-signal.SIGKILL]
