"""Which variables are told to do nothing, and in which commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness import cli
from harness.base.errors import TargetError
from harness.planning.plan import Plan
from harness.scenario.schema import Target
from harness.targets.unread import _named_by, _only_of_mxnet, of_targets, of_values
from tests.conftest import SCENARIO

TYPO = "MXNET_EXEC_BULK_EXEC_TRIAN"
TOLD = f"{TYPO} does nothing: no library of the target reads it; did you mean MXNET_EXEC_BULK_EXEC_TRAIN?"


def test_a_script_may_read_what_it_names_but_for_what_only_libraries_do(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("os.environ['DATA_DIR'], os.getenv(\"MXNET_ENGINE_TYPE\")\n")
    assert "DATA_DIR" in _named_by(str(script))
    assert "MXNET_ENGINE_TYPE" not in _named_by(str(script))
    assert _named_by(None) == _named_by(str(tmp_path / "gone.py")) == set()


def test_what_a_preloaded_library_may_read_is_not_said_to_do_nothing(plan_of: Callable[..., Plan]) -> None:
    env = {"MALLOC_CONF": "x", "MXNET_NOTHING": "1"}
    for more, asked in (({}, True), ({"LD_PRELOAD": "libjemalloc.so"}, False)):
        named = _only_of_mxnet(plan_of(SCENARIO, ("target", {"env": {**env, **more}})).arms[0])
        assert ("MALLOC_CONF" in named, "MXNET_NOTHING" in named) == (asked, True)


def test_of_two_targets_what_one_of_them_reads_does_something(monkeypatch: pytest.MonkeyPatch) -> None:
    reads = {"1.8.0": {"BOTH"}, "1.9.1": {"BOTH", "ONE"}}
    monkeypatch.setattr("harness.targets.resolve.interpreter", lambda target, say: target.mxnet)
    monkeypatch.setattr(
        "harness.targets.settings.unread", lambda names, found: dict.fromkeys(sorted(names - reads[found]), "")
    )
    old, new = (Target(mxnet=version, env={"BOTH": "1", "ONE": "1"}) for version in reads)
    assert of_targets([old, new], ["NEITHER", "OMP_NUM_THREADS"], print) == {"NEITHER": ""}
    assert of_targets([Target(mxnet="1.9.1")], [], print) == {}


def test_a_target_of_variables_alone_is_the_usual_mxnet_and_one_that_is_none_is_told_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = list[str | None]()

    def interpreter(target: Target, say: object) -> str:
        asked.append(target.mxnet)
        raise TargetError("mxnet 1.9.1 does not build")

    monkeypatch.setattr("harness.targets.resolve.interpreter", interpreter)
    assert of_targets([Target(env={"MXNET_TYPO": "1"})], [], print) == {}
    assert asked == ["1.9.1"]


def test_what_a_scenarios_own_files_may_read_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import os\nos.environ['DATA_DIR']\n")
    values = {"workload": {"script": str(tmp_path / "train.py")}, "target": {"env": {"DATA_DIR": "x", "OTHER": "y"}}}
    assert of_values(values) == {"OTHER"}
    built = {"model": f"{tmp_path / 'train.py'}:build"}
    assert of_values({**values, "workload": built}) == {"OTHER"}
    assert of_values({"target": {"env": {"LD_PRELOAD": "x.so", "MALLOC_CONF": "1", "MXNET_A": "1"}}}) == {"MXNET_A"}
    assert of_values({"workload": {"model": "lenet"}}) == of_values({"target": None}) == set()


@pytest.mark.e2e
@pytest.mark.parametrize("verb", ["bisect", "operators", "qualify"])
def test_commands_that_take_targets_tell_it_before_anything_runs(
    verb: str, tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(f"{SCENARIO}target: {{env: {{MXNET_IN_SCENARIO: 1}}}}\n")
    monkeypatch.setattr("harness.cli._studying.run", lambda *_, **__: False)
    monkeypatch.setattr("harness.cli._studying.show", lambda *_, **__: None)
    old, new = ("--good", "--bad") if verb == "bisect" else ("--from", "--to")
    files = [] if verb == "operators" else [str(scenario)]
    files += ["--between", f"python={target},env.MXNET_BETWEEN=1"] if verb == "bisect" else []
    sides = [f"{old}-python", str(target), f"{new}-python", str(target), new, f"env.{TYPO}=0"]
    assert cli.main([verb, *files, *sides, "--results", str(tmp_path)]) == cli.EXIT_INTERRUPTED
    told = capsys.readouterr().err
    assert TOLD in told
    assert ("MXNET_IN_SCENARIO does nothing" in told) == (verb != "operators")
    assert ("MXNET_BETWEEN does nothing" in told) == (verb == "bisect")
