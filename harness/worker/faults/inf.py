"""One element of a gradient becomes infinite."""

from . import ElementFault


class Fault(ElementFault):
    """``element``, of ``parameter``."""

    def hit(self, flat, element):
        flat[element] = float("inf")
