"""An exception in the training loop."""

from ..failures import AskedError
from . import InProcessFault


class Fault(InProcessFault):
    """Raised before the first step of the fault."""

    def begin(self, step):
        raise AskedError("the harness was asked to let the training script fail before step %d" % step)
