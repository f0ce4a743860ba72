"""What `import mxnet` compiles, from a file, as Python has it for modules: half of what the import costs.

MXNet writes a function in Python for each of its operators, some 2,500, and compiles them in every process
(python/mxnet/ndarray/register.py, python/mxnet/symbol/register.py). Their texts are the same in each but for one
number, where the operator lies in memory. Which code comes from the file is found by the text, so that it is what would
have been compiled.
"""

import hashlib
import importlib.util
import marshal
import os
import re
import sys
import types

from .own import imports

_MODULES = ("mxnet.ndarray.register", "mxnet.symbol.register")
_ADDRESS = re.compile(r"(?<=_imperative_invoke\()\d+|(?<=_symbol_creator\()\d+")
_PLACE = 0x6D786E65742E6F70
"""Stands for the address in code that is kept."""

_DIGEST = hashlib.sha256().digest_size


def use(folder):
    """Import MXNet with what is kept in ``folder``, which is this interpreter's, and keep there what is not yet.

    Python before 3.8, whose code cannot be given another number, compiles as ever.
    """
    if not hasattr(types.CodeType, "replace"):
        return
    name = "{}-{}".format(importlib.util.MAGIC_NUMBER.hex(), sys.flags.optimize)  # who else reads it compiles alike
    kept = _Kept(os.path.join(folder, name))
    for name in _MODULES:
        imports.ahead_of(name, kept.compile_for)
    imports.when("mxnet", lambda module, seconds: kept.keep())


class _Kept:
    """Code by the digest of its text: what the file had, and what this process asked for."""

    def __init__(self, path):
        self._path, self._had, self._asked, self._lacked = path, _read(path), {}, False

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
            text = text[: address.start()] + str(_PLACE) + text[address.end() :]
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        code = self._had.get(key) or self._asked.get(key)
        if code is None:
            code, self._lacked = compile(text, "<string>", "exec", dont_inherit=True), True
        self._asked[key] = code
        return code if address is None else _with(code, int(address.group()))

    def keep(self):
        """Write what was asked for, if the file lacked any of it, and forget it: it takes 3 MB.

        Where it cannot be written nothing is kept.
        """
        if self._lacked:
            body = marshal.dumps({**self._had, **self._asked})
            try:
                os.makedirs(os.path.dirname(self._path), exist_ok=True)
                _write(self._path, hashlib.sha256(body).digest() + body)
            except OSError:
                pass
        self._had, self._asked = {}, {}


def _read(path):
    """What a file keeps; nothing where there is none, or it is not whole: Python does not outlive damaged code."""
    try:
        with open(path, "rb") as file:
            digest, body = file.read(_DIGEST), file.read()
    except OSError:
        return {}
    return marshal.loads(body) if hashlib.sha256(body).digest() == digest else {}


def _write(path, text):
    """Whole or not at all; others may write it, too, whose processes have the same number in a cluster of their own."""
    import tempfile

    number, beside = tempfile.mkstemp(dir=os.path.dirname(path))
    with open(number, "wb") as file:
        file.write(text)
    os.replace(beside, path)


def _with(code, address):
    """The code with an operator's own address, in the functions that it defines, too."""
    constants = [
        _with(each, address) if isinstance(each, types.CodeType) else address if each == _PLACE else each
        for each in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))
