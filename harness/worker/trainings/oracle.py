"""The kvstore oracle: constant gradients, whose weights after n steps are known in closed form.

Every parameter has a row for each copy of the network (each context of each worker). A copy's gradient is one in its
own row and zero in all others, in every step; plain SGD with a learning rate of one then makes each row minus the
number of updates of its copy that were applied. A lost, doubled or misapplied one shows at once: in which parameter,
whose, when.
"""

import math

import mxnet as mx
import numpy as np
from mxnet import autograd

from .. import updates
from ..contexts import contexts
from ..models import Model
from . import batches, seed

COLUMNS = {"small": 1, "medium": 64, "large": 4096}
TOLERANCE = 0.25
"""Of an update; sums in float32 and fp16 compression are exact to much less."""


class Training:
    """No network: parameters with gradients that are known, through a real kvstore."""

    def __init__(self, job, rank, report):
        seed(job)
        self.contexts = contexts(job)
        self.batches = batches(job, Model(None, "flat"), rank)
        self._job, self._rank = job, rank
        copies = job.workers * len(self.contexts)
        self._parameters = mx.gluon.ParameterDict("oracle_")
        for name, columns in COLUMNS.items():
            self._parameters.get(name, shape=(copies, columns), init=mx.init.Zero())
        self._parameters.initialize(ctx=self.contexts)
        self._unit = job.compression.threshold if job.compression else 1.0
        job.optimizer.learning_rate = 1.0 / self._unit
        self._update = updates.find(job, self._parameters, samples=1)
        self.rank = self._update.rank
        self._steps = 0
        self._reported = set()
        self._report = report

    def compute(self, step):
        """Gradients by MXNet's own backward pass, of the sum of the weights times what is to come out."""
        self.batches(step)
        losses = []
        with autograd.record():
            for place, context in enumerate(self.contexts):
                total = 0.0
                for parameter in self._parameters.values():
                    total = total + (parameter.data(context) * self._wanted(parameter, place, context)).sum()
                losses.append(total)
        autograd.backward(losses)
        self._steps = step + 1
        return [loss.detach() * 0 for loss in losses]

    def _wanted(self, parameter, place, context):
        gradient = np.zeros(parameter.shape, dtype="float32")
        gradient[self._row(place)] = self._unit
        return mx.nd.array(gradient, ctx=context)

    def _row(self, place):
        """Whose gradients these are."""
        return self._rank * len(self.contexts) + place

    def update(self):
        """Update, then count what has arrived."""
        self._update.apply()
        mx.nd.waitall()
        self.count()

    def count(self):
        """Compare each row with the updates that its copy has sent."""
        for name, parameter in self._parameters.items():
            for context in self.contexts:
                rows = -parameter.data(context).asnumpy()
                for row, values in enumerate(rows):
                    self._judge(name, row, values)

    def _judge(self, name, row, values):
        """In asynchronous training the others may be anywhere; what one sent itself, one must see."""
        low, high = float(values.min()), float(values.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            self._tell(name, row, str(self._steps), None)
            return
        of = row // len(self.contexts)
        if self._job.kvstore == "dist_async" and of != self._rank:
            wrong = high - low > TOLERANCE or abs(high - round(high)) > TOLERANCE
            expected = "a whole number, the same in every column"
        else:
            wrong = not (abs(low - self._steps) <= TOLERANCE and abs(high - self._steps) <= TOLERANCE)
            expected = str(self._steps)
        if wrong:
            shown = low if abs(low - self._steps) > abs(high - self._steps) else high
            self._tell(name, row, expected, round(shown, 4))

    def _tell(self, name, row, expected, shown):
        """Once for each row; ``shown`` is None where it is not finite."""
        if (name, row) not in self._reported:
            self._reported.add((name, row))
            of = "worker/%d" % (row // len(self.contexts))
            self._report("misapplied", step=self._steps, key=name, of=of, expected=expected, shown=shown)

    def gradients(self):
        """Names and gradients: ``(name, [array, …])``."""
        return [(name, parameter.list_grad()) for name, parameter in self._parameters.items()]

    def optimizer_states(self):
        """What the optimizer holds, and why not: plain SGD holds nothing."""
        return None, ""

    def load(self, arrays, optimizer):
        """Set every parameter."""
        for name, parameter in self._parameters.items():
            parameter.set_data(mx.nd.array(arrays[name]))

    def parameters(self, context):
        """Names and values on one context: ``(trained, fixed)``."""
        return [(name, parameter.data(context)) for name, parameter in self._parameters.items()], []
