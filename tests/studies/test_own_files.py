"""Files of users: which count, what they are called, and what lies beside those that come back."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness.base.errors import HarnessError, StorageError
from harness.storage import ledger
from harness.studies import own_files
from harness.studies.own_files import completed, differing_lines, files_beside, keep, named, restorer


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
    monkeypatch.setattr(own_files, "_MOST_BYTES", 50)
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


def test_a_repository_that_is_ignored_is_so_as_a_whole(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "private", tmp_path / "private" / "deep"):
        subprocess.run(["git", "init", "--quiet", folder], check=True)
    (tmp_path / ".gitignore").write_text("private/\n")
    script = _write(tmp_path, train="a", private__net="b", private__deep__net="c", public="d")
    assert files_beside(script, tmp_path / "out", print) == {"train.py": b"a", "public.py": b"d"}


def test_results_are_no_files_of_a_script(tmp_path: Path) -> None:
    """However the path of the script is written."""
    _write(tmp_path, train="a", out__nights__kept="b")
    (tmp_path / "scenarios").mkdir()
    script = tmp_path / "scenarios" / ".." / "train.py"
    assert files_beside(script, tmp_path / "out", print) == {"train.py": b"a"}


def test_what_git_does_not_say_is_not_kept(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    (tmp_path / ".git" / "config").write_text("[core\n")
    script = _write(tmp_path, train="a", net="b")
    with pytest.raises(HarnessError, match="git does not say which files it ignores"):
        files_beside(script, tmp_path / "out", print)
    (tmp_path / ".git" / "config").write_text("")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / ".git").write_text("gitdir: /nowhere")
    (tmp_path / "lib" / "own.py").write_text("")
    with pytest.raises(HarnessError, match="git does not say which files it ignores"):
        files_beside(script, tmp_path / "out", print)


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


def test_beside_files_that_came_back_lies_what_nobody_keeps(tmp_path: Path) -> None:
    """Else an import that fails there, or a setting that git ignores, would be blamed on the change."""
    here, kept = tmp_path / "here", tmp_path / "scripts"
    _write(here, train="now", lib__net="now", lib__new="now", secrets="x", only_now__a="now", other__data="x")
    (here / "lib" / "fast.so").write_bytes(b"x")
    (here / ".git").mkdir()
    keep({f"train.py@2/{name}.py": b"now" for name in ("train", "lib/net", "lib/new", "only_now/a")}, kept)
    keep({"train.py@1/train.py": b"then", "train.py@1/lib/net.py": b"then", "train.py@1/old.py": b"then"}, kept)
    for _ in range(2):
        place = completed(kept / "train.py@1", kept / "train.py@2", here)
        found = {path.relative_to(place).as_posix() for path in place.rglob("*")}
        assert found == {"train.py", "old.py", "lib", "lib/net.py", "lib/fast.so", "secrets.py", "other"}
        assert ((place / "train.py").read_text(), (place / "other" / "data.py").read_text()) == ("then", "x")
        (here / "gone.txt").unlink() if (here / "gone.txt").exists() else (here / "lib" / "fast.so").touch()
    back = completed(kept / "train.py@2", kept / "train.py@1", here)
    assert (back / "secrets.py").read_text() == "x", "what was linked once is kept of neither all the same"
    assert not (kept / "train.py@1" / "secrets.py").exists()
    assert completed(kept / "train.py@1", kept / "train.py@2", tmp_path / "elsewhere") != place


def test_results_are_not_beside_themselves(tmp_path: Path) -> None:
    kept = tmp_path / "out" / "nights" / "scripts"
    keep({"train.py@1/train.py": b"then"}, kept)
    keep({"train.py@2/train.py": b"now"}, kept)
    _write(tmp_path, train="now")
    (tmp_path / "scenarios").mkdir()
    place = completed(kept / "train.py@1", kept / "train.py@2", tmp_path / "scenarios" / "..")
    assert sorted(each.name for each in place.iterdir()) == ["scenarios", "train.py"]


def test_of_very_many_files_only_those_that_python_imports_lie_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_files, "_MOST_LINKS", 3)
    for name in ("train.py", "fast.so", "net.py", "1.png", "2.png"):
        (tmp_path / "here" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "here" / name).write_bytes(b"")
    keep({"train.py@1/train.py": b"then", "train.py@2/train.py": b"now"}, tmp_path / "scripts")
    place = completed(*(tmp_path / "scripts" / f"train.py@{number}" for number in (1, 2)), tmp_path / "here")
    assert sorted(each.name for each in place.iterdir()) == ["fast.so", "net.py", "train.py"]


def test_where_nothing_can_be_linked_that_is_told(tmp_path: Path) -> None:
    keep({"train.py@1/train.py": b"then", "train.py@2/train.py": b"now"}, tmp_path / "scripts")
    (tmp_path / "scripts-completed").write_text("a file")
    with pytest.raises(StorageError):
        completed(*(tmp_path / "scripts" / f"train.py@{number}" for number in (1, 2)), tmp_path)


def test_lines_that_one_of_two_folders_lacks(tmp_path: Path) -> None:
    _write(tmp_path / "then", train="a\nb\nc\n", old="x\n")
    _write(tmp_path / "now", train="a\nB\nc\nd\n", lib__new="y\n")
    expected = ["train.py:2 - b", "train.py:2 + B", "train.py:4 + d", "lib/new.py:1 + y", "old.py:1 - x"]
    assert differing_lines(tmp_path / "then", tmp_path / "now") == expected
    _write(tmp_path / "now", train="\n".join(map(str, range(20))))
    found = differing_lines(tmp_path / "then", tmp_path / "now")
    assert (len(found), found[-1]) == (13, "and 13 more lines")
