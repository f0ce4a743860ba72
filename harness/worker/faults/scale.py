"""A gradient is multiplied by a factor."""

import numpy as np

from . import GradientFault


class Fault(GradientFault):
    """``factor``, of ``parameter``."""

    def changed(self, before, name, copy):
        factor = self.parameters["factor"]
        return before * np.float32(factor), "times %g" % factor
