"""``harness nightly``: what nights were, what is accepted, and whom it tells."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from harness import cli
from harness.asv_bridge import nights as asv_nights
from harness.base.errors import StorageError
from harness.cli import _nights, nightly
from harness.storage import ledger
from harness.studies import study_folder, watching
from harness.studies.night_budget import Asked
from harness.studies.nightly import Nightly
from harness.studies.watching import Ready
from tests.report.pages.test_nightly import NIGHT


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two nights, of which the second has an alert."""
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    known = ledger.of(tmp_path)
    for night in (replace(NIGHT, id="n1", scenarios=[]), NIGHT):
        known.append({"night.json": json.dumps(night.as_json()).encode()}, f"night {night.id}")
    return tmp_path


def test_nights_are_shown_all_or_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["nightly", "show"]) == 0
    assert "1 new alert; 1 alert, 1 failed; 3 rounds" in capsys.readouterr().out
    assert cli.main(["nightly", "show", "last", "--json"]) == 0
    body = json.loads(capsys.readouterr().out)
    assert (body["id"], body["alerts"], body["schema"]) == ("n2", ["a1"], "harness/nightly/1")
    assert len(body["commit"]) == 40
    assert cli.main(["nightly", "show", "--json"]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)["nights"]] == ["n1", "n2"]
    assert cli.main(["nightly", "show", "n"]) == 2
    assert "'n' is not one night; there are n1, n2" in capsys.readouterr().err


def test_an_alert_is_accepted_by_its_id_and_why_is_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for too_short in ("", "a"):  # as of a variable of a shell that is not set
        assert cli.main(["nightly", "accept", too_short, "--because", "a larger network"]) == 2
    capsys.readouterr()
    assert cli.main(["nightly", "accept", "a1", "--because", "a larger network"]) == 0
    assert capsys.readouterr().out == "accepted: lenet main, throughput: a larger network\n"
    assert cli.main(["nightly", "show", "last"]) == 0
    assert "accepted, a larger network: lenet" in capsys.readouterr().out
    commits = ["git", "rev-list", "--count", "nights"]
    before = subprocess.run(commits, capture_output=True, check=True).stdout
    assert cli.main(["nightly", "accept", "a1", "--because", "a larger network"]) == 0
    assert capsys.readouterr().out == "already accepted, a1: lenet main, throughput: a larger network\n"
    assert subprocess.run(commits, capture_output=True, check=True).stdout == before
    assert cli.main(["nightly", "accept", "zzz", "--because", "x"]) == 2
    assert "'zzz' is no alert; there are a1" in capsys.readouterr().err
    assert cli.main(["nightly", "accept", "a1", "--because", " "]) == 2


def test_several_are_accepted_at_once_and_by_several_at_the_same_time(project: Path) -> None:
    """None that was told as accepted is lost."""
    known = ledger.of(project)
    scenario = NIGHT.scenarios[0]
    (answer, *_) = scenario.answers
    ids = [f"abc{number}5678" for number in range(8)]
    alerts = [replace(answer, id=id_) for id_ in ids]
    night = replace(NIGHT, id="n3", scenarios=[replace(scenario, answers=alerts)])
    known.append({"night.json": json.dumps(night.as_json()).encode()}, "night n3")
    asked = [argparse.Namespace(ids=[id_[:4]], because=id_) for id_ in ids[:6]]
    asked.append(argparse.Namespace(ids=ids[6:], because="both"))
    with ThreadPoolExecutor(len(asked)) as pool:
        assert set(pool.map(lambda each: _nights.accept(known, each), asked)) == {0}
    _, accepted = watching.read(known)
    assert accepted == {**{id_: id_ for id_ in ids[:6]}, **dict.fromkeys(ids[6:], "both")}


