"""One element of a gradient becomes NaN."""

from . import ElementFault


class Fault(ElementFault):
    """``element``, of ``parameter``."""

    def hit(self, flat, element):
        flat[element] = float("nan")
