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
    """Import MXNet with what is kept in ``folder``, and keep there what is not yet.

    Python before 3.8, whose code cannot be given another number, compiles as ever.
    """
    if not hasattr(types.CodeType, "replace"):
        return
    program = (sys.executable + importlib.util.MAGIC_NUMBER.hex()).encode()
    kept = _Kept(os.path.join(folder, hashlib.sha256(program).hexdigest()[:16]))
    for name in _MODULES:
        imports.ahead_of(name, kept.compile_for)
    imports.when("mxnet", lambda module, seconds: kept.keep())


class _Kept:
    """Code by the digest of its text: what the file had, and what this process asked for."""

    def __init__(self, path):
        self._path, self._had, self._asked, self._lacked = path, _read(path), {}, False

    def compile_for(self, module):
        """Let a module execute text by what is kept: its own ``exec`` hides Python's."""
        module.exec = lambda text, _, local: exec(self._code(text), vars(module), local)

    def _code(self, text):
        address = _ADDRESS.search(text)
        if address is not None:
            text = text[: address.start()] + str(_PLACE) + text[address.end() :]
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        code = self._had.get(key)
        if code is None:
            code, self._lacked = compile(text, "<string>", "exec", dont_inherit=True), True
        self._asked[key] = code
        return code if address is None else _with(code, int(address.group()))

    def keep(self):
        """Write what was asked for, if the file lacked any of it; where that cannot be written, nothing is kept."""
        if not self._lacked:
            return
        body = marshal.dumps(self._asked)
        beside = "{}.{}".format(self._path, os.getpid())
        try:
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(beside, "wb") as file:
                file.write(hashlib.sha256(body).digest() + body)
            os.replace(beside, self._path)
        except OSError:
            pass


def _read(path):
    """What a file keeps; nothing where there is none, or it is not whole: Python does not outlive damaged code."""
    try:
        with open(path, "rb") as file:
            digest, body = file.read(_DIGEST), file.read()
    except OSError:
        return {}
    return marshal.loads(body) if hashlib.sha256(body).digest() == digest else {}


def _with(code, address):
    """The code with an operator's own address, in the functions that it defines, too."""
    constants = [
        _with(each, address) if isinstance(each, types.CodeType) else address if each == _PLACE else each
        for each in code.co_consts
    ]
    return code.replace(co_consts=tuple(constants))
