from __future__ import annotations

from harness.events import Filled
from harness.faults.disk_full import DiskFull
from harness.instructions import Disk, Fill, Unfill
from harness.receipts import Evidence

FAULT = DiskFull.model_validate({"select": {"role": "worker", "rank": 0}, "at": {"step": 60}, "disk": "8MB"})


def _filled(*pairs: tuple[int, int]) -> Evidence:
    return Evidence([Filled(1.0, "main", "worker/0", 2, *pair) for pair in pairs])


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.prepare("/run/logs") == (Disk("", "/run/logs/checkpoints", 8_000_000),)
    assert FAULT.inject("worker/0", 2) == (Fill("worker/0", 2),)
    assert FAULT.heal("worker/0", 2) == (Unfill("worker/0", 2),)


def test_it_is_proven_by_what_the_file_system_says() -> None:
    assert FAULT.receipt(_filled((8_000_000, 0))) == (True, "0 B of 8 MB stayed free")
    assert FAULT.receipt(_filled((8_000_000, 4096)))[0] is False
    assert FAULT.restored(_filled((8_000_000, 0), (0, 7_000_000))) == (True, "7 MB are free again")
    assert FAULT.restored(_filled((8_000_000, 0), (0, 0)))[0] is False
