"""What an MXNet says of itself: versions, features, and which of some names it has, with what they take.

``{"names": [...]}`` comes in as JSON, the answer goes out as a line.
"""

import inspect
import json
import os
import platform
import sys
from importlib import import_module
from importlib.util import find_spec

from . import libraries

IMPORTED = "imported"
"""Said before anything else is asked: what fails from there on is no answer about MXNet's start."""


def main():
    """Answer once. Whatever else writes to standard output writes to the log."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    asked = json.load(sys.stdin)
    import mxnet
    import numpy

    out.write(IMPORTED + "\n")
    out.flush()
    found = {
        "python": platform.python_version(),
        "mxnet": mxnet.__version__,
        "numpy": numpy.__version__,
        "horovod": _horovod(),
        "features": _features(),
        "libraries": libraries.versions(),
        "names": {name: described(name) for name in asked["names"]},
    }
    out.write(json.dumps(found) + "\n")
    out.flush()


def _horovod():
    if find_spec("horovod") is None:
        return None
    import horovod

    return horovod.__version__


def _features():
    """By name, whether the library was built with it; MXNet has them since 1.5."""
    from mxnet.runtime import Features

    return {name: feature.enabled for name, feature in sorted(Features().items())}


def described(name):
    """What a dotted name is: None where there is nothing of that name, ``{}`` where it does not say what it takes."""
    try:
        found = resolved(name)
    except Exception:  # whatever a module raises that is imported for it
        return None
    try:
        parameters = inspect.signature(found).parameters.values() if callable(found) else None
    except (TypeError, ValueError):
        parameters = None
    return {} if parameters is None else _taken(list(parameters))


def _taken(parameters):
    """Names of arguments in order, those that must be given, and whether any others are taken."""
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    places = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    any_place = any(each.kind == each.VAR_POSITIONAL for each in parameters)
    return {
        "names": [each.name for each in named],
        "needed": [each.name for each in named if each.default is each.empty],
        "any_name": any(each.kind == each.VAR_KEYWORD for each in parameters),
        "places": None if any_place else len(places),
    }


def resolved(name):
    """The object of a dotted name; AttributeError or ImportError where there is none."""
    parts = name.split(".")
    found = import_module(parts[0])
    for place, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = import_module(".".join(parts[:place]))
    return found
