from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import cli
from harness.cli import list as listing
from tests.conftest import ROOT, SCENARIO

VERBS = [
    "bisect", "calibrate", "claims", "compare", "completion", "config", "doctor", "init", "judge", "list", "nightly",
    "operators",
    "parts", "pin", "plan", "pool", "prune", "qualify", "replay", "report", "run", "scenarios", "schema", "show",
    "shrink", "soak", "studies", "table", "targets", "try", "validate",
]  # fmt: skip


def _main(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "question.yaml"
    path.write_text(SCENARIO)
    return path


def test_every_verb_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(cli.verbs()) == VERBS
    for verb in VERBS:
        with pytest.raises(SystemExit) as caught:
            cli.main([verb, "--help"])
        assert caught.value.code == 0
        told = capsys.readouterr().out.replace("\n", " ")
        codes = "0 faster, less, better or the same, 1 slower" if verb == "compare" else "0 pass, 1 fail, 2 a mistake"
        own = getattr(cli.verbs()[verb], "EXIT_CODES", f"exit codes: {codes}")
        assert own in " ".join(told.split())


def test_every_action_has_help() -> None:
    """Of every parser below the verbs' too: a lone % in a text ends argparse."""

    def below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for child in action.choices.values():
                    yield from below(child)

    told = [parser.format_help() for parser in below(cli.parser())]
    assert len(told) > len(VERBS) + 10


def test_help_needs_no_heavy_import() -> None:
    script = (
        "import sys; from harness import cli; cli.parser(); print({'pydantic', 'rich', 'numpy'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "set()\n"


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["run"], ["targets"], ["run", "x", "--python", "a", "--mxnet", "b"]]
)
def test_wrong_arguments_are_the_users(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2


def test_validate(capsys: pytest.CaptureFixture[str], scenario: Path) -> None:
    assert _main(capsys, "validate", scenario) == (0, f"{scenario}: ok\n", "")
    code, out, _ = _main(capsys, "validate", "--json", scenario)
    assert (code, json.loads(out)) == (0, {"schema": "harness/problems/1", "files": 1, "problems": []})
    scenario.write_text(SCENARIO.replace("steps: 100", "steps: -1"))
    code, _, err = _main(capsys, "validate", scenario)
    assert (code, err) == (2, f"{scenario}:3:24: workload.steps: -1 is not allowed: "
                              "1 or more is needed\n")  # fmt: skip


def test_validate_needs_something_to_look_at(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = _main(capsys, "validate", tmp_path)
    assert (code, err) == (2, f"harness: no scenario in {tmp_path}; they are files *.yaml\n")
    assert _main(capsys, "validate", tmp_path / ("x" * 300))[0] == 2


def test_the_shipped_schema_is_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _main(capsys, "schema")
    assert code == 0
    assert out == (ROOT / "scenarios" / "schema.json").read_text(), "run: harness schema > scenarios/schema.json"


def test_plan_shows_what_would_run_and_is_the_same_in_every_process(
    capsys: pytest.CaptureFixture[str], scenario: Path
) -> None:
    code, out, _ = _main(capsys, "plan", scenario, "--set", "workload.batch_size=64")
    assert code == 0
    assert "batch 64" in out and "worker/1" in out
    argv = [sys.executable, "-m", "harness", "plan", "--json", str(scenario)]
    outputs = {
        subprocess.run(argv, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}, cwd=ROOT).stdout
        for seed in ("0", "1")
    }
    assert len(outputs) == 1


def test_plan_shows_titles_and_values_as_they_are(capsys: pytest.CaptureFixture[str], scenario: Path) -> None:
    code, out, _ = _main(capsys, "plan", scenario, "--set", "title=Why [/mlp]?", "--set", "target.env={A: '[/x]'}")
    assert code == 0
    assert "Why [/mlp]?" in out and "A=[/x]" in out


@pytest.mark.parametrize("verb", ["show", "judge", "replay"])
def test_a_run_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path, verb: str) -> None:
    code, _, err = _main(capsys, verb, "nonsense", "--results", tmp_path)
    assert (code, err) == (
        2,
        f"harness: no run 'nonsense' in {tmp_path / 'runs'}; `harness list --results {tmp_path}` shows what is there\n",
    )


def test_list_without_runs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _main(capsys, "list", "--results", tmp_path)[:2] == (
        0,
        f"no runs in {tmp_path} yet; start one with `harness run SCENARIO --results {tmp_path}`\n",
    )
    assert json.loads(_main(capsys, "list", "--json", "--results", tmp_path)[1])["runs"] == []


def test_no_scenario_with_that_tag(capsys: pytest.CaptureFixture[str], scenario: Path) -> None:
    code, _, err = _main(capsys, "run", scenario, "--tag", "quick")
    assert (code, err) == (2, "harness: no scenario has the tag 'quick'; there are none\n")


def test_results_that_cannot_be_written(capsys: pytest.CaptureFixture[str], scenario: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, _, err = _main(capsys, "run", scenario, "--python", sys.executable, "--results", tmp_path / "file")
    assert code == 2
    assert "cannot be written: not a directory; a file is in the way; choose another folder with --results" in err


def test_a_pipe_that_nobody_reads_is_no_verdict(scenario: Path) -> None:
    command = f"{sys.executable} -m harness schema | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.stderr) in (("141\n", ""), ("0\n", ""))  # 0: it was quicker than the pipe


def test_a_target_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path))
    code, _, err = _main(capsys, "targets", "remove", "nonsense")
    assert (code, err) == (2, "harness: there is no target 'nonsense'; built are: none\n")
    assert _main(capsys, "targets", "build", "nonsense")[0] == 2
    assert _main(capsys, "targets", "list")[1] == f"none in {tmp_path / 'targets'}; they are built on first use\n"


