"""Software of a night: which files count, what they are called, and what undoes a change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.base.errors import HarnessError, InputError
from harness.scenario.schema import Target
from harness.storage import ledger
from harness.studies import software, study_folder
from harness.studies.software import files_beside, keep, named, restorer, undoing
from harness.studies.tracked import Change
from harness.targets.interpreter import Interpreter

THEN: dict[str, Any] = {"workload": {"script": "train.py", "steps": 5}, "target": {"mxnet": "1.9.1", "env": {}}}
NOW: dict[str, Any] = {"workload": {"script": "/p/train.py", "steps": 5}, "target": {"mxnet": "1.9.1", "env": {}}}


def _write(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        place = folder / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        Path(f"{place}.py").write_text(text)
    return folder / "train.py"


def test_a_script_has_the_python_files_around_it(tmp_path: Path) -> None:
    told = list[str]()
    _write(tmp_path, results__old="c", out__nights__kept="g", env__lib__site="d", **{".git__x": "e"})
    script = _write(tmp_path, train="a", lib__net="b")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "data.bin").write_bytes(b"f")
    assert files_beside(script, tmp_path / "out", told.append) == {"train.py": b"a", "lib/net.py": b"b"}


def test_of_a_folder_with_too_much_only_the_script_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    script = _write(tmp_path, train="a", lib__net="b" * 100)
    monkeypatch.setattr(software, "_MOST_BYTES", 50)
    assert files_beside(script, tmp_path / "out", told.append) == {"train.py": b"a"}
    assert [line.rpartition(": ")[2] for line in told] == ["only train.py is tracked"]


def test_what_git_ignores_and_what_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    """Nights may be pushed where others read them; an editor's lock is a link to nowhere."""
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".gitignore").write_text("secrets.py\ntrain.py\n")
    told = list[str]()
    script = _write(tmp_path, train="a", lib__net="b", secrets="c")
    (tmp_path / ".#train.py").symlink_to("nobody@nowhere")
    assert files_beside(script, tmp_path / "out", told.append) == {"train.py": b"a", "lib/net.py": b"b"}


def test_each_repository_says_what_it_ignores(tmp_path: Path) -> None:
    """Git dies at the first path in a submodule, and says nothing of those that follow."""
    for folder in (tmp_path, tmp_path / "lib"):
        subprocess.run(["git", "init", "--quiet", folder], check=True)
    (tmp_path / ".gitignore").write_text("secret.py\n")
    (tmp_path / "lib" / ".gitignore").write_text("own.py\n")
    script = _write(tmp_path, train="a", lib__net="b", lib__own="c", lib__secret="d", z__secret="e")
    subprocess.run(["git", "-C", tmp_path / "lib", "add", "net.py"], check=True)
    commit = ["-c", "user.name=a", "-c", "user.email=b", "commit", "--quiet", "--message", "c"]
    subprocess.run(["git", "-C", tmp_path / "lib", *commit], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "lib"], check=True, capture_output=True)
    found = files_beside(script, tmp_path / "out", print)
    assert found == {"train.py": b"a", "lib/net.py": b"b", "lib/secret.py": b"d"}


def test_what_git_does_not_say_is_not_kept(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".git" / "config").write_text("[core\n")
    with pytest.raises(HarnessError, match="git does not say which files it ignores"):
        files_beside(_write(tmp_path, train="a", net="b"), tmp_path / "out", print)


def test_a_name_that_is_not_utf_8_is_a_name(tmp_path: Path) -> None:
    script = _write(tmp_path, train="a")
    (tmp_path / "caf\udce9.py").write_text("b")
    found = files_beside(script, tmp_path / "out", print)
    assert found == {"train.py": b"a", "caf\udce9.py": b"b"}
    assert named(script, found).startswith("train.py@")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    known = ledger.of(tmp_path)
    commit = known.append({f"scripts/x/{name}": text for name, text in found.items()}, "night")
    assert known.names(commit, "scripts/x") == ["scripts/x/caf\udce9.py", "scripts/x/train.py"]


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


def test_names_tell_files_apart_and_not_where_they_lie() -> None:
    one, other = {"train.py": b"ab", "b": b""}, {"train.py": b"a", "b": b"b"}
    assert named(Path("/x/train.py"), one) == named(Path("/y/train.py"), one)
    assert named(Path("/x/train.py"), one) != named(Path("/x/train.py"), other)
    assert named(Path("/x/train.py"), one).startswith("train.py@")


