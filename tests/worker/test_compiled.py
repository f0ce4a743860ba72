"""What comes from the file is what Python would have compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.worker import compiled
from tests.conftest import ROOT

IMPORT = """
import hashlib, sys, types
if sys.argv[1:]:
    from harness.worker import compiled
    compiled.use(sys.argv[1])
import mxnet as mx

def flat(code):
    assert 0x6D786E65742E6F70 not in code.co_consts
    own = ["address" if type(each) is int and each > 1 << 20 else each for each in code.co_consts]
    own = [flat(each) if isinstance(each, types.CodeType) else each for each in own]
    return code.co_name, code.co_filename, code.co_firstlineno, code.co_code, code.co_names, code.co_varnames, own

spaces = [mx.nd.op, mx.nd._internal, mx.nd.contrib, mx.sym.op, mx.sym._internal, mx.nd.linalg, mx.sym.sparse]
named = [each for space in spaces for _, each in sorted(vars(space).items())]
functions = [each for each in named if isinstance(each, types.FunctionType)]
digest = hashlib.sha256()
for each in functions:
    digest.update(repr((flat(each.__code__), each.__module__, each.__defaults__ and len(each.__defaults__))).encode())
ends = mx.nd.clip(mx.nd.array([1, 5, 9]), a_min=2, a_max=6).asnumpy().tolist()
out = mx.sym.relu(mx.sym.var("x")).eval(x=mx.nd.array([-1, 3]))[0].asnumpy().tolist()
print(len(functions), digest.hexdigest(), ends, out)
"""


def _imported(target: Path, *folder: Path) -> str:
    argv = [str(target), "-W", "ignore", "-c", IMPORT, *map(str, folder)]
    told = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    return told.stdout


@pytest.mark.e2e
def test_functions_from_the_file_are_those_that_are_compiled(target: Path, tmp_path: Path) -> None:
    plain = _imported(target)
    assert int(plain.split()[0]) > 1000
    assert plain.endswith("[2.0, 5.0, 6.0] [0.0, 3.0]\n")
    assert _imported(target, tmp_path) == plain
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns, file.stat().st_ino
    assert _imported(target, tmp_path) == plain
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == written  # nothing was lacking


def test_what_a_killed_process_left_goes_and_what_others_write_just_now_stays(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    old, young = tmp_path / "kept.part-old", tmp_path / "kept.part-young"
    for file in (old, young):
        file.write_bytes(b"half")
    os.utime(old, (1.0, 1.0))
    kept = compiled._Kept(str(path))
    kept._code("x = 1")
    kept.keep()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "kept.part-young"]
    path.unlink()
    path.mkdir()
    kept = compiled._Kept(str(path))
    kept._code("x = 1")
    kept.keep()  # it cannot be put in place
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "kept.part-young"]


@pytest.mark.parametrize("text", [b"", b"short", b"x" * 5000])
def test_what_is_no_such_file_has_nothing(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "kept"
    path.write_bytes(text)
    assert compiled._opened(str(path)) == (b"", {})


@pytest.mark.e2e
def test_a_damaged_file_is_none_and_is_written_anew(target: Path, tmp_path: Path) -> None:
    plain = _imported(target, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1000])
    assert _imported(target, tmp_path) == plain
    assert file.stat().st_size == len(whole)


@pytest.mark.e2e
def test_where_nothing_can_be_kept_it_is_compiled_as_ever(target: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _imported(target, tmp_path / "file").endswith("[2.0, 5.0, 6.0] [0.0, 3.0]\n")


def test_an_operators_address_is_its_own_in_every_process(tmp_path: Path) -> None:
    kept = compiled._Kept(str(tmp_path / "kept"))
    text = 'def f(n):\n    """_imperative_invoke of 5 is no call."""\n    return _imperative_invoke({}, n)\n'
    for address in (94633275615520, 140000000000001):
        space: dict[str, object] = {}
        exec(kept._code(text.format(address)), {"_imperative_invoke": lambda *given: given}, space)
        assert space["f"](2) == (address, 2)  # type: ignore[operator]
    kept.keep()
    again = compiled._Kept(str(tmp_path / "kept"))
    space = {}
    exec(again._code(text.format(7)), {"_imperative_invoke": lambda *given: given}, space)
    assert space["f"](2) == (7, 2)  # type: ignore[operator]
    assert not again._new
    again._code(text.replace("no call", "another text"))
    assert again._new


def test_a_python_whose_code_cannot_be_changed_compiles_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OldTypes:
        CodeType = object

    monkeypatch.setattr(compiled, "types", OldTypes)
    before = list(sys.meta_path)
    compiled.use(str(tmp_path))
    assert sys.meta_path == before
