from __future__ import annotations

import re
from pathlib import Path

from harness.worker import memory

# Recorded from mxnet.profiler.dumps(reset=True): 1.5.1 and 1.9.1 print the same table.
TABLE = """
Profile Statistics:
	Note the difference in units for different entries.
Device Storage
=================
Name                          Total Count    Min Use  (kB)    Max Use  (kB)    Avg Use  (kB)
----                          -----------    -------------    -------------    -------------
Memory: cpu/0                        1200        2253.4160        2319.9761          33.2800
Memory: cpu/1                          10         100.0000         200.5000          50.2500
"""


class _Profiler:
    def __init__(self, text: str) -> None:
        self._text = text

    def dumps(self, reset: bool) -> str:
        assert reset
        return self._text


def _live(text: str) -> memory.LiveBytes:
    live = memory.LiveBytes(False)
    live._profiler = _Profiler(text)
    return live


def test_levels_of_all_devices_add_up() -> None:
    devices = {"cpu/0": 2319976, "cpu/1": 200500}
    assert _live(TABLE).read() == {"live": 2520476, "live_low": 2353416, "live_by_device": devices}


def test_no_count_is_not_zero() -> None:
    assert _live("nothing").read() == {"live": None, "live_low": None, "live_by_device": None}
    not_wanted = memory.LiveBytes(False)
    assert not_wanted.read() == {"live": None, "live_low": None, "live_by_device": None}
    assert not_wanted.reason == "not asked for; set workload.memory: live"


def test_resident_is_what_the_kernel_says() -> None:
    held = memory.resident()
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert peak is not None
    assert held["peak"] <= int(peak[1]) * 1024
    assert held["anonymous"] <= held["resident"] <= held["peak"]
