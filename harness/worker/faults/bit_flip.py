"""One bit of a gradient flips."""

import numpy as np

from . import ElementFault


class Fault(ElementFault):
    """``bit`` of ``element``, of ``parameter``."""

    def hit(self, flat, element):
        flat.view(np.uint32)[element] ^= np.uint32(1 << self.parameters["bit"])
