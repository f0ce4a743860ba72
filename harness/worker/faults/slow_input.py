"""Each batch comes later."""

import time

from . import InProcessFault, seconds


class Fault(InProcessFault):
    """By so much (``by``)."""

    def delay(self, step):
        time.sleep(seconds(self.parameters["by"]))