def test_a_file_that_is_none_is_told_before_anything_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "scenarios").mkdir()
    (project / "asv.conf.json").write_text("{}")
    assert cli.main(["nightly", "--confirm", "30s"]) == 2
    assert "--confirm 30s leaves no comparison the time that it takes; give at least 40s" in capsys.readouterr().err
    assert cli.main(["nightly", "--resolve", "200%"]) == 2
    assert "resolve 200%: anything would be the same" in capsys.readouterr().err
    for given in ("", "."):
        assert cli.main(["nightly", "--markdown", given]) == 2
        assert "--markdown .: give a file" in capsys.readouterr().err


def test_before_the_first_night_there_is_nothing_to_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["nightly", "show"]) == 2
    assert "in no git repository" in capsys.readouterr().err
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert cli.main(["nightly", "show"]) == 2
    assert "there is no night yet" in capsys.readouterr().err
    assert cli.main(["nightly"]) == 2
    assert "there is no asv.conf.json" in capsys.readouterr().err


def test_who_is_notified_is_asked_three_times_and_never_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    monkeypatch.setattr(_nights, "NOTIFY_SECONDS", 0.5)
    got = tmp_path / "got"
    _nights._notify(f"{sys.executable} -c \"import sys; open('{got}', 'a').write(sys.stdin.read())\"", "a night")
    assert got.read_text() == "a night"
    _nights._notify(f"{sys.executable} -c \"open('{got}', 'a').write('x'); raise SystemExit(4)\"", "a night")
    assert got.read_text() == "a nightxxx"
    assert "ended with status 4 (try 3 of 3)" in capsys.readouterr().err
    _nights._notify("sleep 60", "a night")
    _nights._notify("/no/such/command", "a night")
    assert capsys.readouterr().err.count("try 3 of 3") == 2


def test_what_a_command_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_nights, "NOTIFY_SECONDS", 0.5)
    monkeypatch.setattr(_nights, "TRIES", 1)
    started = tmp_path / "pid"
    _nights._notify(f"sh -c 'sleep 600 & echo $! > {started}; wait'", "a night")
    number = int(started.read_text())
    for _ in range(100):
        if not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.05)
    raise AssertionError(f"{number} is alive")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tell 'us", '--notify "tell \'us": no closing quotation'),
        (" ", "--notify is empty"),
        ("/no/such/command -x", "--notify: '/no/such/command' is no program that can be run"),
    ],
)
def test_what_is_no_command_is_told_before_the_night(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, message: str
) -> None:
    (project / "asv.conf.json").write_text("{}")
    (project / "scenarios").mkdir()
    assert cli.main(["nightly", "--notify", command]) == 2
    assert message in capsys.readouterr().err


