"""Exceptions that end a role: told before the interpreter ends, with whose fault they are."""

import os
import sys

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_TRAINED = _PACKAGE + "models" + os.sep
_WATCHING = _PACKAGE + os.path.join("own", "owners.py")
"""What looks at a script's arrays, and neither waits for them nor calls the script."""

_WANTS = {"disk_full": OSError, "memory_limit": MemoryError}
"""What faults lead to, wherever it comes up."""


class AskedError(Exception):
    """A fault of the schedule that lets the training script fail."""


class CannotCommitError(Exception):
    """A fault that cannot act in this job, with the reason."""


def report(channel, faults):
    """Tell of an exception before MXNet can keep the interpreter from ending; ``faults`` are names of the role's."""
    usual = sys.excepthook

    def hook(kind, error, trace):
        usual(kind, error, trace)
        channel.emit("failed", error="%s: %s" % (kind.__name__, error), defect=is_defect(error, trace, faults))

    sys.excepthook = hook


def is_defect(error, trace, faults):
    """Whether the harness's own code broke, unasked, and neither MXNet nor what is trained."""
    files = []
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    if any(file.startswith(_WATCHING) for file in files):
        return True  # what it asks of MXNet, no script has asked
    if isinstance(error, SyntaxError) and not (error.filename or "").startswith(_PACKAGE):
        return False  # it is where a file of the user's is compiled
    file = files[-1]
    ours = file.startswith(_PACKAGE) and not file.startswith(_TRAINED)
    asked = (AskedError, *(error_kind for name, error_kind in _WANTS.items() if name in faults))
    return ours and not isinstance(error, asked)
