"""One element of a gradient becomes infinite."""

from . import ElementFault


class Fault(ElementFault):
    """Puts infinity into the gradient of ``parameter``, at the place ``element`` of the flat array."""

    def hit(self, flat, element):
        flat[element] = float("inf")
