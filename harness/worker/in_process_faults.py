"""The faults of one worker's schedule, those that it commits itself: which are in force, and where they act."""

from time import monotonic  # whatever a script makes of the module later

from . import faults
from .failures import CannotCommitError


class InProcessFaults:
    """What is in force, by number of the fault. A healthy worker has none, and pays nothing.

    ``schedule`` holds ``(name, parameters, sizes)`` by number.
    """

    def __init__(self, job, report, schedule):
        self._known = {number: _fault(job, report, number, *entry) for number, entry in schedule.items()}
        self._remembering = [fault for fault in self._known.values() if fault is not None and fault.remembers_gradients]
        self._schedule = schedule
        self._active = {}

    def begin(self, number, step):
        """Commit a fault from this step on; CannotCommitError for one that no file here commits."""
        fault = self._known[number]
        if fault is None:
            raise CannotCommitError("the worker has no file for the fault %r" % self._schedule[number][0])
        fault.begin(step)
        self._active[number] = fault

    def end(self, number):
        """End a fault; one that another process was told of is not known here."""
        self._active.pop(number, None)

    @property
    def idle(self):
        """Whether none is in force, or looks on."""
        return not (self._active or self._remembering)

    @property
    def act_on_batches(self):
        """Whether one of them does, or on when they come."""
        return any(fault.changes_batches or fault.delays for fault in self._active.values())

    def batch(self, batches, step):
        """The batch of a step, as it is or as faults make it; CannotCommitError where they cannot."""
        began = monotonic()
        for fault in self._active.values():
            fault.delay(step)
        if hasattr(batches, "wait_longer"):  # a loader's waits are told
            batches.wait_longer(monotonic() - began)
        batch, changing = batches(step), [fault for fault in self._active.values() if fault.changes_batches]
        if not changing:
            return batch
        if batch is None:
            raise CannotCommitError("what the script iterates over are no batches of arrays")
        data, labels = map(_as_numpy, batch)
        for fault in changing:
            data, labels = fault.batch(batches, step, data, labels)
        return data, labels

    def gradients(self, training, step):
        """Change gradients before they are shared."""
        for fault in self._active.values():
            fault.gradients(training, step)
        if self._remembering:
            named = {name: [array.asnumpy() for array in arrays] for name, arrays in training.gradients()}
            for fault in self._remembering:
                fault.remember(named)

    def updates(self, training, step):
        """Whether the weights are updated: no fault leaves that out."""
        if not self._active:
            return True
        made = [fault.updates(training, step) for fault in self._active.values()]  # each accounts for what it does
        return all(made)

    def through(self, training, step):
        """A step is through."""
        for fault in self._active.values():
            fault.through(training, step)

    @property
    def stand_half_way(self):
        """Whether one of them is waiting for half of a checkpoint."""
        return any(fault.stands_half_way for fault in self._active.values())

    def half_way(self, step):
        """Half of the checkpoint of ``step`` is written."""
        for fault in list(self._active.values()):
            fault.half_way(step)


def _as_numpy(array):
    """What loaders bring is MXNet's."""
    return array.asnumpy() if hasattr(array, "asnumpy") else array


def _fault(job, report, number, name, parameters, sizes):
    def account(kind, **fields):
        report(kind, fault=number, **fields)

    def tell(step, what, before, after, detail):
        account("committed", step=step, what=what, before=before, after=after, detail=detail)

    kind = faults.find(name)
    return None if kind is None else kind(parameters, sizes, job, tell, account)
