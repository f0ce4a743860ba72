"""Each batch comes later."""

import time

from . import InProcessFault, seconds


class Fault(InProcessFault):
    """Sleeps for the duration ``by`` before each step."""

    def delay(self, step):
        time.sleep(seconds(self.parameters["by"]))
