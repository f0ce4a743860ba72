"""The gradient of the step before is sent again."""

from . import GradientFault


class Fault(GradientFault):
    """Of ``parameter``, or of all where none is named."""

    remembers_gradients = True
    hits_all = True

    def remember(self, named):
        self._before = named

    def changed(self, before, name, copy):
        return self._before[name][copy], "that of the step before"
