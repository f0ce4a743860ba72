"""The samples of a batch become noise, zeros or NaN, or its labels those of other samples."""

import numpy as np

from . import BatchFault


class Fault(BatchFault):
    """``how``: noise, zeros, nan or labels."""

    def changed(self, batches, step, data, labels):
        how = self.parameters.get("how", "noise")
        if how == "labels":
            return data, labels[np.roll(np.arange(len(labels)), 1)]
        random = np.random.RandomState(self.job.seed + step)
        values = {"noise": random.uniform(size=data.shape), "zeros": 0.0, "nan": np.nan}[how]
        return np.zeros_like(data) + np.asarray(values, dtype="float32"), labels
