"""asv on a project of its own: a small scenario, real MXNet, real asv commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e

SCENARIO = """\
title: Is asv well served?
tags: [asv]
workload: {model: mlp, steps: 200, warmup: 20}
variants: {threaded: {}, naive: {target.env.MXNET_ENGINE_TYPE: NaiveEngine}}
expect: {throughput: {versus: threaded, at_least: 1%}}
"""

RUN = ("run", "--launch-method", "forkserver")
"""As `make bench` does."""

ONE = ("--bench", "track_peak_memory")
"""All tracked numbers are of one run, so that one of them shows whether it was made."""


class Project:
    """What `harness init` makes, with one small scenario."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        assert harness("init", folder).code == 0
        for path in (folder / "scenarios").iterdir():
            path.unlink()
        (folder / "scenarios" / "small.yaml").write_text(SCENARIO)
        (folder / ".gitignore").write_text("home\n__pycache__\n")
        self.commit("first")
        self.asv("machine", "--yes")

    def commit(self, message: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        for argv in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "--allow-empty", "-m", message]):
            subprocess.run(["git", *argv], cwd=self.folder, check=True)

    def asv(self, *arguments: str, code: int = 0) -> str:
        argv = [sys.executable, "-m", "asv", *arguments]
        env = {**os.environ, "HOME": str(self.folder / "home"), "XDG_CACHE_HOME": str(_cache_home())}
        (self.folder / "home").mkdir(exist_ok=True)
        done = subprocess.run(argv, cwd=self.folder, env=env, capture_output=True, text=True, timeout=600)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    @property
    def runs(self) -> int:
        return len(list((self.folder / "results" / "runs").iterdir()))

    @property
    def saved(self) -> list[Path]:
        return sorted((self.folder / "results" / "asv").glob("*/????????-*.json"))


def _cache_home() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, target: Path) -> Project:
    made = Project(tmp_path_factory.mktemp("project"))
    made.asv(*RUN, "--show-stderr")
    return made


def test_one_run_feeds_all_tracked_numbers(project: Project) -> None:
    assert project.runs == 1
    (saved,) = project.saved
    content = json.loads(saved.read_text())
    columns = content["result_columns"]
    results = {name: dict(zip(columns, row, strict=False)) for name, row in content["results"].items()}
    seconds = results["scenarios.Small.track_seconds_per_sample"]
    assert len(seconds["result"]) == 2
    assert all(0 < value < 0.01 for value in seconds["result"])
    assert all(low < value < high for low, value, high in zip(
        seconds["stats_ci_99_a"], seconds["result"], seconds["stats_ci_99_b"], strict=True
    ))  # fmt: skip
    assert set(results) == {
        f"scenarios.Small.track_{name}"
        for name in ("seconds_per_sample", "peak_memory", "held_memory", "final_loss", "drift", "verdict")
    }
    assert content["params"]["mxnet"] == "1.9.1"


def test_what_a_crash_left_finished_is_not_run_again(project: Project) -> None:
    before = project.runs
    project.saved[0].unlink()  # asv saves at the end: a crash leaves runs and no file
    project.asv(*RUN)
    assert project.runs == before
    project.asv(*RUN, *ONE)
    assert project.runs == before + 1


def test_a_dry_run_measures_anew(project: Project) -> None:
    before = project.runs
    project.asv(*RUN, "--dry-run", *ONE)
    project.asv(*RUN, "--dry-run", *ONE)
    assert project.runs == before + 2


def test_compare_show_and_publish(project: Project) -> None:
    project.commit("a night without changes")
    project.asv(*RUN)
    compared = project.asv("compare", "HEAD~1", "HEAD")
    assert "scenarios.Small.track_seconds_per_sample(naive)" in compared.replace("'", "")
    assert "track_peak_memory" in project.asv("show", "HEAD")
    project.asv("publish")
    html = project.folder / "results" / "html"
    assert re.findall(r'<(?:script|link)[^>]*"https?:', (html / "index.html").read_text()) == []
    index = json.loads((html / "index.json").read_text())
    assert index["params"]["mxnet"] == ["1.9.1"]
    assert index["benchmarks"]["scenarios.Small.track_drift"]["unit"] == "1 is none"
    assert len(list((html / "graphs").rglob("scenarios.Small.track_seconds_per_sample.json"))) >= 1


def test_numbers_are_never_filed_under_a_commit_with_other_files(project: Project) -> None:
    (project.folder / "scenarios" / "small.yaml").write_text(SCENARIO.replace("200", "220"))
    project.commit("another scenario")
    output = project.asv(*RUN, "HEAD~1^!", code=1)
    assert re.search(r"commit [0-9a-f]{8} has other files than the checkout", output)


def test_an_environment_variable_is_an_axis(project: Project) -> None:
    conf = project.folder / "asv.conf.json"
    conf.write_text(
        conf.read_text().replace('"env_nobuild": {}', '"env_nobuild": {"MXNET_SUBGRAPH_BACKEND": ["NONE"]}')
    )
    project.commit("an axis")
    project.asv(*RUN, *ONE)
    newest = max((project.folder / "results" / "runs").iterdir())
    plan = json.loads((newest / "plan.json").read_text())
    assert plan["arms"][0]["env"]["MXNET_SUBGRAPH_BACKEND"] == "NONE"


def test_what_is_not_committed_is_not_filed_under_a_commit(project: Project) -> None:
    before = project.runs
    small = project.folder / "scenarios" / "small.yaml"
    committed = small.read_text()
    small.write_text(committed.replace("warmup: 20", "warmup: 30"))
    (project.folder / "scenarios" / "an other.yaml").write_text(committed)
    (project.folder / ".git" / "info" / "exclude").write_text("an other.yaml\n")
    output = project.asv(*RUN, *ONE, code=1)
    assert re.search(
        r"not in commit [0-9a-f]{8}: scenarios/small.yaml, scenarios/an other.yaml; commit or stash", output
    )
    assert project.runs == before
    small.write_text(committed)
    (project.folder / "scenarios" / "an other.yaml").unlink()


def test_a_verdict_that_is_no_pass_is_seen_in_asv(project: Project) -> None:
    small = project.folder / "scenarios" / "small.yaml"
    small.write_text(small.read_text().replace("at_least: 1%", "at_most: 0.1%"))
    project.commit("an expectation that cannot be met")
    output = project.asv(*RUN, "--show-stderr", "--bench", "track_(verdict|peak_memory)", code=2)
    assert "failed" in output
    assert re.search(r"NotPassedError: run \S+: fail: throughput: ", output)
    newest = max(project.saved, key=lambda path: path.stat().st_mtime)
    content = json.loads(newest.read_text())
    results = {
        name: dict(zip(content["result_columns"], row, strict=False)) for name, row in content["results"].items()
    }
    assert results["scenarios.Small.track_verdict"]["result"] == [0.0, None]
    assert all(value > 0 for value in results["scenarios.Small.track_peak_memory"]["result"])
