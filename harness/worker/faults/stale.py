"""The gradient of the step before is sent again."""

from ..failures import CannotCommitError
from . import GradientFault


class Fault(GradientFault):
    """Of ``parameter``, or of all where none is named."""

    remembers_gradients = True
    hits_all = True
    _before = None

    def gradients(self, training, step):
        if self._before is not None:  # a process that was started again has taken no step before its first
            super().gradients(training, step)

    def remember(self, named):
        self._before = named

    def changed(self, before, name, copy):
        if name not in self._before:
            raise CannotCommitError("the step before had no gradient of %s" % name)
        return self._before[name][copy], "that of the step before"
