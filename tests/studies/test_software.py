"""Software of a night: which files count, what they are called, and what undoes a change."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import HarnessError, InputError
from harness.scenario.schema import Target
from harness.studies import software, study_folder
from harness.studies.own_files import keep
from harness.studies.software import undoing
from harness.studies.tracked import Change
from harness.targets.interpreter import Interpreter

THEN: dict[str, Any] = {"workload": {"script": "train.py", "steps": 5}, "target": {"mxnet": "1.9.1", "env": {}}}
NOW: dict[str, Any] = {"workload": {"script": "/p/train.py", "steps": 5}, "target": {"mxnet": "1.9.1", "env": {}}}


def test_packages_of_a_users_python_are_asked_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what the shell tells Python, which workers are not told either."""
    (tmp_path / "elsewhere-1.dist-info").mkdir()
    (tmp_path / "elsewhere-1.dist-info" / "METADATA").write_text("Name: elsewhere\nVersion: 1\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = software.packages_of(Interpreter(Path(sys.executable)), Target(python=sys.executable))
    assert (found["pytest"], "elsewhere" in found) == (pytest.__version__, False)
    assert software.packages_of(Interpreter(Path("/x"), {"mxnet": "1.9.1"}), Target(mxnet="1.9.1")) == {
        "mxnet": "1.9.1"
    }
    with pytest.raises(InputError, match="/bin/true does not say which packages it has"):
        software.packages_of(Interpreter(Path("/bin/true")), Target(python="/bin/true"))
    (tmp_path / "number").write_text("#!/bin/sh\necho 5\n")
    (tmp_path / "number").chmod(0o755)
    with pytest.raises(InputError, match="number does not say which packages it has"):
        software.packages_of(Interpreter(tmp_path / "number"), Target(python=str(tmp_path / "number")))


def test_a_script_that_came_back_runs_where_its_data_are(tmp_path: Path) -> None:
    keep({"scripts/train.py@1/train.py": b"a"}, tmp_path)
    change = Change("files", "", "train.py@1", "")
    fields = undoing(change, THEN, NOW, lambda name: tmp_path / "scripts" / name, print)
    assert fields == {
        "workload.script": str(tmp_path / "scripts" / "train.py@1" / "train.py"),
        "workload.folder": "/p",
    }


def test_of_two_scripts_an_arm_has_its_own_back(tmp_path: Path) -> None:
    files = [f"{name}@{digit * 12}" for name, digit in (("a+b.py", "1"), ("train.py", "2"), ("train.py", "3"))]
    keep({f"{each}/{each.rpartition('@')[0]}": b"" for each in files}, tmp_path / "scripts")

    def undone(values: dict[str, Any], before: str, after: str) -> Path:
        change = Change("files", "", before, after)
        return Path(undoing(change, values, values, lambda name: tmp_path / "scripts" / name, print)["workload.script"])

    place = undone(NOW, f"{files[0]}+{files[1]}", f"{files[0]}+{files[2]}")
    assert (place.name, place.parent.name.startswith(files[1])) == ("train.py", True)
    odd = undone({"workload": {"script": "/p/a+b.py"}}, files[0], files[0])
    assert (odd.name, odd.parent.name.startswith(files[0])) == ("a+b.py", True)


def test_places_of_then_are_those_of_this_checkout() -> None:
    """But for words that are also called so."""
    then = {"args": ["--data", "/repo/data-1", "--split", "train", "--dir", "/repo/train"], "folder": "/elsewhere"}
    below = software._below(then, "/repo/")
    assert below == ["data-1"]
    fields = {"workload.args": ["--data", "data-1", "--split", "train", "--dir", "train"], "workload.steps": 5}
    assert software.anchored(fields, below, Path("/here")) == {
        "workload.args": ["--data", "/here/data-1", "--split", "train", "--dir", "train"],
        "workload.steps": 5,
    }


def test_packages_that_are_had_back_bring_their_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries of CUDA are found by one."""
    built = Interpreter(Path("/env/bin/python"), {}, {"LD_LIBRARY_PATH": "/env/cuda"})
    monkeypatch.setattr(software, "_environment", lambda packages, say: built)
    fields = undoing(Change("packages", "", {"mxnet": "1.9.1"}, {"mxnet": "1.9.0"}), THEN, NOW, Path, print)
    assert fields == {"target.python": "/env/bin/python", "target.env.LD_LIBRARY_PATH": "/env/cuda"}


def test_a_field_that_was_not_written_had_its_default() -> None:
    def undone(path: str) -> dict[str, Any]:
        return undoing(
            Change("field", path, None, 9), {**THEN, "workload": {"model": "mlp", "steps": 5}}, NOW, Path, print
        )

    assert undone("workload.batch_size") == {"workload.batch_size": 32}
    assert undone("workload.optimizer.momentum") == {"workload.optimizer.momentum": None}
    assert undone("target.env.A") == {"target.env.A": None}


def test_what_no_side_can_be_without_is_told() -> None:
    with pytest.raises(HarnessError, match="sides of a comparison cannot differ by it"):
        undoing(Change("field", "workload.steps", 5, 6), THEN, NOW, Path, print)
    with pytest.raises(HarnessError, match="it had no file of its own"):
        undoing(Change("files", "", "", "train.py@1"), THEN, NOW, Path, print)
    with pytest.raises(HarnessError, match=r"there are several files called train\.py"):
        undoing(Change("files", "", f"train.py@{'1' * 12}+train.py@{'2' * 12}", ""), THEN, NOW, Path, print)
    own = {**NOW, "target": {"python": "/opt/python"}}
    with pytest.raises(HarnessError, match="a Python of your own is not built again"):
        undoing(Change("packages", "", {"mxnet": "1.9.1"}, {"mxnet": "1.9.1", "a": "2"}), THEN, own, Path, print)


def test_a_python_of_the_users_is_the_same_from_the_first_part_to_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = study_folder.create(tmp_path, "qualify", {})
    library = tmp_path / "libmxnet.so"
    library.write_bytes(b"one")
    monkeypatch.setattr(software.library, "path_of", lambda _: library)
    targets = [Target(python=sys.executable), Target(mxnet="1.9.1")]
    for _ in range(2):
        software.require_unchanged(targets, folder)
    library.write_bytes(b"two")
    with pytest.raises(InputError, match=r"has changed since this was begun \(libmxnet.so\); begin a new one"):
        software.require_unchanged(targets, folder)
    other = study_folder.create(tmp_path, "other", {})
    software.require_unchanged([Target(python=str(tmp_path / "gone"))], other)
    assert [*other.read_json("software.json")] == ["the shell"], "its part says what is wrong"


def test_what_the_shell_says_of_the_processor_is_the_same_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenBLAS computes by other kernels else, in what is compared with what is there."""
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    folder = study_folder.create(tmp_path, "operators", {})
    software.require_unchanged([], folder)
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    with pytest.raises(InputError, match=r"the shell has changed since this was begun \(OPENBLAS_CORETYPE\)"):
        software.require_unchanged([], folder)


def test_a_scenario_of_then_that_is_none_any_more_is_told() -> None:
    """As one with a field that there was: no default of it is known."""
    then = {**THEN, "slice": 3}
    with pytest.raises(HarnessError, match="the scenario of then is none any more: "):
        undoing(Change("field", "workload.batch_size", None, 64), then, NOW, Path, print)
