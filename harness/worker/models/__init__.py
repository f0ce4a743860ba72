"""The networks: our own, one file each; functions in files of the user's; any other name is `gluon.model_zoo.vision`'s.

A model file of ours holds ``INPUT`` (``"image"``, ``"flat"`` or ``"sequence"``), ``SIZE`` (side or length where the
scenario gives no shapes), ``SMALLEST`` (the least it takes), ``VARIABLE`` (whether one network takes several sizes),
``STAGES`` (into how many parts its sequence of blocks can be cut; 1 where it is left out) and ``build(classes)``. It
imports mxnet inside ``build`` only, so that the controller can read the rest without mxnet. What a user's file may have
is in `harness/scenario/model_file.py`.
"""

import functools
import importlib
import importlib.util
import inspect
import os
import sys
import types
from collections import namedtuple

from ..failures import WrongAnswerError

Model = namedtuple("Model", ["build", "input", "loss", "metric", "batches"])
Model.__new__.__defaults__ = (None, None, None)


def find(name, arguments=()):
    """The model called ``name``: a file's, ours, else the zoo's (an unknown zoo name raises ValueError from mxnet).

    ``arguments`` are what its function is given by name, beside ``classes``.
    """
    arguments = dict(arguments)
    path, _, function = name.rpartition(":")
    if path.endswith(".py"):
        return _of_file(path, function, arguments)
    try:
        module = importlib.import_module("." + name, __name__)
    except ModuleNotFoundError:
        return Model(lambda classes: _zoo(name, classes), "image")
    return Model(lambda classes: module.build(classes, **arguments), module.INPUT)


def _of_file(path, function, arguments):
    """Run where it is, so that it finds its neighbours, and what it raises names its lines."""
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("own_network", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    build, *others = (_function(module, name) for name in (function, "loss", "metric", "batches"))

    @functools.wraps(build, updated=())
    def built(classes):
        return build(**dict(arguments, classes=classes)) if _takes_classes(build) else build(**arguments)

    return Model(
        built,
        getattr(module, "INPUT", "image"),
        *others,
    )


def _function(module, name):
    """Of the user's file; None where there is none, as where a module of MXNet's has that name."""
    found = getattr(module, name, None)
    if found is None or isinstance(found, types.ModuleType):
        return None
    if not callable(found):
        words = "%s of %s is a %s; it must be a function"
        raise WrongAnswerError(words % (name, os.path.basename(module.__file__), type(found).__name__), found)
    return found


def _takes_classes(build):
    """Whether it asks how many classes there are, by an argument of that name."""
    return "classes" in inspect.signature(build).parameters


def _zoo(name, classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_model(name, classes=classes)
