"""What `harness init` makes of its options; the project itself is in `tests/asv_bridge/test_project.py`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from harness import cli
from harness.asv_bridge import project
from harness.planning import validation
from harness.targets.environment import DEFAULT_MXNET


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("")
    return tmp_path / "train.py"


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that finds an mxnet."""
    folder = tmp_path / "venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "mxnet").mkdir()
    (folder / "mxnet" / "__init__.py").write_text("")
    made = folder / "bin" / "python"
    made.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} "$@"\n')
    made.chmod(0o755)
    return made


def test_a_version_is_what_asv_and_nights_measure(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["init", "mine", "--mxnet", "1.7.0.post2"]) == 0
    assert json.loads(Path("mine/asv.conf.json").read_text())["matrix"]["req"] == {"mxnet": ["1.7.0.post2"]}
    run = "harness run scenarios/slow-worker-dist-sync.yaml --mxnet 1.7.0.post2"
    assert run in capsys.readouterr().out, "outside of nights the default is another one"
    assert run in Path("mine/README.md").read_text()


def test_a_name_that_a_shell_would_part_is_quoted(script: Path) -> None:
    script.rename("my train.py")
    assert cli.main(["init", "mine", "--script", "my train.py"]) == 0
    assert "harness run 'scenarios/my train.yaml'  #" in Path("mine/README.md").read_text()


def test_an_interpreter_is_the_scripts(script: Path, python: Path) -> None:
    assert cli.main(["init", "mine", "--script", "train.py", "--python", str(python)]) == 0
    scenario = validation.load(Path("mine/scenarios/train.yaml")).scenario
    assert scenario.target.python == str(python)
    assert json.loads(Path("mine/asv.conf.json").read_text())["matrix"]["req"] == {"mxnet": [DEFAULT_MXNET]}


def test_a_job_of_several_processes(script: Path) -> None:
    asked = ["init", "mine", "--script", "train.py", "--workers", "2", "--kvstore", "dist_async", "--steps", "90"]
    assert cli.main([*asked, "--", "--epochs", "9"]) == 0
    scenario = validation.load(Path("mine/scenarios/train.yaml")).scenario
    assert (scenario.topology.workers, scenario.topology.kvstore) == (2, "dist_async")
    assert (scenario.workload.steps, scenario.workload.args) == (90, ["--epochs", "9"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--mxnet", "one"], "'one' is not a version"),
        (["--mxnet", ""], "--mxnet is empty"),
        (["--python", "/usr/bin/python3"], "--python for a script, and no script; give --script ./train.py"),
        (["--workers", "2", "--steps", "9"], "--workers, --steps for a script, and no script"),
        (["--", "--epochs", "1"], "arguments for a script, and no script"),
        (["--script", "none.py"], "none.py is not a file"),
        (["--script", "train.py", "--python", "none"], "there is no interpreter at none"),
        (["--script", "train.py", "--python", sys.executable], "there is no mxnet in"),
        (["--script", "train.py", "--kvstore", "dist_none"], "dist_none"),
        (["--script", "train.py", "--horovod", "2", "--servers", "1"], "Horovod has neither servers nor a kvstore"),
    ],
)
def test_what_is_not_possible_makes_nothing(
    script: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["init", "mine", *options]) == 2
    assert said in capsys.readouterr().err
    assert not Path("mine").exists()


def test_help_tells_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["init", "--help"])
    told = re.findall(r"default:\s+([\w.]+)\)", capsys.readouterr().out)
    assert {DEFAULT_MXNET, str(project.STEPS)} <= set(told)
