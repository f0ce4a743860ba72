"""What `import mxnet` writes and compiles, from a file, as Python has it for modules: most of what the import costs.

MXNet writes a function in Python for each of its operators, some 2,500, and compiles them in every process
(python/mxnet/ndarray/register.py, python/mxnet/symbol/register.py). What it writes follows from its library and a few
of its files, but for one number, where the operator lies in memory. So the code is kept by the operator's name, for as
long as these files are what they were.
"""

import functools
import hashlib
import importlib.util
import itertools
import marshal
import mmap
import os
import re
import sys
import tempfile
import time
import types

from .own import imports

_MAKERS = ("_init_op_module", "_init_np_op_module")
"""Of ``mxnet.base``: each makes all functions of some modules, the second since 1.6."""

_WRITERS = re.compile("_generate_(ndarray|symbol)_function_code")
"""Beside the function that they are given: what writes the text, and the documentation, of one."""

_FILES = ("base.py", "ndarray/register.py", "ndarray_doc.py", "symbol/register.py", "symbol_doc.py")
_ADDRESS = re.compile(r"_(?:imperative_invoke|symbol_creator)\((\d+)")
_PLACE = 0x6D786E65742E6F70
"""Stands for the address in code that is kept."""

_LAYOUT = 3
"""Of the file; another one is another file: a digest only tells that it is whole."""

_DIGEST = hashlib.sha256().digest_size
_HEAD = _DIGEST + 8
_PART, _LEFT_SECONDS, _OLD_SECONDS = ".part-", 60.0, 30 * 86400.0


def use(folder):
    """Import MXNet with what is kept in ``folder``, which is this interpreter's, and keep there what is not yet.

    Python before 3.8, whose code cannot be given another number, writes and compiles as ever.
    """
    if not hasattr(types.CodeType, "replace"):
        return
    alike = _LAYOUT, importlib.util.MAGIC_NUMBER.hex(), sys.flags.optimize  # else nobody could read or use it
    kept = _Kept(os.path.join(folder, "{}-{}-{}".format(*alike)) + "-")
    imports.when("mxnet.base", lambda module, seconds: kept.begin(module))
    imports.when("mxnet", lambda module, seconds: kept.keep())


class _Kept:
    """Code and documentation by who wrote it and of what: where the file has it, and what this process had to compile.

    The file's name is ``path`` and what tells MXNet's files: an interpreter may have several by turns. Each code is
    read as it is asked for, so that a process takes no more memory than one that compiles.
    """

    def __init__(self, path):
        self._path, self._new = path, {}
        self._file, self._places, self._known = b"", {}, set()

    def begin(self, base):
        """Let ``mxnet.base`` make functions by what is kept; as ever where its files cannot be told."""
        try:
            self._path += _files(base)
        except (OSError, AttributeError, TypeError):  # as of a build that finds its library otherwise
            return
        self._file, self._places = _opened(self._path)
        for name in _MAKERS:
            if hasattr(base, name):
                setattr(base, name, self._before(getattr(base, name)))

    def _before(self, make):
        @functools.wraps(make)
        def run(*given, **named):
            space = getattr(named.get("make_op_func", given[-1] if given else None), "__globals__", {})
            for name in [name for name in space if _WRITERS.fullmatch(name) and name not in self._known]:
                self._known.add(name)
                space[name] = self.writer(name, space[name])
            return make(*given, **named)

        return run

    def writer(self, name, write):
        """As ``write`` of that name, which returns a function's text and documentation, with code for the text."""

        def written(handle, operator, function, *more, **other):
            if more or other:
                return write(handle, operator, function, *more, **other)
            key = name, operator, function
            if key in self._places:
                code, told = marshal.loads(self._kept(key))
                return _with(code, handle.value), told
            text, told = write(handle, operator, function)
            address = _ADDRESS.search(text)
            if address is None or int(address.group(1)) != handle.value:
                return text, told
            alike = text[: address.start(1)] + str(_PLACE) + text[address.end(1) :]
            code = compile(alike, "<string>", "exec", dont_inherit=True)
            self._new[key] = marshal.dumps((code, told))
            return _with(code, handle.value), told

        return written

    def _kept(self, key):
        start, end = self._places[key]
        return self._file[start:end]

    def keep(self):
        """Write what the file lacked, if anything; where it cannot be written nothing is kept."""
        if self._new:
            try:
                os.makedirs(os.path.dirname(self._path), exist_ok=True)
                _write(self._path, {**{key: self._kept(key) for key in self._places}, **self._new})
            except OSError:
                pass
        self._file, self._places, self._new = b"", {}, {}


def _files(base):
    """Digits that tell which files of MXNet write functions, how long they are and when each was written."""
    folder = os.path.dirname(base.__file__)
    paths = [base._LIB._name, *(os.path.join(folder, name) for name in _FILES)]
    each = [(path, _seen(os.stat(path))) for path in paths]
    return hashlib.sha256(repr(each).encode()).hexdigest()[:32]


def _seen(stat):
    """Also where another one took its place that says that it is as old."""
    return stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _opened(path):
    """A file, and where in it each code lies; nothing where there is none, or it is not whole.

    Python does not outlive damaged code.
    """
    try:
        with open(path, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # an empty one cannot be mapped
        return b"", {}
    with memoryview(mapped) as whole, whole[_DIGEST:] as body:
        if hashlib.sha256(body).digest() != whole[:_DIGEST]:
            return b"", {}
    first = _HEAD + int.from_bytes(mapped[_DIGEST:_HEAD], "big")
    places = marshal.loads(mapped[_HEAD:first])
    return mapped, {key: (first + start, first + end) for key, (start, end) in places.items()}


def _write(path, codes):
    """The digest of all that follows, how long the places of codes are, these, and the codes; whole or not at all.

    Others may write it, too. What somebody left who was killed goes, and what has been there for a month.
    """
    ends = list(itertools.accumulate(map(len, codes.values())))
    places = marshal.dumps(dict(zip(codes, zip([0, *ends], ends))))
    body = len(places).to_bytes(_HEAD - _DIGEST, "big") + places + b"".join(codes.values())
    folder, name = os.path.split(path)
    for left in os.listdir(folder):
        beside = os.path.join(folder, left)
        if time.time() - os.stat(beside).st_mtime > (_LEFT_SECONDS if _PART in left else _OLD_SECONDS):
            os.unlink(beside)
    number, beside = tempfile.mkstemp(prefix=name + _PART, dir=folder)
    try:
        with open(number, "wb") as file:
            file.write(hashlib.sha256(body).digest() + body)
        os.replace(beside, path)
    except OSError:
        os.unlink(beside)


def _with(code, address):
    """The code with an operator's own address, in the functions that it defines, too."""
    constants = [
        _with(each, address) if isinstance(each, types.CodeType) else address if each == _PLACE else each
        for each in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))
