"""What `import mxnet` compiles, from a file, as Python has it for modules: half of what the import costs.

MXNet writes a function in Python for each of its operators, some 2,500, and compiles them in every process
(python/mxnet/ndarray/register.py, python/mxnet/symbol/register.py). Their texts are the same in each but for one
number, where the operator lies in memory. Which code comes from the file is found by the text, so that it is what would
have been compiled.
"""

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

_MODULES = ("mxnet.ndarray.register", "mxnet.symbol.register")
_ADDRESS = re.compile(r"_(?:imperative_invoke|symbol_creator)\((\d+)")
"""Begins with a letter that is looked for at once: one that looks behind took a fifth of a quick start."""

_PLACE = 0x6D786E65742E6F70
"""Stands for the address in code that is kept."""

_LAYOUT = 2
"""Of the file; another one is another file: a digest only tells that it is whole."""

_DIGEST = hashlib.sha256().digest_size
_HEAD = _DIGEST + 8
_PART, _LEFT_SECONDS = ".part-", 60.0


def use(folder):
    """Import MXNet with what is kept in ``folder``, which is this interpreter's, and keep there what is not yet.

    Python before 3.8, whose code cannot be given another number, compiles as ever.
    """
    if not hasattr(types.CodeType, "replace"):
        return
    alike = _LAYOUT, importlib.util.MAGIC_NUMBER.hex(), sys.flags.optimize  # else nobody could read or use it
    kept = _Kept(os.path.join(folder, "{}-{}-{}".format(*alike)))
    for name in _MODULES:
        imports.ahead_of(name, kept.compile_for)
    imports.when("mxnet", lambda module, seconds: kept.keep())


class _Kept:
    """Code by the digest of its text: where the file has it, and what this process had to compile.

    Each is read as it is asked for, so that a process takes no more memory than one that compiles.
    """

    def __init__(self, path):
        self._path, self._new = path, {}
        self._file, self._places = _opened(path)

    def compile_for(self, module):
        """Let a module execute text by what is kept: its own ``exec`` hides Python's."""

        def run(text, *where):
            space, *local = where or (None,)
            code = self._code(text) if isinstance(text, str) else text
            exec(code, vars(module) if space is None else space, *local)

        module.exec = run

    def _code(self, text):
        address = _ADDRESS.search(text)
        if address is not None:
            text = text[: address.start(1)] + str(_PLACE) + text[address.end(1) :]
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        if key in self._places:
            code = marshal.loads(self._kept(key))
        else:
            code = compile(text, "<string>", "exec", dont_inherit=True)
            self._new[key] = marshal.dumps(code)
        return code if address is None else _with(code, int(address.group(1)))

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

    Others may write it, too. What somebody left who was killed goes.
    """
    ends = list(itertools.accumulate(map(len, codes.values())))
    places = marshal.dumps(dict(zip(codes, zip([0, *ends], ends))))
    body = len(places).to_bytes(_HEAD - _DIGEST, "big") + places + b"".join(codes.values())
    folder, name = os.path.split(path)
    for left in os.listdir(folder):
        beside = os.path.join(folder, left)
        if left.startswith(name + _PART) and time.time() - os.stat(beside).st_mtime > _LEFT_SECONDS:
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
