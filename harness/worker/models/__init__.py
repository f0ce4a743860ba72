"""The worker's own models, one file each; any other name is looked up in `gluon.model_zoo.vision`.

A model file holds ``INPUT`` (``"image"``, ``"flat"`` or ``"sequence"``), ``SIZE`` (side or length where the scenario
gives no shapes), ``SMALLEST`` (the least it takes), ``VARIABLE`` (whether one network takes several sizes), ``STAGES``
(into how many parts its sequence of blocks can be cut; 1 where it is left out) and ``build(classes)``. It imports mxnet
inside ``build`` only, so that the controller can read the rest without mxnet.
"""

import importlib
from collections import namedtuple

Model = namedtuple("Model", ["build", "input"])


def find(name):
    """The model called ``name``: ours, else the zoo's (an unknown zoo name raises ValueError from mxnet)."""
    try:
        module = importlib.import_module("." + name, __name__)
    except ModuleNotFoundError:
        return Model(lambda classes: _zoo(name, classes), "image")
    return Model(module.build, module.INPUT)


def _zoo(name, classes):
    from mxnet.gluon.model_zoo import vision

    return vision.get_model(name, classes=classes)
