from __future__ import annotations

from harness.faults.disk_full import DiskFull, Filled
from harness.vocabulary.instructions import Act, Prepare, Undo
from harness.vocabulary.receipts import Evidence

FAULT = DiskFull.model_validate({"select": {"role": "worker", "rank": 0}, "at": {"step": 60}, "disk": "8MB"})


def _filled(*pairs: tuple[int, int]) -> Evidence:
    return Evidence([Filled(1.0, "main", "worker/0", 2, *pair) for pair in pairs])


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.prepare("/run/logs") == (
        Prepare("", "disk_full", {"path": "/run/logs/checkpoints", "size": 8_000_000}),
    )
    assert FAULT.inject("worker/0", 2) == (Act("worker/0", 2, "disk_full", {}),)
    assert FAULT.heal("worker/0", 2) == (Undo("worker/0", 2),)


def test_it_is_proven_by_what_the_file_system_says() -> None:
    assert FAULT.receipt(_filled((8_000_000, 0))) == (True, "0 B of 8 MB stayed free")
    assert FAULT.receipt(_filled((8_000_000, 4096)))[0] is False
    assert FAULT.receipt(_filled((0, 0)))[0] is False
    assert FAULT.receipt(_filled()) == (False, "nothing was filled")
    assert FAULT.restored(_filled((8_000_000, 0), (0, 7_000_000), (7_000_000, 6_000_000))) == (
        True,
        "6 MB are free again",
    )
    assert FAULT.restored(_filled((8_000_000, 0), (7_000_000, 1)))[0] is True
    assert FAULT.restored(_filled((8_000_000, 0))) == (None, "")
    assert FAULT.restored(_filled((8_000_000, 0), (0, 0)))[0] is False


def test_all_share_one_disk() -> None:
    other = DiskFull.model_validate({**FAULT.model_dump(by_alias=True, exclude_none=True), "disk": "9MB"})
    assert FAULT.clash(other) == (("disk",), "all share one disk of checkpoints; give one size")
    assert FAULT.clash(FAULT) is None
