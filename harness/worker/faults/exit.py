"""An exception in the training loop."""

from . import InProcessFault


class Fault(InProcessFault):
    """Raised before the first step of the fault."""

    def begin(self, step):
        raise RuntimeError("the harness was asked to let the training script fail before step %d" % step)
