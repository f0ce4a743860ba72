from __future__ import annotations

import os
import signal
import threading

import pytest

from harness.base.process import answer
from harness.execution.interruption import Interruption


def test_signals_are_noted_and_handlers_set_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with Interruption().watched() as interruption:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.name == "SIGTERM"
    assert signal.getsignal(signal.SIGTERM) is before


def test_what_is_ignored_stays_ignored_as_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption().watched() as interruption:
            os.kill(os.getpid(), signal.SIGHUP)
            assert interruption.name == ""
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_ends_what_is_waited_for() -> None:
    """It is only noted: a Python that hung kept us for two minutes."""
    with Interruption().watched():
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            answer(["sleep", "20"], 10.0, {"PATH": os.environ["PATH"]})
        timer.join()
