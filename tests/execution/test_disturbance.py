"""What else happens to the machine."""

from __future__ import annotations

import subprocess
import sys
import time

from harness.execution.disturbance import Disturbance

BURN = "import time\nuntil = time.monotonic() + 2.5\nwhile time.monotonic() < until: pass"


def test_shares_are_shares() -> None:
    watch = Disturbance()
    assert watch.facts()["mhz"] == "not available", "nobody looked"
    time.sleep(0.3)
    for _ in range(3):
        watch.look()
    assert len(watch._clocks) == 1, "not more often than once a second"
    found = watch.facts()
    assert set(found) == {"used_by_others", "stolen", "waited", "throttled", "mhz"}
    assert 0 <= found["used_by_others"] <= 1
    assert 0 <= found["stolen"] <= 1


def test_what_we_compute_ourselves_disturbs_nobody_and_what_another_computes_does() -> None:
    own, others = Disturbance(), Disturbance()
    child = subprocess.Popen([sys.executable, "-c", BURN])
    time.sleep(2.0)
    disturbed = others.facts()["used_by_others"]  # a child that lives still counts as another's
    child.wait()
    assert own.facts()["used_by_others"] < disturbed
