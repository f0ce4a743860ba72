"""One worker has more to do than the others."""

import numpy as np

from . import BatchFault


class Fault(BatchFault):
    """``batch`` times the samples in each step, or ``steps`` steps more."""

    def begin(self, step):
        more = self.parameters.get("steps")
        if more:
            before, self.job.steps = self.job.steps, self.job.steps + more
            self.tell(step, "steps", str(before), str(self.job.steps), "%d steps more" % more)

    def batch(self, batches, step, data, labels):
        if not self.parameters.get("batch"):
            return data, labels
        return super().batch(batches, step, data, labels)

    def changed(self, batches, step, data, labels):
        times = self.parameters["batch"]
        return np.concatenate([data] * times), np.concatenate([labels] * times)
