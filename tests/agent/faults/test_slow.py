from __future__ import annotations

import subprocess
import sys
import time

import pytest

from harness.agent.faults.slow import ThrottledProcess


@pytest.mark.alone
@pytest.mark.parametrize("factor", [1.5, 4.0])
def test_the_share_of_stopped_time_gives_the_factor(factor: float) -> None:
    spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
    try:
        throttle = ThrottledProcess(spinner.pid, spinner.pid, factor)
        while throttle.cycles < 60:  # as long as that takes here
            time.sleep(max(0.0, throttle.due - time.monotonic()))
            throttle.turn()
        elapsed = throttle.release()
    finally:
        spinner.kill()
        spinner.wait()
    assert elapsed / (elapsed - throttle.stopped) == pytest.approx(factor, rel=0.1)
    assert throttle.witnessed >= throttle.cycles - 1  # the first may meet it before it has settled


def test_a_process_that_is_gone_needs_no_turns() -> None:
    gone = subprocess.Popen(["true"], start_new_session=True)
    gone.wait()
    throttle = ThrottledProcess(gone.pid, gone.pid, 3.0)
    throttle.turn()
    assert throttle.due == float("inf")
    throttle.release()
    assert throttle.cycles == 0
