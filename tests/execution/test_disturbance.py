"""What else happens to the machine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from harness.execution import disturbance
from harness.execution.disturbance import Disturbance

BURN = "import time\nuntil = time.monotonic() + 2.5\nwhile time.monotonic() < until: pass"


def test_shares_are_shares() -> None:
    watch = Disturbance()
    time.sleep(0.3)
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


def test_limits_of_our_group_and_of_those_that_it_is_in_count(tmp_path: Path) -> None:
    groups, own = tmp_path / "groups", tmp_path / "own"
    (groups / "slice" / "unit").mkdir(parents=True)
    own.write_text("0::/slice/unit\n")
    assert disturbance._throttled(groups, own) == {}
    for name, count in (("slice", 3), ("slice/unit", 4)):
        (groups / name / "cpu.stat").write_text(f"usage_usec 9\nnr_periods 8\nnr_throttled {count}\n")
    assert disturbance._throttled(groups, own) == {"throttled": 7.0}
    assert disturbance._throttled(groups, tmp_path / "nowhere") == {}
