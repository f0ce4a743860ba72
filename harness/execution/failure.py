"""What a reason says of an exception that ended a training script."""

from __future__ import annotations

import re

from harness.vocabulary.events import Failed

_LONGEST = 200
_TRACEBACK = "Traceback (most recent call last):"
_REMEDIES = {
    'find("DMLC_': "; a dist kvstore takes a cluster: topology: {kvstore: dist_sync, workers: 2}",
}


def in_short(failed: Failed, built: bool = False) -> str:
    """The line of it that says what went wrong, where in the user's files that was, and the remedy if one is known.

    ``built``: whether the target is one of the harness's own, which has MXNet and little more.
    """
    where = f" ({failed.where})" if failed.where else ""
    remedy = "".join(words for sign, words in _REMEDIES.items() if sign in failed.error)
    if built and failed.error.startswith("ModuleNotFoundError") and not failed.mxnet:
        remedy += "; this target has MXNet and little more: --python PATH takes an interpreter that has the module"
    return f"{_telling_line(failed.error)}{where}{remedy}"


def _telling_line(error: str) -> str:
    """Its first; of MXNet's own, which begin with a trace through C++, the one that names the error."""
    lines = error.strip().splitlines() or [""]
    if lines[0].endswith(_TRACEBACK):
        lines = [line for line in lines if re.match(r"\w+Error: (?!Traceback)", line)] or lines[-1:]
    return lines[0].strip()[:_LONGEST]
