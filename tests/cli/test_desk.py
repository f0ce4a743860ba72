"""Finding, listing, keeping and dropping what there is, and settings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from harness import cli
from harness.cli import _defaults, bisect
from harness.storage import run_folder
from harness.storage.run_folder import RunFolder
from harness.studies import study_folder
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HARNESS_RESULTS", raising=False)
    monkeypatch.setenv("COLUMNS", "120")


def _main(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def _run(results: Path, name: str, verdict: str = "pass", outcome: str = "completed") -> RunFolder:
    folder = run_folder.create(results, name, "abcdef")
    folder.write("scenario.yaml", "title: x\nclaims: [K1]\n")
    folder.write_json("status.json", {"status": "finished", "started": 1e9, "reason": ""})
    folder.write_json("plan.json", {"title": f"Why {name}?", "arms": [{"target": {"mxnet": "1.9.1"}}]})
    body = {"verdict": verdict, "reason": "so", "arms": [{"outcome": outcome}], "facts": {}}
    folder.write_json("verdict.json", body)
    return folder


def test_list_is_newest_first_and_has_filters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    runs = [_run(tmp_path / "results", name, *rest) for name, *rest in (("a",), ("b", "fail", "hung"), ("c",))]
    code, out, _ = _main(capsys, "list")
    places = [out.index(run.id) for run in runs]
    assert (code, places) == (0, sorted(places, reverse=True))
    assert "1.9.1" in out and "Why b?" in out
    for arguments, names in (
        (["--verdict", "fail"], "b"),
        (["--outcome", "completed"], "ca"),
        (["b"], "b"),
        (["--claim", "K1", "--mxnet", "1.9"], "cba"),
        (["--claim", "K2"], ""),
        (["--since", "2001-01-01"], "cba"),
        (["--since", "1d"], ""),
    ):
        code, out, _ = _main(capsys, "list", "--json", *arguments)
        assert (code, "".join(run["name"] for run in json.loads(out)["runs"])) == (0, names), arguments
    code, out, _ = _main(capsys, "list", "--claim", "K2")
    assert (code, out) == (0, "no such runs in results; `harness list` shows what is there\n")


def test_list_shows_as_many_as_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for number in range(22):
        _run(tmp_path / "results", f"s{number}")
    _, out, _ = _main(capsys, "list")
    assert out.endswith("2 more; --all shows them\n") and out.count("finished") + out.count("pass") == 20
    _, out, _ = _main(capsys, "list", "--all")
    assert out.count("pass") == 22 and "more" not in out


@pytest.mark.parametrize("text", ["yesterday", "3", "0d", "-1d"])
def test_since_takes_a_day_or_an_age(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["list", f"--since={text}"])
    assert caught.value.code == 2
    assert "argument --since: '" in capsys.readouterr().err


def test_settings_hold_where_options_are_not_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _run(tmp_path / "kept", "a")
    _run(tmp_path / "other", "b")
    (tmp_path / "harness.toml").write_text('results = "kept"\nbudget = "2min"\n')
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert "Why a?" in _main(capsys, "list")[1]
    assert "Why b?" in _main(capsys, "list", "--results", "../other")[1]
    code, out, _ = _main(capsys, "config")
    assert code == 0
    assert f"{tmp_path / 'kept'}  ({tmp_path / 'harness.toml'}:1)" in out
    assert f"2min  ({tmp_path / 'harness.toml'}:2)" in out
    monkeypatch.setenv("HARNESS_RESULTS", str(tmp_path / "other"))
    assert "Why b?" in _main(capsys, "list")[1]
    rows = {row["name"]: row for row in json.loads(_main(capsys, "config", "--json")[1])["settings"]}
    assert rows["results"] == {"name": "results", "value": str(tmp_path / "other"), "origin": "HARNESS_RESULTS"}
    asked = cli.parser().parse_args(["nightly"])
    _defaults.fill(asked)
    assert asked.budget is None, "a night's is of all its comparisons"
    sides = ["bisect", "--operator", "exp", "--good", "1.8.0.post0", "--bad", "1.9.1"]
    asked = cli.parser().parse_args(sides)
    _defaults.fill(asked)
    bisect._study(asked)  # nobody gave a budget for what has no measure
    (tmp_path / "harness.toml").write_text('budget = "soon"\n')
    code, _, err = _main(capsys, "compare", "nothing.yaml")
    assert code == 2 and f"{tmp_path / 'harness.toml'}:1: budget: 'soon'" in err


def test_prune_says_what_would_go_and_removes_it_on_demand(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old, pinned, new = (_run(tmp_path / "results", name) for name in "abc")
    assert _main(capsys, "pin", "b")[:2] == (0, f"{pinned.id} is pinned\n")
    code, out, _ = _main(capsys, "prune", "--keep", 1)
    assert code == 0 and old.id in out and new.id not in out and "--yes removes them" in out
    assert f"kept whatever is asked: {pinned.id} (pinned)" in out
    assert old.path.is_dir()
    code, out, _ = _main(capsys, "prune", "--keep", 2, "--yes")
    assert (code, out.splitlines()[-1][:15]) == (0, "removed 1 of 3 ")
    assert [run.id for run in run_folder.every(tmp_path / "results")] == [pinned.id, new.id]
    assert "say what may go" in _main(capsys, "prune")[1]
    assert _main(capsys, "pin", "b", "--off")[0] == 0
    body = json.loads(_main(capsys, "prune", "--keep", 0, "--json")[1])
    assert [(unit["name"], unit["goes"], unit["kept"]) for unit in body["units"]] == [
        (pinned.id, True, ""),
        (new.id, True, ""),
    ]


def test_claims_tell_what_came_of_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run = _run(tmp_path / "results", "slow-worker-dist-sync", "fail")
    code, out, _ = _main(capsys, "claims", "K1", "--scenarios", ROOT / "scenarios")
    assert code == 0
    assert "K1  One slow worker holds up the faster ones in `dist_sync`." in out
    assert f"chaos/slow-worker-dist-sync  fail  {run.id}" in out
    assert "K2" not in out
    code, _, err = _main(capsys, "claims", "K99")
    assert code == 2 and "'K99' is not a claim" in err
    assert _main(capsys, "claims", "--scenarios", "nowhere")[0] == 2
    assert "chaos/slow-worker-dist-sync" in _main(capsys, "claims", "K1")[1], "those that come with it"
    mine = tmp_path / "scenarios"
    mine.mkdir()
    (mine / "a.yaml").write_text("title: x\nclaims:\n")
    assert "slow-worker" not in _main(capsys, "claims", "K1")[1]


def test_of_two_scenarios_with_one_name_no_run_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _run(tmp_path / "results", "same")
    for folder in ("a", "b"):
        (tmp_path / "mine" / folder).mkdir(parents=True)
        (tmp_path / "mine" / folder / "same.yaml").write_text("title: x\nclaims: [K1]\n")
    body = json.loads(_main(capsys, "claims", "K1", "--scenarios", "mine", "--json")[1])
    assert body["claims"][0]["scenarios"] == [
        {"scenario": f"{folder}/same", "verdict": "", "run": ""} for folder in ("a", "b")
    ]


def test_the_page_of_claims_is_up_to_date(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "claims.md"
    assert _main(capsys, "claims", "--markdown", page, "--scenarios", ROOT / "scenarios")[0] == 0
    assert page.read_text() == (ROOT / "docs" / "claims.md").read_text(), "run: make docs"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_what_completes(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    code, out, _ = _main(capsys, "completion", shell)
    assert code == 0 and "harness" in out and "_ARGCOMPLETE" in out


def test_bash_completes_verbs_and_runs(tmp_path: Path) -> None:
    run = _run(tmp_path / "results", "killed-worker")
    assert {"show", "shrink", "schema"} <= set(_completed("harness s"))
    assert {"last", "killed-worker", run.id} <= set(_completed("harness show "))
    assert _completed("harness judge killed") == ["killed-worker"]
    assert "drift" in _completed("harness compare x.yaml --measure ")
    assert _completed("harness table --topology h") == ["horovod"]
    assert _completed("harness table --fault k") == ["kill"]


def _completed(line: str) -> list[str]:
    """As argcomplete's script for bash asks: words come back on file descriptor 8."""
    env = {**os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    script = [sys.executable, "-c", "import sys; sys.argv[0] = 'harness'; from harness.cli import main; main()"]
    done = subprocess.run(["bash", "-c", '"$@" 8>&1 9>&2', "bash", *script], env=env, capture_output=True, text=True)
    return [word.strip() for word in done.stdout.splitlines()]


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path) -> None:
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {sys.executable} -m harness list"
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "harness: the working directory is gone; go to another\n")


