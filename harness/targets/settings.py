"""Which environment variables a target's own libraries read: names that they never read do nothing, and nobody says so.

A compiled library names a variable by a C string, Python by a quoted one. What is neither in MXNet, nor in Horovod, nor
in what these and the interpreter are linked to, nor in numpy or Python's own modules, is read by none of them.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from harness.base.process import answer
from harness.targets.interpreter import Interpreter

_PACKAGES = ("mxnet", "horovod")
_WHERE = (
    "import os, sys; from importlib.util import find_spec; "
    f"specs = [find_spec(name) for name in {_PACKAGES!r}]; "
    "folders = [spec.submodule_search_locations[0] for spec in specs if spec]; "
    "print(sys.executable, os.path.dirname(os.__file__), *folders, sep='\\n')"
)
_WHERE_ELSE = (
    "import os; from importlib.util import find_spec; numpy = find_spec('numpy'); "
    "print(os.path.dirname(os.__file__), *(numpy.submodule_search_locations if numpy else ()), sep='\\n')"
)
_ADDED = {"site-packages", "dist-packages", "test"}
"""Folders among Python's modules that are not its own."""

_LINKED = re.compile(r"(/\S+) \(0x")
_LOADER = "LD_"
"""Variables of the dynamic loader, which holds only what follows this."""

FAMILIES = ("MXNET", "OMP", "DMLC", "PS", "KMP", "MKL", "HOROVOD", "NCCL")
"""How names begin that people set for MXNet."""

_ALIKE = 0.7
"""Of two names, by `difflib`: EXEC_VERBOSE and EXEC_VERBOSE_LOGGING are 0.75."""

_PATIENCE_SECONDS = 30.0


def unread(names: Collection[str], interpreter: Interpreter) -> dict[str, str]:
    """Names that nothing in the target reads, with the nearest one that is read, or ""; empty where nobody can tell."""
    asked = [name for name in names if not name.startswith(_LOADER)]
    told = unread_in(asked, _files(interpreter)) if asked else {}
    missing = _unnamed(told, _elsewhere(interpreter)) if told else set[str]()
    return {name: near for name, near in told.items() if name in missing}


def known(interpreter: Interpreter) -> frozenset[str]:
    """All names of `FAMILIES` that a target's own libraries hold, and so may read; none where MXNet's is not found."""
    files = _files(interpreter)
    if not any(file.name == "libmxnet.so" for file in files):
        return frozenset()
    pattern = f"(?:{'|'.join(FAMILIES)})_[A-Z0-9_]+"
    return frozenset(name for file in files for name in _found(file, file.read_bytes(), pattern))


def does_nothing(name: str, near: str) -> str:
    """What is to be said of a variable that nothing reads, and of the nearest one that is read."""
    meant = f"; did you mean {near}?" if near else ""
    return f"{name} does nothing: no library of the target reads it{meant}"


def unread_in(names: Collection[str], files: Sequence[Path]) -> dict[str, str]:
    """The same for libraries and modules by path; empty without any.

    A name in lower case, as http_proxy, may be read in ways that nobody sees: it is told only where it is one in upper
    case that is read.
    """
    missing, near = _unnamed(names, files), set[str]()
    for file in files if missing else ():
        content = file.read_bytes()
        for family in {*FAMILIES, *(name.upper().split("_")[0] for name in missing)}:
            near.update(_found(file, content, f"{re.escape(family)}_[A-Z0-9_]+"))
    told = {name: _nearest(name.upper(), near) for name in sorted(missing)}
    return {name: other for name, other in told.items() if name.isupper() or other == name.upper()}


def _unnamed(names: Collection[str], files: Sequence[Path]) -> set[str]:
    """Those that are in no file; none without files."""
    missing = set(names) if files else set[str]()
    for file in files:
        content = file.read_bytes()
        missing -= {name for name in missing if name in _found(file, content, re.escape(name))}
    return missing


def _found(file: Path, content: bytes, pattern: str) -> Iterator[str]:
    """Whole names of a pattern, by what ends them: a NUL in a library, a quotation mark in Python."""
    quote = rb"[\"']" if file.suffix == ".py" else rb"\0"
    for match in re.finditer(pattern.encode() + quote, content):
        before = content[match.start() - 1 : match.start()]
        if not (before.isalnum() or before == b"_"):
            yield match.group()[:-1].decode()


def _nearest(name: str, known: Collection[str]) -> str:
    """Of the names that begin alike, the one whose rest is most alike, if any is; else the one with the same rest."""
    family, _, rest = name.partition("_")
    others = sorted(other.partition("_")[2] for other in known if other.startswith(f"{family}_"))
    alike = [f"{family}_{other}" for other in difflib.get_close_matches(rest, others, 1, _ALIKE)]
    return next(iter([*alike, *sorted(other for other in known if rest and other.partition("_")[2] == rest)]), "")


def _files(interpreter: Interpreter) -> list[Path]:
    """Libraries and modules of MXNet, Horovod and Python, the interpreter, and what these are linked to."""
    try:
        told = _output([str(interpreter.python), "-I", "-c", _WHERE])
        executable, modules, *folders = [Path(line) for line in told.splitlines()]
        inside = [file for folder in folders for file in sorted(folder.rglob("*"))]
        own = [file for file in inside if file.is_file() and (".so" in file.name or file.suffix == ".py")]
        linked = [executable, *(file for file in own if file.name == "libmxnet.so")]
        paths = _LINKED.findall(_output(["ldd", *map(str, linked)], interpreter.env))
        return [*own, *sorted(modules.glob("*.py")), *dict.fromkeys([executable, *map(Path, paths)])]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def _elsewhere(interpreter: Interpreter) -> list[Path]:
    """Of numpy, and all modules of Python with what these are linked to: hundreds, read where a name is missing."""
    try:
        modules, *numpy = map(Path, _output([str(interpreter.python), "-I", "-c", _WHERE_ELSE]).splitlines())
        beside = [folder.with_name(f"{folder.name}.libs") for folder in numpy]
        own = [file for folder in [*numpy, *beside] for file in folder.rglob("*") if ".so" in file.name]
        standard = [file for file in modules.rglob("*") if not _ADDED & {*file.relative_to(modules).parts}]
        compiled = [file for file in standard if file.suffix == ".so"]
        linked = _LINKED.findall(_output(["ldd", *map(str, compiled)], interpreter.env)) if compiled else []
        return [*own, *(file for file in standard if file.suffix == ".py"), *compiled, *map(Path, sorted({*linked}))]
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def _output(argv: Sequence[str], more: Mapping[str, str] = MappingProxyType({})) -> str:
    done = answer(argv, _PATIENCE_SECONDS, {**os.environ, **more})
    done.check_returncode()
    return done.stdout
