"""Runs a script in this process, in place of the worker's own loop."""

import builtins
import functools
import os
import sys
import threading
import types
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader

from .. import failures
from . import imports
from .seen import StoppedError
from .usual import SeenAsUsual


def run(job, channel, role, schedule, tell):
    """Become the script, in any role: MXNet itself makes servers and schedulers of those that import it.

    The exit status is the script's own, 0 where it was stopped after as many steps as were asked for. ``tell`` of an
    exception that ends it, ``(error, trace)``: the script may have a hook of its own.
    """
    for name in [name for name in os.environ if name.startswith("HARNESS_")]:
        del os.environ[name]
    if not role.startswith("worker/"):
        with _telling(tell):
            _become(job.script.path, job.script.args, job.script.folder)
        return
    seen = SeenAsUsual(job, channel, role, schedule)
    imports.when("mxnet", seen.imported)
    _finish_before_an_exit(seen)
    try:
        with _telling(tell):
            _become(job.script.path, job.script.args, job.script.folder)
    except StoppedError:
        seen.finish()
    except SystemExit as ended:
        if ended.code in (None, 0):
            _join_threads()
            seen.finish()
        else:
            failures.tell_of_exit(channel, ended)
        raise
    else:
        _join_threads()
        seen.finish()


@contextmanager
def _telling(tell):
    """Tell of an exception, whatever hook the script has for it."""
    try:
        yield
    except SystemExit:
        raise
    except BaseException as error:
        tell(error, error.__traceback__)
        raise


def _finish_before_an_exit(seen):
    """A script may leave by ``os._exit(0)``, as where MXNet hangs when the interpreter ends."""
    leave = os._exit

    @functools.wraps(leave)
    def finish_and_leave(status):
        if status == 0:
            seen.finish()
        leave(status)

    os._exit = finish_and_leave


def _become(path, arguments, folder):
    """What the interpreter does with ``python path arguments`` in a folder."""
    os.chdir(folder)
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    forget_modules_of(sys.path[0])
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=path, __builtins__=builtins, __cached__=None, __loader__=SourceFileLoader("__main__", path)
    )
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, main.__dict__)


_AT_START = frozenset("abc codecs encodings genericpath io os posixpath site stat zipimport".split())
"""What an interpreter has imported before it comes to a script, and no file beside that takes the place of."""


def forget_modules_of(folder):
    """A file beside the script comes before a module of its name that only the worker has imported, as ``json``."""
    try:
        beside = os.listdir(folder)
    except OSError:
        return
    for file in beside:
        name, kind = os.path.splitext(file)
        is_module = kind == ".py" or os.path.isfile(os.path.join(folder, file, "__init__.py"))
        if not is_module or name not in sys.modules or name in _AT_START or name in sys.builtin_module_names:
            continue
        for known in [known for known in sys.modules if known.split(".")[0] == name]:
            del sys.modules[known]


def _join_threads():
    """The interpreter wakes pools, then waits for threads before it ends; until then they may train."""
    for wake in reversed(getattr(threading, "_threading_atexits", [])):  # since Python 3.9 (Lib/threading.py)
        wake()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
