"""The samples of a batch become noise, zeros or NaN, or its labels those of other samples."""

import numpy as np

from ..failures import CannotCommitError
from . import BatchFault


class Fault(BatchFault):
    """``how``: noise, zeros, nan or labels."""

    def changed(self, batches, step, data, labels):
        how = self.parameters.get("how", "noise")
        if how == "labels":
            return data, labels[np.roll(np.arange(len(labels)), 1)]
        if how == "nan" and np.issubdtype(data.dtype, np.integer):
            raise CannotCommitError("the batch is of %s, which have no NaN; use noise or zeros" % data.dtype)
        random = np.random.RandomState(self.job.seed + step)
        values = {"noise": _noise(random, data), "zeros": 0.0, "nan": np.nan}[how]
        return np.zeros_like(data) + np.asarray(values, dtype="float32"), labels


def _noise(random, data):
    """From 0 to 1; of whole numbers, as tokens are, whole numbers up to their largest."""
    largest = data.max() if data.size else 0
    if np.issubdtype(data.dtype, np.integer):
        return random.randint(0, max(1, int(largest)) + 1, size=data.shape)
    if largest > 1 and np.array_equal(data, np.round(data)):
        return random.randint(0, int(largest) + 1, size=data.shape)
    return random.uniform(size=data.shape)
