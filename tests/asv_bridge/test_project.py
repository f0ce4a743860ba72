"""A project of one's own; asv runs in it in `tests/e2e/test_asv.py`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from asv.config import Config

from harness.asv_bridge import project
from harness.base.errors import HarnessError, InputError
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
    path = project.create(tmp_path / "nightly", own)[-1]
    loaded = validation.load(path)
    assert loaded.scenario.tags == ["asv"]
    assert loaded.scenario.workload.steps == 300
    assert Path(loaded.scenario.workload.own_file or "").resolve() == tmp_path / "train.py"
    assert "script: ../../train.py" in path.read_text()


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
