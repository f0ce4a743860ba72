"""What comes from the file is what Python would have compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
spaces += [mx.nd.numpy, mx.nd.numpy._internal, mx.sym.numpy_extension]
named = [each for space in spaces for _, each in sorted(vars(space).items())]
functions = [each for each in named if isinstance(each, types.FunctionType)]
digest = hashlib.sha256()
for each in functions:
    defaults = each.__defaults__ and len(each.__defaults__)
    digest.update(repr((flat(each.__code__), each.__module__, each.__doc__, defaults)).encode())
ends = mx.nd.clip(mx.nd.array([1, 5, 9]), a_min=2, a_max=6).asnumpy().tolist()
out = mx.sym.relu(mx.sym.var("x")).eval(x=mx.nd.array([-1, 3]))[0].asnumpy().tolist()
print(len(functions), digest.hexdigest(), ends, out)
"""


TEXT = 'def f(n):\n    """What _imperative_invoke does."""\n    return _imperative_invoke({}, n)\n'
OF = b"o" * 32
"""Of MXNet's files."""


@dataclass(frozen=True)
class Handle:
    value: int


def _kept(path: Path, of: bytes = OF) -> Any:
    kept = compiled._Kept(str(path))
    kept._of = of
    kept._file, kept._places = compiled._opened(str(path), of)
    return kept


def _write(kept: Any, text: str = TEXT) -> Any:
    """What writes functions, and says how often it did."""
    written = []

    def write(handle: Handle, operator: str, function: str) -> tuple[str, str]:
        written.append(operator)
        return text.format(handle.value), f"{operator} is told"

    writer = kept.writer("_generate_ndarray_function_code", write)
    writer.written = written
    return writer


def _called(code: Any) -> object:
    """What the function gives that a code, or a text, defines."""
    space: dict[str, Any] = {}
    exec(code, {"_imperative_invoke": lambda *given: given}, space)
    return space["f"](2)


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
    kept = _kept(path)
    _write(kept)(Handle(5), "op", "f")
    kept.keep()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "kept.part-young"]
    path.unlink()
    path.mkdir()
    kept = _kept(path)
    _write(kept)(Handle(5), "op", "f")
    kept.keep()  # it cannot be put in place
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "kept.part-young"]


@pytest.mark.parametrize("text", [b"", b"short", b"x" * 5000])
def test_what_is_no_such_file_has_nothing(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "kept"
    path.write_bytes(text)
    assert compiled._opened(str(path), OF) == (b"", {})


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
    path = tmp_path / "kept"
    for address in (94633275615520, 140000000000001):
        kept = _kept(path)
        write = _write(kept)
        code, told = write(Handle(address), "op", "f")
        assert (_called(code), told) == ((address, 2), "op is told")
        kept.keep()
    assert write.written == [], "it came from the file"


@pytest.mark.parametrize("key", [("other", "f"), ("op", "g")])
def test_another_operator_or_name_is_written(tmp_path: Path, key: tuple[str, str]) -> None:
    kept = _kept(tmp_path / "kept")
    _write(kept)(Handle(5), "op", "f")
    kept.keep()
    write = _write(_kept(tmp_path / "kept"))
    assert write(Handle(6), *key)[1] == f"{key[0]} is told"
    assert write.written == [key[0]]


def test_what_other_files_wrote_is_not_taken(tmp_path: Path) -> None:
    for of in (OF, b"p" * 32):
        kept = _kept(tmp_path / "kept", of)
        write = _write(kept)
        assert _called(write(Handle(5), "op", "f")[0]) == (5, 2)
        assert write.written == ["op"]
        kept.keep()
    assert _kept(tmp_path / "kept", OF)._places == {}


@pytest.mark.parametrize("text", [TEXT.replace("{}", "9"), TEXT.replace("_imperative_invoke({}, n)", "(5, n)")])
def test_a_text_in_which_the_address_is_not_found_is_compiled_as_ever(tmp_path: Path, text: str) -> None:
    kept = _kept(tmp_path / "kept")
    assert _write(kept, text)(Handle(5), "op", "f") == (text, "op is told")
    kept.keep()
    assert list(tmp_path.iterdir()) == []


def test_which_files_of_mxnet_count(tmp_path: Path) -> None:
    names = ["libmxnet.so", "base.py", "ndarray_doc.py", "symbol_doc.py", "ndarray/register.py", "symbol/register.py"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
        os.utime(tmp_path / name, (1.0, 1.0))
    base = types.SimpleNamespace(
        __file__=str(tmp_path / "base.py"), _LIB=types.SimpleNamespace(_name=str(tmp_path / "libmxnet.so"))
    )
    seen = {compiled._files(base)}
    for name in names:
        os.utime(tmp_path / name, (2.0, 2.0))
        seen.add(compiled._files(base))
    assert len(seen) == 1 + len(names)
    (tmp_path / "symbol_doc.py").unlink()
    base._init_op_module = before = len
    compiled._Kept(str(tmp_path / "kept")).begin(base)
    assert base._init_op_module is before


def test_a_python_whose_code_cannot_be_changed_compiles_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OldTypes:
        CodeType = object

    monkeypatch.setattr(compiled, "types", OldTypes)
    before = list(sys.meta_path)
    compiled.use(str(tmp_path))
    assert sys.meta_path == before
