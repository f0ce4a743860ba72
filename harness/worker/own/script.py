"""Runs a script in this process, in place of the worker's own loop."""

import builtins
import os
import sys
import threading
import types
from importlib.machinery import SourceFileLoader

from .. import failures
from . import imports
from .seen import Seen, StoppedError


def run(job, channel, role, schedule):
    """Become the script, in any role: MXNet itself makes servers and schedulers of those that import it.

    The exit status is the script's own, 0 where it was stopped after as many steps as were asked for.
    """
    for name in [name for name in os.environ if name.startswith("HARNESS_")]:
        del os.environ[name]
    if not role.startswith("worker/"):
        _become(job.script.path, job.script.args, job.script.folder)
        return
    seen = Seen(job, channel, role, schedule)
    imports.when("mxnet", seen.imported)
    try:
        _become(job.script.path, job.script.args, job.script.folder)
    except StoppedError:
        seen.finish()
    except SystemExit as ended:
        if ended.code in (None, 0):
            seen.finish()
        else:
            failures.tell_of_exit(channel, ended)
        raise
    else:
        _join_threads()
        seen.finish()


def _become(path, arguments, folder):
    """What the interpreter does with ``python path arguments`` in a folder."""
    os.chdir(folder)
    sys.argv = [path, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(path))
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=path, __builtins__=builtins, __cached__=None, __loader__=SourceFileLoader("__main__", path)
    )
    sys.modules["__main__"] = main
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    exec(code, main.__dict__)


def _join_threads():
    """The interpreter waits for threads before it ends; until then they may train."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
