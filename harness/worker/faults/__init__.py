"""How a worker commits faults: one file each, found by the fault's name, with a class ``Fault``.

A fault is told when to begin and when to end, and changes what passes through its hooks. It accounts for each change
with the SHA-256 of what was and what is. Files of other distributions are put here when the measured program is packed.
"""

import hashlib
import importlib

import numpy as np

from ..failures import CannotCommitError


def find(name):
    """The class of the fault of that name, or None: not every fault is committed by the worker."""
    try:
        return importlib.import_module("." + name, __name__).Fault
    except ModuleNotFoundError as error:
        if error.name != "%s.%s" % (__name__, name):
            raise
        return None


class InProcessFault:
    """Base: every hook leaves things as they are.

    ``sizes`` are those of each step while it lasts, where it has its own; ``tell(step, what, before, after, detail)``
    accounts for a change, ``report(kind, **fields)`` writes any event, with the fault's number.
    """

    remembers_gradients = False
    """Whether ``remember`` is to see the gradients of every step, also before the fault begins."""

    changes_batches = delays = False
    """Whether ``batch``, or ``delay``, does anything."""

    stands_half_way = False
    """Whether ``half_way`` does anything: a script's checkpoint is written in two halves for it only."""

    def __init__(self, parameters, sizes, job, tell, report):
        self.parameters, self.sizes, self.job, self.tell, self.report = parameters, sizes, job, tell, report

    def begin(self, step):
        """Act once, before the first step of the fault."""

    def delay(self, step):
        """Act before the batch of a step is there."""

    def batch(self, batches, step, data, labels):
        """Return the batch ``(data, labels)`` that is trained with; account for a change."""
        return data, labels

    def gradients(self, training, step):
        """Change gradients after the backward pass and before they are shared; account for it."""

    def remember(self, named):
        """See the gradients of a step, ``{name: [array, …]}``, once it is through."""

    def updates(self, training, step):
        """Whether the step's update is made; account for one that is not."""
        return True

    def through(self, training, step):
        """See what the step left, once it is through."""

    def half_way(self, step):
        """Act when half of the checkpoint of ``step`` is written."""


class BatchFault(InProcessFault):
    """Base of faults that change a batch in ``changed``."""

    changes_batches = True

    def batch(self, batches, step, data, labels):
        changed = zip(self.changed(batches, step, data, labels), (data, labels))
        new_data, new_labels = (new.astype(old.dtype, copy=False) for new, old in changed)  # as they are handed on
        detail = "%s became %s" % (data.shape, new_data.shape) if data.shape != new_data.shape else "other values"
        self.tell(step, "batch", sha256(data, labels), sha256(new_data, new_labels), detail)
        return new_data, new_labels

    def changed(self, batches, step, data, labels):
        """The batch in place of the one that is given."""
        raise NotImplementedError


class GradientFault(InProcessFault):
    """Base of faults on the gradient of one parameter, in ``changed``, on every context."""

    hits_all = False
    """Whether all parameters are hit where none is named."""

    def gradients(self, training, step):
        wanted = self.parameters.get("parameter")
        hit = [(name, arrays) for name, arrays in training.gradients() if wanted is None or wanted in name]
        if not hit:
            known = ", ".join(name for name, _ in training.gradients())
            raise CannotCommitError("no parameter has %r in its name; there are %s" % (wanted, known))
        for name, arrays in hit if self.hits_all and wanted is None else hit[:1]:
            for copy, array in enumerate(arrays):
                before = array.asnumpy()
                value, detail = self.changed(before, name, copy)
                array[:] = value
                self.tell(step, "gradient of %s" % name, sha256(before), sha256(array.asnumpy()), detail)

    def changed(self, before, name, copy):
        """The gradient in place of ``before``, of the ``copy``-th context, and what was done in words."""
        raise NotImplementedError


class ElementFault(GradientFault):
    """Base of faults on one element of a gradient, in ``hit``; beyond the end, the last one."""

    def changed(self, before, name, copy):
        value = before.copy()
        flat = value.reshape(-1)
        element = min(self.parameters.get("element", 0), flat.size - 1)
        self.hit(flat, element)
        old, new = before.reshape(-1)[element], flat[element]
        return value, "element %d of %d from %.6g to %.6g" % (element, flat.size, old, new)

    def hit(self, flat, element):
        """Change one element of a one-dimensional array of floats in place."""
        raise NotImplementedError


def seconds(text):
    """A duration as plans write it, ``0.25s``, in seconds."""
    return float(text.rstrip("s"))


def sha256(*arrays):
    """Hex digest over the bytes of numpy arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
