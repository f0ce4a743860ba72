"""Exceptions that end a role: told before the interpreter ends, with whose fault they are."""

import inspect
import os
import sys
import sysconfig

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ARCHIVE = os.path.dirname(_PACKAGE[:-1]) + os.sep
_TRAINED = _PACKAGE + "models" + os.sep
_WATCHING = _PACKAGE + os.path.join("own", "owners.py")
"""What looks at a script's arrays, and neither waits for them nor calls the script."""

_PLACES = [sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")]
_LIBRARIES = ("<frozen", *{each + os.sep for path in _PLACES for each in (path, os.path.realpath(path))})
"""Where frames of Python's library and of packages lie."""

_WANTS = {"disk_full": OSError, "memory_limit": MemoryError}
"""What faults lead to, wherever it comes up."""


class AskedError(Exception):
    """A fault of the schedule that lets the training script fail."""


class CannotCommitError(Exception):
    """A fault that cannot act in this job, with the reason."""


class RefusedError(Exception):
    """MXNet does not have, or take, what the scenario asks for."""


class WrongAnswerError(Exception):
    """A function of the user's returned what it may not."""

    def __init__(self, words, function):
        super().__init__(words)
        code = getattr(inspect.unwrap(function), "__code__", None)
        self.where = "" if code is None else _place(code.co_filename, code.co_firstlineno)


def report(channel, faults):
    """Tell of an exception before MXNet can keep the interpreter from ending; ``faults`` are names of the role's.

    Returns what tells of one: a script may have a hook of its own.
    """
    usual, told, printed = sys.excepthook, [], []

    def tell(error, trace, by_hook=False):
        if any(error is each for each in told):
            return
        told.append(error)
        defect = is_defect(error, trace, faults)
        if defect and not by_hook:  # nobody may have the time to say it later
            usual(type(error), error, trace)
            printed.append(error)
        channel.emit(
            "failed",
            error="%s: %s" % (type(error).__name__, _words(error)),
            defect=defect,
            mxnet=_is_mxnets(error, trace),
            step=channel.step,
            where=_where(error, trace),
        )

    def hook(kind, error, trace):
        if not any(error is each for each in printed):
            outside = _from_outside(error, trace)
            usual(kind, error.with_traceback(outside), outside)
        tell(error, trace, by_hook=True)

    sys.excepthook = hook
    return tell


def _words(error):
    try:
        return str(error)
    except Exception:
        return "an exception that cannot say what it is"


def tell_of_exit(channel, ended):
    """Of a script that ended itself with a status of its own, or with words, which no hook of exceptions sees."""
    error = "SystemExit: %s" % (ended.code,)
    where = _where(ended, ended.__traceback__)
    channel.emit("failed", error=error, defect=False, mxnet=False, step=channel.step, where=where)


def _from_outside(error, trace):
    """Without what leads to a script's own first line, or to its text; all of it where nothing else is there."""
    found = trace
    while found is not None and _is_ours(found.tb_frame.f_code.co_filename):
        found = found.tb_next
    return found if found is not None or isinstance(error, SyntaxError) else trace


def _is_ours(file):
    return file.startswith((_ARCHIVE, "<frozen"))


def _is_mxnets(error, trace):
    """Whether MXNet or Horovod raised it, or what they called: by the innermost frame of theirs or of the user's."""
    packages = _trainers()
    for file in reversed(_files(trace)):
        if file.startswith(packages):
            return True
        if not file.startswith(_LIBRARIES):
            break
    return isinstance(error, RefusedError) or type(error).__module__.split(".")[0] == "mxnet"


def _trainers():
    """Folders of what a script trains with."""
    places = [getattr(sys.modules.get(name), "__file__", None) for name in ("mxnet", "horovod")]
    return tuple(os.path.dirname(place) + os.sep for place in places if place is not None)


def _files(trace):
    return [file for file, _ in _lines(trace)]


def _lines(trace):
    lines = []
    while trace is not None:
        lines.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    return lines


def _where(error, trace):
    """The innermost line of the user's that led to it."""
    if isinstance(error, WrongAnswerError):
        return error.where
    others = (_ARCHIVE, "<", *_LIBRARIES, *_trainers())
    return next((_place(*line) for line in reversed(_lines(trace)) if not line[0].startswith(others)), "")


def _place(file, line):
    return "%s:%d" % (os.path.basename(file), line)


def is_defect(error, trace, faults):
    """Whether the harness's own code broke, unasked, and neither MXNet nor what is trained."""
    files = _files(trace)
    if any(file.startswith(_WATCHING) for file in files):
        return True  # what it asks of MXNet, no script has asked
    if isinstance(error, SyntaxError) and not (error.filename or "").startswith(_PACKAGE):
        return False  # it is where a file of the user's is compiled
    file = files[-1]
    ours = file.startswith(_PACKAGE) and not file.startswith(_TRAINED)
    wanted = tuple(kind for name, kind in _WANTS.items() if name in faults)
    return ours and not isinstance(error, (AskedError, RefusedError, WrongAnswerError, *wanted))
