"""The ledger: commits beside the checkout, one night at a time."""

from __future__ import annotations

import errno
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness.base.errors import HarnessError, InputError
from harness.storage import ledger
from harness.storage.ledger import Ledger


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def known(tmp_path: Path) -> Ledger:
    _git(tmp_path, "init", "--quiet")
    return ledger.of(tmp_path)


def test_a_commit_holds_just_its_files_and_follows_the_one_before(known: Ledger) -> None:
    first = known.append({"night.json": b"1", "scripts/a@1/a.py": b"x = 1\n"}, "night one")
    second = known.append({"night.json": b"2"}, "night two\n\nall good")
    assert known.commits() == [first, second]
    assert known.read(first, "night.json") == b"1"
    assert known.read(second, "night.json") == b"2"
    assert known.read(second, "scripts/a@1/a.py") is None
    assert known.names(first, "scripts/a@1") == ["scripts/a@1/a.py"]
    assert _git(known.repository, "log", "-1", "--format=%s|%b", "nights") == "night two|all good"


def test_checkout_index_and_branch_stay_as_they_are(known: Ledger) -> None:
    folder = known.repository
    (folder / "half.txt").write_text("begun\n")
    _git(folder, "add", "half.txt")
    (folder / "other.txt").write_text("not added\n")
    before = _git(folder, "status", "--porcelain=v2", "--branch")
    known.append({"night.json": b"1"}, "night one")
    assert _git(folder, "status", "--porcelain=v2", "--branch") == before
    assert (folder / "half.txt").read_text() == "begun\n"


def test_bytes_and_names_come_back_as_they_were(known: Ledger) -> None:
    files = {"scripts/a@1/ä b.py": b"\xff\x00\n", "empty": b""}
    commit = known.append(files, "night")
    assert {name: known.read(commit, name) for name in files} == files
    assert known.names(commit, "scripts") == ["scripts/a@1/ä b.py"]


def test_who_is_not_known_to_git_still_has_nights(
    known: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    commit = known.append({"night.json": b"1"}, "night")
    assert _git(known.repository, "log", "-1", "--format=%an", commit) in ("harness", _git_name())


def _git_name() -> str:
    done = subprocess.run(["git", "config", "--global", "user.name"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_one_night_at_a_time_and_the_next_one_after_it(known: Ledger) -> None:
    by_whom = r"a night is being run already, by process \d+ since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC"
    with known.lock(), pytest.raises(HarnessError, match=by_whom), known.lock():
        raise AssertionError("two nights at once")
    with known.lock():
        pass


def test_there_are_no_nights_before_the_first(known: Ledger) -> None:
    assert known.commits() == []


def test_a_folder_in_no_repository_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="in no git repository"):
        ledger.of(tmp_path)


def test_what_git_refuses_is_told_in_its_words(known: Ledger) -> None:
    with pytest.raises(HarnessError, match="git ls-tree: fatal"):
        known.names("0123456789012345678901234567890123456789", "scripts")


def test_projects_in_one_repository_have_nights_of_their_own(known: Ledger) -> None:
    whole = known.repository
    for name in ("a/b", "a-b"):
        (whole / name).mkdir(parents=True)
    branches = [ledger.of(whole / name).branch for name in ("", "a-b", "a/b")]
    assert branches[:2] == ["nights", "nights-a-b"]
    assert branches[2].startswith("nights-a-b-")
    ledger.of(whole / "a-b").append({"night.json": b"1"}, "night")
    assert (known.commits(), len(ledger.of(whole / "a-b").commits())) == ([], 1)


def test_what_keeps_git_from_taking_a_night_is_told_before_it(known: Ledger, tmp_path: Path) -> None:
    known.require_possible(("night.json", "accepted.json"))
    commit = known.append({"night.json": b"1"}, "night")
    _git(known.repository, "update-ref", "-d", "refs/heads/nights")
    _git(known.repository, "branch", "nights/old", commit)
    with pytest.raises(InputError, match="the branch nights/old leaves no room for the branch nights; rename it"):
        known.require_possible(("night.json", "accepted.json"))
    _git(known.repository, "branch", "-m", "nights/old", "nights")
    known.require_possible(("night.json", "accepted.json"))
    _git(known.repository, "worktree", "add", "--quiet", str(tmp_path / "beside"), "nights")
    with pytest.raises(InputError, match=r"the branch nights is checked out in .*beside"):
        known.require_possible(("night.json", "accepted.json"))


def test_a_branch_whose_file_is_cut_off_is_no_new_ledger(known: Ledger) -> None:
    """As after a power cut: a night was measured before git refused it, and `show` said that there is none."""
    known.append({"night.json": b"1"}, "night")
    (known.repository / ".git" / "refs" / "heads" / "nights").write_text("")
    with pytest.raises(InputError, match=r"the branch nights is damaged: .*refs/heads/nights names no commit; remove"):
        known.require_possible(("night.json",))


def test_what_was_made_from_a_commit_that_is_not_the_newest_is_refused(known: Ledger) -> None:
    first = known.append({"night.json": b"1"}, "night")
    known.append({"night.json": b"2"}, "night")
    with pytest.raises(HarnessError, match="update-ref"):
        known.append({"night.json": b"3"}, "night", onto=first)
    assert known.append({"night.json": b"3"}, "night", onto=known.tip) == known.tip


def test_a_full_disk_lets_a_night_be_run_and_told(known: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may be left to be written when the file is closed."""

    def fails(*_: object) -> int:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("os.write", fails)
    with known.lock():
        pass


def test_a_branch_that_a_killed_git_left_locked_is_told_before_a_night_is_measured(known: Ledger) -> None:
    known.append({"night.json": b"1"}, "night")
    (known.repository / ".git" / "refs" / "heads" / f"{known.branch}.lock").touch()
    with pytest.raises(HarnessError, match="lock"):
        known.require_possible(("night.json",))


def test_a_branch_of_the_users_own_is_not_taken_over(known: Ledger) -> None:
    commit = known.append({"train.py": b"pass"}, "a branch that happens to be called so")
    with pytest.raises(InputError, match="a branch nights that holds no nights; rename it: git branch -m nights NAME"):
        known.require_possible(("night.json", "accepted.json"))
    assert known.commits() == [commit]


def test_a_full_disk_for_temporary_files_is_told(known: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of git's lies there while a commit is made."""

    def full(*arguments: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/x")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with pytest.raises(HarnessError, match="no space left on device; free some space, or set TMPDIR"):
        known.append({"night.json": b"1"}, "night one")