@pytest.mark.parametrize("verb", ["show", "judge", "replay", "shrink", "report", "pin"])
def test_every_verb_says_that_a_run_is_not_there(capsys: pytest.CaptureFixture[str], verb: str) -> None:
    code, _, err = _main(capsys, verb, "nonsense")
    assert code == 2 and "no run 'nonsense' in results/runs" in err


def test_scenarios_are_copied_to_begin_with(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = _main(capsys, "scenarios", "list")
    assert code == 0 and "chaos/slow-worker-dist-sync.yaml" in out
    assert _main(capsys, "scenarios", "copy", "mine")[0] == 0
    assert _main(capsys, "validate", "mine/chaos")[0] == 0
    assert (tmp_path / "mine" / "own" / "gluon_train.py").is_file()
    code, _, err = _main(capsys, "scenarios", "copy", "mine")
    assert code == 2 and "mine is there already" in err


def test_the_wheel_carries_them(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name in ("harness", "scenarios"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    argv = [sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", tmp_path]
    subprocess.run(argv, cwd=source, check=True, capture_output=True, timeout=300)
    (tarball,) = tmp_path.glob("*.tar.gz")
    argv = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        tmp_path,
        tarball,
    ]
    subprocess.run(argv, check=True, capture_output=True, timeout=300)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "harness/shipped/scenarios/chaos/slow-worker-dist-sync.yaml" in names
    assert "harness/report/pages/page.html.j2" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks"))]


def test_what_is_written_to_a_device_a_pipe_or_a_link_goes_there(tmp_path: Path) -> None:
    from harness.cli import report

    pipe, real, link = tmp_path / "pipe", tmp_path / "real.html", tmp_path / "link.html"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    report._write("words", str(pipe))
    assert os.read(reader, 10) == b"words" and pipe.is_fifo()
    os.close(reader)
    link.symlink_to(real)
    report._write("words", str(link))
    assert link.is_symlink() and real.read_text() == "words"
    report._write("words", "/dev/null")
    assert Path("/dev/null").is_char_device()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.html", "pipe", "real.html"]


@pytest.mark.parametrize("file", ["status.json", "verdict.json", "plan.json"])
def test_one_damaged_run_hides_no_other(capsys: pytest.CaptureFixture[str], tmp_path: Path, file: str) -> None:
    damaged, whole = (_run(tmp_path / "results", name) for name in "ab")
    damaged.write(file, "[" * 100_000 + "]" * 100_000)
    damaged.write("scenario.yaml", "[" * 100_000)
    code, out, _ = _main(capsys, "list")
    assert code == 0 and "Why b?" in out and "damaged" in out
    body = json.loads(_main(capsys, "list", "--claim", "K1", "--json")[1])
    assert [run["run"] for run in body["runs"]] == [whole.id]


def test_a_study_is_pinned_as_a_run_is(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    study = study_folder.create(tmp_path / "results", "compare", {})
    assert _main(capsys, "pin", "last:compare")[:2] == (0, f"{study.id} is pinned\n")
    assert f"{study.id} (pinned)" in _main(capsys, "prune", "--keep", 0)[1]


def test_hints_have_the_results_that_they_are_of(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = tmp_path / "other one"
    assert "`harness list --results 'other one'` shows" in _main(capsys, "show", "x", "--results", "other one")[2]
    assert "`harness run SCENARIO --results 'other one'`" in _main(capsys, "list", "--results", other)[1]


def test_what_a_script_is_to_get_follows_two_dashes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["try", "./train.py", "--epochs", "1"])
    assert ended.value.code == 2
    assert "unrecognized arguments: --epochs 1; what the script is to get follows `--`" in capsys.readouterr().err


def test_copies_of_scenarios_among_results_are_not_validated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "title: t\nworkload: {model: mlp, steps: 50}\n"
    for place in ("mine.yaml", "results/runs/one/scenario.yaml", "results/studies/two/trials/three.yaml"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text if place == "mine.yaml" else "broken")
    code, out, _ = _main(capsys, "validate", tmp_path)
    assert (code, out) == (0, f"{tmp_path / 'mine.yaml'}: ok\n")
