from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from harness.storage import run_folder
from harness.storage.run_folder import RunFolder
from harness.studies import pruning, study_folder
from harness.studies.pruning import Limits, Unit
from harness.studies.study_folder import Answer

DAY = 86400.0
UNITS = [
    Unit("c", (), 9 * DAY, 100),
    Unit("a", (), 1 * DAY, 100),
    Unit("b", (), 2 * DAY, 100, "pinned"),
    Unit("d", (), 9.5 * DAY, 100),
]


@pytest.mark.parametrize(
    ("limits", "going"),
    [
        (Limits(), []),
        (Limits(older=5 * DAY), ["a"]),
        (Limits(count=3), ["a"]),
        (Limits(count=2), ["a"]),  # the newest two stay, however many others are kept
        (Limits(count=1), ["a", "c"]),
        (Limits(count=0), ["a", "c", "d"]),
        (Limits(bytes=300), []),  # what is kept does not count
        (Limits(bytes=299), ["a"]),
        (Limits(bytes=199), ["a", "c"]),
        (Limits(older=0.9 * DAY, bytes=300), ["a", "c"]),
    ],
)
def test_the_oldest_go_first_and_what_is_kept_stays(limits: Limits, going: list[str]) -> None:
    assert [unit.name for unit in pruning.chosen(UNITS, limits, 10 * DAY)] == going


def _run(results: Path, name: str, **status: object) -> RunFolder:
    folder = run_folder.create(results, name, "abcdef")
    folder.write_json("status.json", {"status": "finished", **status})
    return folder


def test_a_study_goes_with_its_runs(tmp_path: Path) -> None:
    mine, other = _run(tmp_path, "mine"), _run(tmp_path, "other")
    study = study_folder.create(tmp_path, "table", {})
    study.append(Answer("a", mine.id))
    study.append(Answer("b", "", "failed"))
    study.append(Answer("c", "20200101T000000-gone-abcdef"))
    units = {unit.name: unit for unit in pruning.units(tmp_path)}
    assert set(units) == {study.id, other.id}
    assert units[study.id].paths == (study.path, mine.path)
    assert units[study.id].bytes >= pruning.size(mine.path) > 0
    assert pruning.remove(tmp_path, units[study.id]) == ""
    assert [path.name for path in (tmp_path / "runs").iterdir()] == [other.id]
    assert list((tmp_path / "studies").iterdir()) == []
    assert pruning.remove(tmp_path, units[study.id]) == "it is gone already"


def test_what_has_to_stay_by_now_stays(tmp_path: Path) -> None:
    run, of_study = _run(tmp_path, "a"), _run(tmp_path, "b")
    study = study_folder.create(tmp_path, "table", {})
    study.append(Answer("a", of_study.id))
    units = {unit.name: unit for unit in pruning.units(tmp_path)}
    pruning.pin(run.path, True)
    assert pruning.remove(tmp_path, units[run.id]) == "pinned"
    with study.lock():
        assert pruning.remove(tmp_path, units[study.id]) == "it is being run"
    assert run.path.is_dir() and study.path.is_dir() and of_study.path.is_dir()


def test_what_nobody_may_miss_is_kept(tmp_path: Path) -> None:
    source, begun = _run(tmp_path, "source"), run_folder.create(tmp_path, "begun", "abcdef")
    lost = _run(tmp_path, "lost", status="running", pid=2**22 + 1, started=time.time())
    shrink = study_folder.create(tmp_path, "shrink", {"run": source.id})
    unnoted = _run(tmp_path, "unnoted", origin={"study": shrink.id})
    foreign = tmp_path / "runs" / "my copy of a good run"
    foreign.mkdir()
    (tmp_path / "runs" / "20260101T000000-link-abcdef").symlink_to(foreign)
    units = {unit.name: unit for unit in pruning.units(tmp_path)}
    assert units[shrink.id].paths == (shrink.path, unnoted.path)
    assert {name: unit.kept for name, unit in units.items()} == {
        source.id: f"{shrink.id} rests on it",
        shrink.id: "",
        begun.id: "it was written to just now",
        lost.id: "it was written to just now",
        foreign.name: "it is no run of ours",
        "20260101T000000-link-abcdef": "it is no run of ours",
    }
    for path in (lost.path, *lost.path.iterdir()):
        os.utime(path, (0, 0))
    assert {unit.name: unit.kept for unit in pruning.units(tmp_path)}[lost.id] == ""


def test_what_is_pinned_running_or_needed_is_kept(tmp_path: Path) -> None:
    pinned, running = (
        _run(tmp_path, "pinned"),
        _run(tmp_path, "a", status="running", pid=os.getpid(), started=time.time()),
    )
    pruning.pin(pinned.path, True)
    locked = study_folder.create(tmp_path, "soak", {})
    of_pinned = study_folder.create(tmp_path, "table", {})
    of_pinned.append(Answer("a", pinned.id))
    for hour in (1, 2):
        path = tmp_path / "studies" / f"20260101T0{hour}0000-calibrate"
        path.mkdir()
        (path / "question.json").write_text("{}")
        known = {"between_runs": {"upper": 0.1}, "scenario": "s", "job": {"model": "x"}, "machine": {"cores": 2}}
        (path / "summary.json").write_text(json.dumps(known))
    with locked.lock():
        kept = {unit.name: unit.kept for unit in pruning.units(tmp_path)}
    assert kept == {
        running.id: "it is being run",
        locked.id: "it is being run",
        of_pinned.id: "pinned",
        "20260101T010000-calibrate": "",
        "20260101T020000-calibrate": "the newest calibration of its job",
    }
    pruning.pin(pinned.path, False)
    assert {unit.name: unit.kept for unit in pruning.units(tmp_path)}[of_pinned.id] == ""


def test_a_removal_that_was_killed_leaves_no_run_and_is_finished_by_the_next(tmp_path: Path) -> None:
    run = _run(tmp_path, "x")
    run.path.rename(run.path.with_name(f".removed-{run.id}"))
    assert list(run_folder.every(tmp_path)) == []
    pruning.clear(tmp_path)
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_part_stays_as_long_as_what_it_is_part_of(tmp_path: Path) -> None:
    whole, part = (study_folder.create(tmp_path, name, {}) for name in ("qualify", "starts"))
    whole.write_json("parts.json", {"starts": part.id})
    assert {unit.name: unit.kept for unit in pruning.units(tmp_path)} == {
        whole.id: "",
        part.id: f"{whole.id} rests on it",
    }
    (first, _) = pruning.units(tmp_path)
    assert pruning.remove(tmp_path, first) == ""
    assert [unit.kept for unit in pruning.units(tmp_path)] == [""]
