"""A project of one's own; asv runs in it in `tests/e2e/test_asv.py`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from asv.config import Config

from harness.asv_bridge import classes, project
from harness.base.errors import HarnessError, InputError
from harness.execution import machine
from harness.planning import validation
from harness.scenario.own_script import OwnScript


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True).stdout


def test_a_project_is_a_repository_with_all_that_asv_needs(tmp_path: Path) -> None:
    folder = tmp_path / "nightly"
    scenarios = project.create(folder, None)
    assert [path.name for path in scenarios] == ["dist-sync-healthy.yaml", "slow-worker-dist-sync.yaml"]
    assert all("asv" in validation.load(path).scenario.tags for path in scenarios)
    assert _git(folder, "status", "--porcelain") == ""
    assert _git(folder, "log", "--format=%s") == "Scenarios to begin with\n"
    conf = Config.load(str(folder / "asv.conf.json"))
    assert (conf.project, conf.environment_type, conf.branches) == ("nightly", "harness", ["HEAD"])
    assert (folder / "results").is_dir()
    assert len((folder / "README.md").read_text().splitlines()) <= 24


def test_a_script_gets_a_scenario_that_finds_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("")
    own = OwnScript(tmp_path / "train.py", ["--epochs", "1"], tmp_path, {})
    (path,) = project.create(tmp_path / "nightly", own)
    loaded = validation.load(path)
    assert loaded.scenario.tags == ["asv"]
    assert loaded.scenario.workload.steps == 300
    assert Path(loaded.scenario.workload.own_file or "").resolve() == tmp_path / "train.py"
    assert "script: ../../train.py" in path.read_text()
    assert loaded.scenario.workload.scratch is machine.namespaces().there, "a night writes over nothing of the user's"
    assert "harness run scenarios/train.yaml" in (tmp_path / "nightly" / "README.md").read_text()


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for taken in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(InputError, match="is there already, and not an empty folder"):
            project.create(taken, None)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_without_git_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="git is not here"):
        project.create(tmp_path / "nightly", None)


def test_no_other_repository_is_touched_wherever_variables_of_the_shell_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    project.create(other, None)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    project.create(tmp_path / "mine", None)
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert (tmp_path / "mine" / ".git").is_dir()
    assert _git(other, "log", "--format=%s") == "Scenarios to begin with\n"
    assert _git(other, "status", "--porcelain") == ""


def test_what_the_user_has_git_refuse_ignore_or_sign_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ignored").write_text("*.yaml\nresults\nbenchmarks\n")
    settings = f"[core]\nexcludesFile = {tmp_path / 'ignored'}\n[commit]\ngpgsign = true\n[user]\nemail = a@b.org\n"
    (tmp_path / ".gitconfig").write_text(f"{settings}useConfigOnly = true\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    project.create(tmp_path / "mine", None)
    assert len(_git(tmp_path / "mine", "ls-files").splitlines()) == 9


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_commit", lambda *_: (_ for _ in ()).throw(HarnessError("no")))
    with pytest.raises(HarnessError, match="no"):
        project.create(tmp_path / "mine", None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "scenario"),
    [("中文.py", "script.yaml"), ("train.py", "train.yaml")],
)
def test_a_scenario_has_a_name_that_asv_can_take(tmp_path: Path, script: str, scenario: str) -> None:
    (tmp_path / script).write_text("")
    made = project.create(tmp_path / "mine", OwnScript(tmp_path / script, [], tmp_path, {}))
    assert [path.name for path in made] == [scenario]
    assert len(classes.generate(tmp_path / "mine" / "scenarios")) == 1


def test_a_script_is_found_from_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "er")
    (tmp_path / "train.py").write_text("")
    made = project.create(tmp_path / "link" / "mine", OwnScript(tmp_path / "train.py", [], tmp_path, {}))
    assert validation.load(made[-1]).scenario.tags == ["asv"]


@pytest.mark.parametrize("name", ["bad\udcffname", "two\nlines", "a" * 300])
def test_names_that_no_folder_should_have(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        project.create(tmp_path / name, None)
