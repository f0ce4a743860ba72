"""Sizes are drawn from another distribution."""

from . import BatchFault


class Fault(BatchFault):
    """The plan holds the ``sizes``."""

    def changed(self, batches, step, data, labels):
        return batches.sized(step, self.sizes[step % len(self.sizes)])
