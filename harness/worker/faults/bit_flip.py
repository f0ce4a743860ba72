"""One bit of a gradient flips."""

from ..failures import CannotCommitError
from . import ElementFault


class Fault(ElementFault):
    """``bit`` of ``element``, of ``parameter``."""

    def hit(self, flat, element):
        bits, bit = flat.view("uint%d" % (8 * flat.dtype.itemsize)), self.parameters["bit"]
        if bit >= 8 * flat.dtype.itemsize:
            raise CannotCommitError("a %s has no bit %d" % (flat.dtype, bit))
        bits[element] ^= bits.dtype.type(1 << bit)
