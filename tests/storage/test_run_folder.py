from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.errors import DamagedRunError, RunNotFoundError, StorageError
from harness.planning.plan import Plan
from harness.storage import run_folder


def test_a_run_folder_is_named_after_time_scenario_and_plan(tmp_path: Path) -> None:
    first = run_folder.create(tmp_path, "a b/c", "abcdef0123")
    second = run_folder.create(tmp_path, "a b/c", "abcdef0123")
    assert first.id.endswith("-a-b-c-abcdef")
    assert second.id in (f"{first.id}-2", second.id)
    assert first.id != second.id
    assert [run.id for run in run_folder.every(tmp_path)] == sorted([first.id, second.id])


def test_files_are_replaced_whole_and_leave_nothing_beside(tmp_path: Path) -> None:
    folder = run_folder.create(tmp_path, "s", "abc")
    folder.write_json("status.json", {"a": 1})
    folder.write_json("status.json", {"a": 2})
    assert folder.read_json("status.json") == {"a": 2}
    assert [path.name for path in folder.path.iterdir()] == ["status.json"]


def test_names_stay_in_their_order(tmp_path: Path) -> None:
    """Which variant is the first decides what drift is of."""
    folder = run_folder.create(tmp_path, "q", "0" * 64)
    folder.write_json("question.json", {"variants": {"plain": {}, "amp": {}}})
    assert list(folder.read_json("question.json")["variants"]) == ["plain", "amp"]


def test_a_plan_survives(tmp_path: Path, plan_of: Callable[..., Plan]) -> None:
    folder = run_folder.create(tmp_path, "s", "abc")
    folder.write("plan.json", plan_of().text())
    assert folder.plan().hash == plan_of().hash


def test_runs_are_found_by_part_and_by_last(tmp_path: Path) -> None:
    for name in ("one", "two", "two"):
        run_folder.create(tmp_path, name, "abcdef").write("status.json", "{}")
    assert run_folder.find(tmp_path, "one").id.endswith("-one-abcdef")
    newest = [run.id for run in run_folder.every(tmp_path) if "-two-" in run.id][-1]
    assert run_folder.find(tmp_path, "two").id == run_folder.find(tmp_path, "last:two").id == newest
    assert run_folder.find(tmp_path / "elsewhere", str(tmp_path / "runs" / newest)).id == newest
    assert run_folder.find(tmp_path, "last").id == [run.id for run in run_folder.every(tmp_path)][-1]
    with pytest.raises(RunNotFoundError, match="could be 3 runs"):
        run_folder.find(tmp_path, "abcdef")
    with pytest.raises(RunNotFoundError, match=r"no run 'nonsense' in .*harness list"):
        run_folder.find(tmp_path, "nonsense")
    with pytest.raises(RunNotFoundError):
        run_folder.find(tmp_path, "")


def test_a_damaged_folder_names_the_file(tmp_path: Path) -> None:
    folder = run_folder.create(tmp_path, "s", "abc")
    with pytest.raises(DamagedRunError, match=r"plan\.json cannot be read: no such file"):
        folder.plan()
    for text, complaint in (
        ("{", "is not JSON"),
        ("{}", r"is not a plan: .*Field required"),
        ('{"version": 3}', r"is a plan of version 3, .*use the older harness that made it, or run its scenario\.yaml"),
        ('{"version": 99}', "is a plan of version 99, .*use the newer harness"),
    ):
        folder.write("plan.json", text)
        with pytest.raises(DamagedRunError, match=rf"plan\.json {complaint}"):
            folder.plan()
    folder.write("status.json", b"\xff")
    with pytest.raises(DamagedRunError, match=r"status\.json is not text"):
        folder.read_json("status.json")


def test_results_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file")
    with pytest.raises(StorageError, match=r"cannot be written: .*--results"):
        run_folder.create(tmp_path / "results", "s", "abc")