@pytest.mark.parametrize(
    ("verb", "option", "value"),
    [
        ("table", "--topology", "horovod"),
        ("table", "--fault", "kill"),
        ("soak", "--runs", "3"),
        ("shrink", "--arm", "a"),
    ],
)
def test_a_study_that_goes_on_is_asked_nothing_else(
    capsys: pytest.CaptureFixture[str], verb: str, option: str, value: str
) -> None:
    code, _, err = _main(capsys, verb, "--resume", "last", option, value)
    assert (code, err) == (2, f"harness: --resume goes on with what was asked; leave {option} out\n")


def test_ctrl_c_in_compiled_code_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compiled(arguments: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt as error:
            raise ValueError("error building `literal` serializer: KeyboardInterrupt") from error
        return 0

    monkeypatch.setattr(listing, "execute", compiled)
    assert cli.main(["list"]) == 130
    assert capsys.readouterr().err == "harness: interrupted\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_sigterm_counts_as_ctrl_c(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    cleaned: list[str] = []

    def long(arguments: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            cleaned.append("yes")
        return 0

    monkeypatch.setattr(listing, "execute", long)
    assert cli.main(["list"]) == 130
    assert (cleaned, capsys.readouterr().err) == (["yes"], "harness: interrupted\n")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_stop_within_an_exec_has_its_own_status_too(tmp_path: Path) -> None:
    """Dataclasses are made by one; ``python -m`` would end by SIGINT after a plain KeyboardInterrupt."""
    (tmp_path / "stopped.py").write_text("""
import sys
from harness import cli
from harness.cli import list as listing
listing.execute = lambda _: exec("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
sys.exit(cli.main(["list"]))
""")
    done = subprocess.run([sys.executable, "-m", "stopped"], cwd=tmp_path, stderr=subprocess.DEVNULL)
    assert done.returncode == 130


def test_asking_to_stop_again_at_once_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text("""
import os, signal, sys
from harness import cli
from harness.cli import list as listing
def execute(_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        print("cleaned up")
listing.execute = execute
code = cli.main()
os.kill(os.getpid(), signal.SIGINT)
sys.exit(code)
""")
    done = subprocess.run([sys.executable, "stopped.py", "list"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "cleaned up\n", "harness: interrupted\n")


def test_what_is_not_expected_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(arguments: object) -> int:
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr(listing, "execute", broken)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cli.main(["list"]) == 3
    (kept,) = tmp_path.iterdir()
    sentence = (
        f"harness: a defect of the harness: ZeroDivisionError: float division by zero; the full text is in {kept}\n"
    )
    assert capsys.readouterr().err == sentence
    assert "Traceback" in kept.read_text()


def test_ctrl_c_that_nobody_heard_is_heeded_before_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(arguments: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            pass  # as in a callback
        cli.heed_ctrl_c()
        return 0

    monkeypatch.setattr(listing, "execute", deaf)
    assert cli.main(["list"]) == 130


@pytest.mark.e2e
def test_variables_that_nothing_in_the_target_reads_are_named(
    scenario: Path, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = (
        "MXNET_EXEC_VERBOSE does nothing: no library of the target reads it; did you mean MXNET_EXEC_VERBOSE_LOGGING?"
    )
    settings = "target.env={MXNET_EXEC_VERBOSE: 1, MXNET_ENGINE_TYPE: NaiveEngine}"
    code, _, err = _main(capsys, "plan", scenario, "--set", settings, "--python", target)
    assert (code, err) == (0, f"{told}\n")
    scenario.write_text(f"{SCENARIO}target: {{env: {{MXNET_EXEC_VERBOSE: 1}}}}\n")
    assert _main(capsys, "validate", scenario) == (0, f"{scenario}: ok\n", f"{told}\n")


@pytest.mark.parametrize("closed", ["1>&-", "2>&-", "0<&- 1>&- 2>&-", "2>/dev/full"])
def test_a_stream_that_is_closed_is_no_verdict(scenario: Path, closed: str) -> None:
    command = f"{sys.executable} -m harness validate {scenario} {closed}"
    assert subprocess.run(["sh", "-c", command], cwd=ROOT).returncode == 0
    command = f"{sys.executable} -m harness validate nowhere.yaml {closed}"
    assert subprocess.run(["sh", "-c", command], cwd=ROOT).returncode == 2


def test_a_picture_that_nobody_could_write_is_refused_at_once(
    capsys: pytest.CaptureFixture[str], scenario: Path, tmp_path: Path
) -> None:
    asked = ["compare", str(scenario), "--b", "target.env.X=1", "--results", str(tmp_path / "r")]
    assert cli.main([*asked, "--picture", str(tmp_path / "nowhere" / "x.svg")]) == 2
    assert "there is no folder for it" in capsys.readouterr().err
    assert cli.main([*asked, "--seeds", "3"]) == 2
    assert "--seeds 3: fewer than 4 have no interval" in capsys.readouterr().err
    assert cli.main([*asked, "--seeds", "9999999"]) == 2
    assert "--seeds 9999999: 1000 at most" in capsys.readouterr().err


def test_there_are_no_studies(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert cli.main(["studies", "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"there are no studies in {tmp_path}\n"
    file = tmp_path / "file"
    file.touch()
    assert cli.main(["studies", "--results", str(file)]) == 2
    assert "is no folder of results" in capsys.readouterr().err


def test_an_interpreter_brings_its_own_cuda(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "q.yaml"
    scenario.write_text("title: t\nworkload: {model: mlp, steps: 20}\n")
    for verb in ("plan", "run", "compare"):
        assert cli.main([verb, str(scenario), "--cuda", "11", "--python", sys.executable]) == 2
        assert "give --cuda 11 or --python" in capsys.readouterr().err
