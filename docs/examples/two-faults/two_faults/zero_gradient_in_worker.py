"""One gradient becomes zero. This file travels with the measured program, beside the harness's own faults."""

from . import GradientFault


class Fault(GradientFault):
    """Of ``parameter``."""

    def changed(self, before, name, copy):
        return before * 0, f"all {before.size} elements became 0"
