"""Norms of gradients, counted beside training and read when a window ends."""

import math

import mxnet as mx


class Norms:
    """The norm of every gradient in every step, where asked for."""

    def __init__(self, asked):
        self.asked = asked
        self._pending = []
        self._names = []

    def note(self, training):
        """Issue the sums of one step; nothing is waited for."""
        if not self.asked:
            return
        named = training.gradients()
        if not named:
            return
        self._names = [name for name, _ in named]
        self._pending.append((_sums([_sum(arrays) for _, arrays in named]), getattr(training, "scale", 1.0)))

    def emit(self, channel, first):
        """Report the steps since the last report."""
        if not self._pending:
            return
        norms = [_norms(sums.asnumpy(), scale) for sums, scale in self._pending]
        self._pending = []
        channel.emit("gradients", first=first, names=self._names, norms=norms)


def _sums(arrays):
    """Sums of squares, one a gradient, on their context; `multi_sum_sq` came with MXNet 1.6."""
    if hasattr(mx.nd, "multi_sum_sq"):
        return mx.nd.multi_sum_sq(*arrays, num_arrays=len(arrays))
    return mx.nd.concat(*[(array * array).sum().reshape((1,)) for array in arrays], dim=0)


def _sum(copies):
    """What all contexts together give: it is what the optimizer gets."""
    first, *others = copies
    for other in others:
        first = first + other.as_in_context(first.context)
    return first


def _norms(sums, scale):
    """Roots of sums of squares, without the scale of the loss."""
    totals = map(float, sums)
    return [float("%.6g" % (math.sqrt(total) / scale)) if math.isfinite(total) else None for total in totals]


def not_finite(training):
    """Names of trained parameters with a value that is not finite, in the order of the network."""
    named = [pair for context in training.contexts for pair in training.parameters(context)[0]]
    sums = [(name, array.astype("float64").sum()) for name, array in named]
    return list(dict.fromkeys(name for name, total in sums if not math.isfinite(float(total.asscalar()))))
