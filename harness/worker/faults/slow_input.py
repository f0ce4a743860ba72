"""Each batch comes later."""

import time

from . import InProcessFault, seconds


class Fault(InProcessFault):
    """Sleeps for the duration ``by`` before each step."""

    delays = True

    def delay(self, step):
        began = time.monotonic()
        time.sleep(seconds(self.parameters["by"]))
        self.report("delayed", step=step, seconds=round(time.monotonic() - began, 6))
