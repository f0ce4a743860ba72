"""The Python interface: everything that is exported is explained and typed, prints nothing and leaves signals alone."""

from __future__ import annotations

import inspect
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.base.errors import DamagedRunError, HarnessError, InputError, RunNotFoundError, ScenarioError
from tests.conftest import ROOT, SCENARIO

NAMES = [name for name in harness.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_every_exported_name_is_explained(name: str) -> None:
    thing = getattr(harness, name)
    assert inspect.getdoc(thing)
    assert thing.__doc__ is not None
    if inspect.isfunction(thing):
        hints = inspect.signature(thing)
        assert hints.return_annotation is not inspect.Signature.empty
        assert all(parameter.annotation is not inspect.Parameter.empty for parameter in hints.parameters.values())


def test_members_of_exported_classes_are_explained() -> None:
    silent = [
        f"{name}.{member}"
        for name in NAMES
        if isinstance(getattr(harness, name), type)
        for member, thing in vars(getattr(harness, name)).items()
        if not member.startswith("_") and (inspect.isfunction(thing) or isinstance(thing, property | classmethod))
        if not inspect.getdoc(getattr(getattr(harness, name), member))
    ]
    assert silent == []


def test_it_is_typed_and_what_is_not_there_is_an_error() -> None:
    assert (ROOT / "harness" / "py.typed").is_file()
    with pytest.raises(AttributeError, match="module 'harness' has no attribute 'nonsense'"):
        harness.nonsense  # noqa: B018


def test_importing_it_loads_nothing_heavy() -> None:
    script = "import sys, harness; print({'pydantic', 'numpy', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_scenario_is_loaded_changed_and_planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    loaded = harness.load(path, {"workload.steps": 50, "faults": []})
    assert loaded.scenario.workload.steps == 50
    planned = harness.plan(loaded, mxnet="1.8.0")
    assert (planned.plan.arms[0].target.mxnet, planned.plan.arms[0].workload.steps) == ("1.8.0", 50)
    assert harness.plan(str(path)).plan.arms[0].workload.steps == 100
    assert harness.runs(tmp_path) == []
    assert {number: signal.getsignal(number) for number in before} == before
    assert capsys.readouterr() == ("", "")


def test_errors_are_the_harness_s_own(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    with pytest.raises(ScenarioError, match="unknown key"):
        harness.load(path, {"workload.stepz": 50})
    with pytest.raises(ScenarioError, match="cannot be read: no such file"):
        harness.load(tmp_path / "nothing.yaml")
    with pytest.raises(InputError, match="'newest' is not a version"):
        harness.plan(path, mxnet="newest")
    with pytest.raises(InputError, match="not both"):
        harness.plan(path, mxnet="1.9.1", python="/bin/python")
    with pytest.raises(InputError, match="topology 'moon' is not in the table; there are dist_sync"):
        harness.table("moon", results=tmp_path)
    with pytest.raises(InputError, match="fault 'nan' is not in the table; there are kill"):
        harness.table(faults=["nan"], results=tmp_path)
    for garbage in (None, [], {"schema": "harness/verdict/1"}):
        with pytest.raises(DamagedRunError, match="judge the run again"):
            harness.Verdict.from_json(garbage)  # type: ignore[arg-type]
    for call in (harness.replay, harness.verdict, harness.resume):
        with pytest.raises(RunNotFoundError):
            call("nonsense", tmp_path)
    assert issubclass(ScenarioError, HarnessError) and harness.HarnessError is HarnessError
