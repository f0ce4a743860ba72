"""The training script fails by itself: a bug, bad data, a full queue."""

from __future__ import annotations

from typing import ClassVar

from harness.faults import Life, Proof, WorkerFault
from harness.vocabulary.events import Event, Exited, Failed
from harness.vocabulary.receipts import Evidence


class Exit(WorkerFault):
    """An exception in the training loop of a worker, before the given step; the process ends if MXNet lets it."""

    name: ClassVar[str] = "exit"
    evidence: ClassVar[tuple[type[Event], ...]] = (Failed, Exited)

    @property
    def life(self) -> Life:
        return Life(terminates=True)

    def receipt(self, evidence: Evidence) -> Proof:
        """The interpreter saw an exception end the script, or the kernel's exit status is that of one.

        A worker of a dist kvstore does not end by an exception: it waits for the others when it leaves.
        """
        failed, exited = evidence.first(Failed), evidence.first(Exited)
        if failed is None or not failed.error.startswith("AskedError"):
            return False, f"the script failed with {failed.error}" if failed else "no exception ended the script"
        if exited is None:
            return True, f"{failed.error}; the process stayed"
        how = f"exit status {exited.status}" if exited.signal is None else f"signal {exited.signal}"
        return exited.status != 0, f"{failed.error}; ended with {how}"