def test_files_come_back_from_the_ledger(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    known = ledger.of(tmp_path)
    commit = known.append({"scripts/train.py@1/train.py": b"a", "scripts/train.py@1/lib/net.py": b"b"}, "night")
    had = restorer(known, [commit], tmp_path / "back")
    assert (had("train.py@1") / "lib" / "net.py").read_bytes() == b"b"
    with pytest.raises(HarnessError, match=r"train\.py@2 is in no night"):
        had("train.py@2")


def test_a_script_that_came_back_runs_where_its_data_are(tmp_path: Path) -> None:
    keep({"scripts/train.py@1/train.py": b"a"}, tmp_path)
    change = Change("files", "", "train.py@1", "")
    fields = undoing(change, THEN, NOW, lambda name: tmp_path / "scripts" / name, print)
    assert fields == {
        "workload.script": str(tmp_path / "scripts" / "train.py@1" / "train.py"),
        "workload.folder": "/p",
    }


def test_beside_a_script_that_came_back_lies_what_nobody_keeps(tmp_path: Path) -> None:
    """Else an import that fails there, or a setting that git ignores, would be blamed on the change."""
    here = tmp_path / "here"
    _write(here, train="now", lib__net="now", lib__new="now", secrets="x", only_now__a="now", other__data="x")
    (here / "lib" / "fast.so").write_bytes(b"x")
    (here / ".git").mkdir()
    keep({f"train.py@2/{name}.py": b"now" for name in ("train", "lib/net", "lib/new", "only_now/a")}, tmp_path)
    keep({"train.py@1/train.py": b"then", "train.py@1/lib/net.py": b"then", "train.py@1/old.py": b"then"}, tmp_path)
    then = {**THEN, "workload": {**THEN["workload"]}}
    now = {**NOW, "workload": {"script": str(here / "train.py")}}
    change = Change("files", "", "train.py@1", "train.py@2")
    (tmp_path / "train.py@1" / "lib" / "fast.so").symlink_to("nowhere")
    for _ in range(2):
        fields = undoing(change, then, now, lambda name: tmp_path / name, print)
    assert fields == {"workload.script": str(tmp_path / "train.py@1" / "train.py"), "workload.folder": str(here)}
    found = {path.relative_to(tmp_path / "train.py@1").as_posix() for path in (tmp_path / "train.py@1").rglob("*")}
    assert found == {"train.py", "old.py", "lib", "lib/net.py", "lib/fast.so", "secrets.py", "other"}
    assert (tmp_path / "train.py@1" / "other" / "data.py").read_text() == "x"
    lines = software.differing_lines(tmp_path / "train.py@1", tmp_path / "train.py@2")
    assert not any("secrets" in line or "other" in line for line in lines), "what git ignores is shown to nobody"


def test_of_two_scripts_an_arm_has_its_own_back(tmp_path: Path) -> None:
    files = [f"{name}@{digit * 12}" for name, digit in (("a+b.py", "1"), ("train.py", "2"), ("train.py", "3"))]
    keep({f"{each}/{each.rpartition('@')[0]}": b"" for each in files}, tmp_path)
    change = Change("files", "", f"{files[0]}+{files[1]}", f"{files[0]}+{files[2]}")
    fields = undoing(change, THEN, NOW, lambda name: tmp_path / name, print)
    assert fields["workload.script"] == str(tmp_path / files[1] / "train.py")
    odd = {"workload": {"script": "/p/a+b.py"}}
    alone = undoing(Change("files", "", files[0], files[0]), odd, odd, lambda name: tmp_path / name, print)
    assert alone["workload.script"] == str(tmp_path / files[0] / "a+b.py")


def test_places_of_then_are_those_of_this_checkout() -> None:
    values = {"workload": {"args": ["--data", "/repo/data", "--layers", "3"], "folder": "/elsewhere"}}
    then = {"workload.args": ["--data", "data", "--layers", "2", "--old", "gone"], "workload.steps": 5}
    assert software.anchored(then, values, Path("/repo")) == {
        "workload.args": ["--data", "/repo/data", "--layers", "2", "--old", "gone"],
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


def test_lines_that_one_of_two_folders_lacks(tmp_path: Path) -> None:
    _write(tmp_path / "then", train="a\nb\nc\n", old="x\n")
    _write(tmp_path / "now", train="a\nB\nc\nd\n", lib__new="y\n")
    expected = ["train.py:2 - b", "train.py:2 + B", "train.py:4 + d", "lib/new.py:1 + y", "old.py:1 - x"]
    assert software.differing_lines(tmp_path / "then", tmp_path / "now") == expected
    _write(tmp_path / "now", train="\n".join(map(str, range(20))))
    found = software.differing_lines(tmp_path / "then", tmp_path / "now")
    assert (len(found), found[-1]) == (13, "and 13 more lines")


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
    assert not other.has("software.json"), "its part says what is wrong"
