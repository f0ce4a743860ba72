from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from harness.storage import run_folder, run_index
from harness.storage.run_folder import RunFolder

NEVER = 2**22 + 1


def _folder(tmp_path: Path, **status: object) -> RunFolder:
    folder = run_folder.create(tmp_path, "s", "abc")
    folder.write_json("status.json", status)
    folder.write_json("plan.json", {"title": "why?"})
    return folder


def test_a_finished_run_has_its_verdict(tmp_path: Path) -> None:
    folder = _folder(tmp_path, status="finished", reason="")
    folder.write_json("verdict.json", {"verdict": "pass", "reason": "every check passed"})
    entry = run_index.entry(folder)
    assert (entry.title, entry.status, entry.verdict) == ("why?", "finished", "pass")


def test_a_run_whose_harness_was_killed_is_lost(tmp_path: Path) -> None:
    assert run_index.entry(_folder(tmp_path, status="running", pid=NEVER, started=time.time())).status == "lost"


def test_a_run_that_goes_on_is_running(tmp_path: Path) -> None:
    assert (
        run_index.entry(_folder(tmp_path, status="running", pid=os.getpid(), started=time.time())).status == "running"
    )


@pytest.mark.parametrize("field", ["pid", "started"])
def test_a_status_with_nonsense_is_damaged(tmp_path: Path, field: str) -> None:
    status = {"status": "running", "pid": os.getpid(), "started": time.time(), field: "x"}
    assert run_index.entry(_folder(tmp_path, **status)).status == "damaged"


def test_a_damaged_run_does_not_hide_the_others(tmp_path: Path) -> None:
    folder = run_folder.create(tmp_path, "s", "abc")
    entry = run_index.entry(folder)
    assert entry.status == "damaged"
    assert "status.json cannot be read" in entry.reason
