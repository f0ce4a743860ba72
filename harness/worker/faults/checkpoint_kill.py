"""The worker stands still with half of a checkpoint written, so that it can be killed there."""

import time

from . import InProcessFault


class Fault(InProcessFault):
    """It says so, and waits for its end."""

    stands_half_way = True

    def half_way(self, step):
        self.report("checkpointing", step=step)
        time.sleep(3600)
