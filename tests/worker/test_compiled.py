"""What comes from the file is what Python would have compiled."""

from __future__ import annotations

import functools
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
texts = []
if sys.argv[1:]:
    from harness.worker import compiled
    compiled.compile = lambda text, *more, **other: (texts.append(text), compile(text, *more, **other))[1]
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
print(len(texts), file=sys.stderr)
"""


TEXT = 'def f(n):\n    """What _imperative_invoke does."""\n    return _imperative_invoke({}, n)\n'


@dataclass(frozen=True)
class Handle:
    value: int


def _kept(path: Path) -> Any:
    kept = compiled._Kept(str(path))
    kept._file, kept._places = compiled._opened(str(path))
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


def tuple_of(*given: object) -> tuple[object, ...]:
    return given


def _imported(target: Path, *folder: Path) -> tuple[str, int]:
    """What it has, and how many texts were compiled to be kept."""
    argv = [str(target), "-W", "ignore", "-c", IMPORT, *map(str, folder)]
    told = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    return told.stdout, int(told.stderr.split()[-1])


@pytest.mark.e2e
def test_functions_from_the_file_are_those_that_are_compiled(target: Path, tmp_path: Path) -> None:
    plain, _ = _imported(target)
    assert int(plain.split()[0]) > 1000
    assert plain.endswith("[2.0, 5.0, 6.0] [0.0, 3.0]\n")
    first, texts = _imported(target, tmp_path)
    assert first == plain
    assert texts > 1000
    (file,) = tmp_path.iterdir()
    written = file.stat().st_mtime_ns, file.stat().st_ino
    assert _imported(target, tmp_path) == (plain, 0)
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
    assert compiled._opened(str(path)) == (b"", {})


@pytest.mark.e2e
def test_a_damaged_file_is_none_and_is_written_anew(target: Path, tmp_path: Path) -> None:
    plain, texts = _imported(target, tmp_path)
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1000])
    assert _imported(target, tmp_path) == (plain, texts)
    assert file.stat().st_size == len(whole)


@pytest.mark.e2e
def test_where_nothing_can_be_kept_it_is_compiled_as_ever(target: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert _imported(target, tmp_path / "file")[0].endswith("[2.0, 5.0, 6.0] [0.0, 3.0]\n")


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


@pytest.mark.parametrize("text", [TEXT.replace("{}", "9"), TEXT.replace("_imperative_invoke({}, n)", "(5, n)")])
def test_a_text_in_which_the_address_is_not_found_is_compiled_as_ever(tmp_path: Path, text: str) -> None:
    kept = _kept(tmp_path / "kept")
    assert _write(kept, text)(Handle(5), "op", "f") == (text, "op is told")
    kept.keep()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def base(tmp_path: Path) -> Any:
    """``mxnet.base`` of files that are as old as each other."""
    for name in FILES:
        (tmp_path / "mxnet" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "mxnet" / name).write_text(name)
    library = types.SimpleNamespace(_name=str(tmp_path / "mxnet" / "libmxnet.so"))
    return types.SimpleNamespace(__file__=str(tmp_path / "mxnet" / "base.py"), _LIB=library)


FILES = ["libmxnet.so", "base.py", "ndarray_doc.py", "symbol_doc.py", "ndarray/register.py", "symbol/register.py"]


@pytest.mark.parametrize("name", FILES)
def test_which_files_of_mxnet_count(base: Any, name: str) -> None:
    path = Path(base.__file__).parent / name
    before, stat = compiled._files(base), path.stat()
    assert compiled._files(base) == before
    path.write_text("another")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    longer = compiled._files(base)
    os.utime(path, (2.0, 2.0))
    assert len({before, longer, compiled._files(base)}) == 3


def test_another_file_that_says_it_is_as_old_is_another_one(base: Any) -> None:
    path = Path(base._LIB._name)
    before, stat = compiled._files(base), path.stat()
    other = path.with_suffix(".new")
    other.write_text(path.read_text())
    os.utime(other, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    other.rename(path)
    assert compiled._files(base) != before


@pytest.mark.parametrize("lacking", ["_LIB", "a file"])
def test_an_mxnet_that_is_built_otherwise_is_imported_as_ever(tmp_path: Path, base: Any, lacking: str) -> None:
    base._init_op_module = before = len
    if lacking == "_LIB":
        base._LIB = None
    else:
        (tmp_path / "mxnet" / "symbol_doc.py").unlink()
    compiled._Kept(str(tmp_path / "kept")).begin(base)
    assert base._init_op_module is before


def test_functions_are_made_by_what_is_kept(tmp_path: Path, base: Any) -> None:
    """As MXNet makes them: by a function of its module, given by its place or by its name, several times."""
    written = []

    def write(handle: Handle, operator: str, function: str, signature_only: bool = False) -> tuple[str, str]:
        written.append(operator)
        return ("signature" if signature_only else TEXT.format(handle.value)), "told"

    def begun() -> tuple[Any, Any]:
        module: dict[str, Any] = {"_generate_ndarray_function_code": write, "Handle": Handle}
        exec("def make(*it, **more): return _generate_ndarray_function_code(*it, **more)", module)
        base._init_op_module = lambda root, name, make_op_func: make_op_func(Handle(7), "op", "f")
        kept = compiled._Kept(str(tmp_path / "kept"))
        kept.begin(base)
        return kept, module["make"]

    kept, make = begun()
    assert _called(base._init_op_module("mxnet", "ndarray", make)[0]) == (7, 2)
    assert _called(base._init_op_module(root="mxnet", name="x", make_op_func=make)[0]) == (7, 2)
    assert make(Handle(7), "op", "f", signature_only=True) == ("signature", "told")
    assert make(Handle(7), "op", "f", True) == ("signature", "told")
    assert written == ["op", "op", "op", "op"]
    kept.keep()
    written.clear()
    _, make = begun()
    assert _called(base._init_op_module("mxnet", "ndarray", make)[0]) == (7, 2)
    assert written == []
    assert base._init_op_module("mxnet", "ndarray", functools.partial(tuple_of)) == (Handle(7), "op", "f")


def test_a_python_whose_code_cannot_be_changed_compiles_as_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OldTypes:
        CodeType = object

    monkeypatch.setattr(compiled, "types", OldTypes)
    before = list(sys.meta_path)
    compiled.use(str(tmp_path))
    assert sys.meta_path == before
