"""One element of a gradient becomes NaN."""

from . import ElementFault


class Fault(ElementFault):
    """Puts NaN into the gradient of ``parameter``, at the place ``element`` of the flat array."""

    def hit(self, flat, element):
        flat[element] = float("nan")