def test_a_matrix_that_cannot_be_read_is_a_night_that_could_not_run(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "asv.conf.json").write_text("{")
    (project / "scenarios").mkdir()
    assert cli.main(["nightly", "--json"]) == 3
    assert "the night could not run: " in json.loads(capsys.readouterr().out)["headline"]
    assert cli.main(["nightly", "show", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nights"]) == 3


def test_a_folder_that_is_gone_is_a_night_that_could_not_run_and_before_the_first_one_a_mistake(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk that is not there, say: nobody was told."""
    (project / "asv.conf.json").write_text("{}")
    assert cli.main(["nightly", "--json"]) == 3
    told = json.loads(capsys.readouterr().out)["headline"]
    assert told.startswith("the night could not run: ") and told.endswith(
        "scenarios is no folder of scenarios; give another --suite"
    )
    subprocess.run(["git", "branch", "-D", "nights"], check=True)
    assert cli.main(["nightly"]) == 2


def test_a_branch_that_cannot_be_written_is_told_to_those_who_watch(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Yesterday's file would say that all is well."""
    (project / "asv.conf.json").write_text("{}")
    (project / "scenarios").mkdir()
    subprocess.run(["git", "worktree", "add", "--quiet", project / "there", "nights"], check=True)
    asked = ["nightly", "--prometheus", "night.prom", "--notify", "cp /dev/stdin told.json"]
    assert cli.main(asked) == 2
    assert "the branch nights is checked out in" in capsys.readouterr().err
    assert "harness_nightly_ran 0" in Path("night.prom").read_text()
    assert "is checked out in" in json.loads(Path("told.json").read_text())["headline"]
    assert cli.main(["nightly", "accept", "a1", "--because", "x"]) == 2, "it would move under who works there"


def test_a_night_that_hangs_does_not_silence_those_after_it(project: Path) -> None:
    """Each of them could not run, and says so to those who watch."""
    asked = ["nightly", "--prometheus", "night.prom", "--notify", "cp /dev/stdin told.json"]
    with ledger.of(project).lock():
        assert cli.main(asked) == 3
    assert "harness_nightly_ran 0" in Path("night.prom").read_text()
    told = json.loads(Path("told.json").read_text())["headline"]
    assert told.startswith("the night could not run: a night is being run already, by process ")
    assert cli.main(["nightly", "show", "--json"]) == 0, "the ledger is that other night's"


def test_a_reader_that_went_away_keeps_nobody_from_being_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("builtins.print", fails)
    given = {"results": project, "alert": [], "notify": "cp /dev/stdin told.json", "json": True}
    files = {"markdown": None, "junit": project / "night.xml", "prometheus": None, "code_quality": None}
    with pytest.raises(BrokenPipeError):
        nightly._tell(NIGHT, nightly._Told(ledger.of(project), argparse.Namespace(**given, **files), {}))
    assert (project / "night.xml").is_file()
    assert json.loads((project / "told.json").read_text())["alerts"] == ["a1"]


def test_a_night_that_no_disk_takes_could_not_run(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise StorageError("results cannot be written: no space left on device")

    (project / "asv.conf.json").write_text("{}")
    (project / "scenarios").mkdir()
    monkeypatch.setattr(asv_nights, "axes", lambda project: [])
    monkeypatch.setattr(watching, "ready", lambda *_: Ready([], {}, {}, {}, {}))
    monkeypatch.setattr(nightly, "_opened", fails)
    assert cli.main(["nightly", "--json"]) == 3
    assert "no space left on device" in json.loads(capsys.readouterr().out)["headline"]
    assert cli.main(["nightly", "show", "--json"]) == 0
    assert "no space left" in json.loads(capsys.readouterr().out)["nights"][-1]["failure"]


def test_what_a_notified_command_prints_is_no_part_of_the_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert _nights._notify("echo seen", "a night")
    assert capfd.readouterr() == ("", "seen\n")


def test_a_form_that_cannot_be_written_does_not_undo_the_night(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _nights.write(tmp_path / "no" / "where.md", "text")
    assert "where.md cannot be written: no such file or directory" in capsys.readouterr().err


def test_asv_is_given_the_nights_that_it_did_not_take(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where one was killed between its commit and asv; what is in no ledger waits."""
    given = list[tuple[str, object]]()

    def take(known: ledger.Ledger, folder: Path, results: Path, commit: str, numbers: object) -> Path:
        given.append((commit, numbers))
        return folder

    monkeypatch.setattr(asv_nights, "file", take)
    results, known = project / "results", ledger.of(project)
    folders = [study_folder.create(results, "nightly", {}) for _ in range(3)]
    for number, folder in enumerate(folders):
        folder.write_json("ledger.json", {"numbers": number, "commit": "", "filed": number == 1})
    night = replace(NIGHT, id=folders[0].id, scenarios=[])
    commit = known.append({"night.json": json.dumps(night.as_json()).encode()}, "night")
    told = nightly._Told(known, argparse.Namespace(results=results, alert=[]), {})
    nightly._file(told)
    nightly._file(told)
    assert given == [(commit, 0)]


def test_a_branch_that_was_set_back_makes_no_finished_night_a_killed_one(project: Path) -> None:
    results, known = project / "results", ledger.of(project)
    folder = study_folder.create(results, "nightly", {})
    folder.write_json("ledger.json", {"numbers": {}, "commit": "f" * 40, "filed": True})
    arguments = argparse.Namespace(results=results, alert=[], budget=None, repeat=None, confirm=None, resolve=None)
    study, own = nightly._opened(Ready([], {}, {}, {}, {}), nightly._Told(known, arguments, {}))
    assert own.id != folder.id
    assert len(known.commits()) == 2  # nothing was recorded as killed
    assert study.watched == {}


def test_a_night_is_told_though_its_folder_is_full(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, results = list[str](), project / "results"
    arguments = argparse.Namespace(results=results, alert=[], notify=None)
    study, folder = Nightly([], Asked(), {}), study_folder.create(results, "nightly", {})
    study.folder = folder

    def write(name: str, value: dict[str, object]) -> None:
        if value["commit"]:
            raise StorageError("no space left on device")

    monkeypatch.setattr(nightly, "_tell", lambda night, _: told.append(night.id))
    monkeypatch.setattr(type(folder), "write_json", lambda self, *given: write(*given))
    known = nightly._Told(ledger.of(project), arguments, {})
    with pytest.raises(StorageError):
        nightly._over(study, study.night, folder, Ready([], {}, {}, {}, {}), known, {})
    assert told == [folder.id]


def test_news_wait_on_disk_until_somebody_took_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From before the ledger knows of them; a command that takes none is not tried for every night that waits."""
    taken = list[str]()
    tries = list[str]()
    monkeypatch.setattr(_nights, "_notify", lambda command, text: tries.append(text) or (text in taken))
    for night in ("3", "2", "1", "1"):
        _nights.queue(tmp_path, night, f"night {night}")
    _nights.deliver("tell", tmp_path)
    assert tries == ["night 1", "night 2"]
    taken += ["night 2", "night 3"]  # one that it always refuses
    _nights.deliver("tell", tmp_path)
    _nights.deliver("tell", tmp_path)
    assert tries[2:] == ["night 1", "night 2", "night 3", "night 1"]


def test_news_that_no_disk_takes_are_told_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = list[str]()
    monkeypatch.setattr(_nights, "_notify", lambda command, text: tries.append(text) or True)
    (tmp_path / "nights").write_text("a file where a folder should be")
    assert not _nights.queue(tmp_path, "1", "night 1")
    _nights.deliver("tell", tmp_path, "night 1")
    assert tries == ["night 1"]


def test_news_that_are_on_disk_are_not_told_twice_where_the_disk_fills(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _nights.queue(tmp_path, "1", "night 1")
    monkeypatch.setattr(_nights, "write", lambda path, text: False)
    assert _nights.queue(tmp_path, "1", "night 1, with its commit")
    assert not _nights.queue(tmp_path, "2", "night 2")


def test_news_that_cannot_be_taken_away_stop_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = list[str]()
    monkeypatch.setattr(_nights, "_notify", lambda command, text: tries.append(text) or True)
    _nights.queue(tmp_path, "2", "night 2")
    (tmp_path / "nights" / "undelivered" / "1.json").mkdir()
    _nights.deliver("tell", tmp_path)
    assert tries == ["night 2"]


def test_what_no_ledger_takes_is_told_all_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> str:
        raise StorageError("the disk is full")

    told, seen = nightly._Told(ledger.of(project), argparse.Namespace(results=project, alert=[], notify=None), {}), []
    monkeypatch.setattr(nightly, "_append", fails)
    monkeypatch.setattr(nightly, "_tell", lambda night, _: seen.append(night.failure))
    with pytest.raises(StorageError):
        nightly._could_not_run(told, "no results can be written")
    assert seen == ["no results can be written"]


def test_an_alert_is_queued_before_the_ledger_has_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(nightly, "_append", fails)
    results = project / "results"
    told = nightly._Told(ledger.of(project), argparse.Namespace(results=results, alert=[], notify="tell"), {})
    with pytest.raises(KeyboardInterrupt):
        nightly._could_not_run(told, "no disk")
    (waiting,) = (results / "nights" / "undelivered").iterdir()
    assert "no disk" in waiting.read_text()
