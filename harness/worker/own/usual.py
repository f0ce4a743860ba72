"""Steps that go as the one before, noted in few words: at a millisecond a step, each word is seen in throughput."""

import weakref
from threading import get_ident
from time import monotonic  # whatever a script makes of the module later

from .fetched import samples_of
from .seen import Seen

_WAY = ["fetched", "goes_back", "updates"]


class _Usual:
    """What the last step was: a batch of ``iterator``, backward from a vector with a value for each sample, and a step
    of a trainer that was told how many these are, all in one thread.
    """

    __slots__ = "holder", "iterator", "samples", "shape", "thread"

    def __init__(self, iterator, holder, samples):
        self.iterator, self.holder, self.samples, self.shape = iterator, holder, samples, (samples,)
        self.thread = get_ident()


class SeenAsUsual(Seen):
    """`Seen`, that of a usual step only keeps its batch, the wait for it and its head, and books nothing.

    What comes otherwise is told in full, after what was kept of the step. It has as many samples as the one before:
    its head has as many values, and its trainer is told of as many.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._usual = self._thread = None
        self._way, self._brought, self._anew = [], None, False
        self._let_go()

    def _let_go(self):
        self._batch = self._head = self._source = None
        self._waited = 0.0

    def _leave(self):
        super()._leave()
        self._usual = self._brought = None
        self._let_go()

    # What hooks tell, where it is as usual

    def fetches(self):
        if self._usual is None:
            return super().fetches()
        self.within.began = monotonic()
        return True

    def fetched(self, batch, iterator):
        usual = self._usual
        if (
            usual is None
            or iterator is not usual.iterator()
            or self._source is not None
            or get_ident() != usual.thread
            or self._training.changes_batches
        ):
            self._goes("fetched")
            self._brought = weakref.ref(iterator), get_ident()
            return super().fetched(batch, iterator)
        self._waited = monotonic() - self.within.began
        self._batch, self._source = batch, iterator
        return batch

    def goes_back(self, heads, weights=None, retained=False, module=None):
        usual = self._usual
        if (
            usual is None
            or self._source is None
            or self._head is not None
            or len(heads) != 1
            or (weights is not None and weights[0] is not None)
            or retained
            or module is not None
            or self.scale != 1.0
            or self.scaled[0]
            or get_ident() != usual.thread
            or heads[0].shape != usual.shape
        ):
            self._goes("goes_back")
            return super().goes_back(heads, weights, retained, module)
        self._head = self.kept[id(heads[0])] = heads[0]
        return True

    def updates(self, kind, holder, *arguments, **named):
        usual = self._usual
        if (
            usual is None
            or self._head is None
            or holder is not usual.holder
            or not (self._steps.is_plain or self._may_update())
        ):
            if not self.within.deaf:  # else it trains apart
                self._goes("updates")
            return super().updates(kind, holder)
        self._ends = True
        return True

    def updated(self, loop, result, holder, batch_size=None, *arguments, **named):
        usual = self._usual
        if usual is None or self._head is None or type(batch_size) is not int or batch_size != usual.samples:
            self._in_full()
            return super().updated(loop, result, holder, batch_size)
        steps, head = self._steps, self._head
        closes = steps.closes
        self._counts.append((batch_size, self._waited))
        if self._anew:
            self._anew = False
            self._loaders.goes_on(self._source)
        self._batch = self._head = self._source = self._updates = None
        if closes:
            self._tell_of_samples(steps.step + 1)
        steps.ended([head])
        if closes:
            self.kept.clear()
        if closes or not steps.is_plain:  # else there is credit, and the window goes on
            self._go_on()
        self._channel.step = steps.step
        return result

    # Where it is not, or not known to be

    def _goes(self, function):
        """A step does not go as the last one."""
        self._usual = None
        self._in_full()
        if len(self._way) <= len(_WAY):
            self._way.append(function)

    def _in_full(self):
        """Tell what was kept of a step, in its own thread."""
        batch, iterator, head, waited = self._batch, self._source, self._head, self._waited
        if iterator is None or get_ident() != self._thread:
            return
        self._let_go()
        self._loaders.comes(iterator)
        self._remember(batch, iterator, samples_of(batch, iterator), waited, ())
        if head is not None:
            super().goes_back([head])

    def begins(self, iterator):
        self._in_full()
        self._anew = True
        return super().begins(iterator)

    def passes(self, batch):
        self._goes("passes")
        return super().passes(batch)

    def shares(self, kind, holder):
        self._goes("shares")
        return super().shares(kind, holder)

    def pushes(self, kind, holder, key):
        self._goes("pushes")
        return super().pushes(kind, holder, key)

    def changes(self, array):
        self._in_full()
        copied = super().changes(array)
        if copied is not None and self._head is array:  # by another thread
            self._head = copied
        return copied

    @property
    def _place(self):
        return (*super()._place, id(self._source), id(self._head))

    def failed(self):
        self._goes("failed")
        super().failed()

    def _end(self, batch_size, loop):
        usual = self._as_usual(batch_size)
        super()._end(batch_size, loop)
        self._way, self._usual = [], usual
        if usual is not None:
            self._thread = usual.thread

    def _as_usual(self, samples):
        """What the step that ends was; None if the next one is to be told in full."""
        booked, holder = self._booked, self._training.only
        if self._way != _WAY or holder is None:
            return None
        source, thread = self._brought
        iterator = source()
        if iterator is None or thread != get_ident():
            return None
        if self._fetched or self._loaders.ahead or self._job.record_shapes or not self._loaders.trains_with(iterator):
            return None
        losses = [loss for losses in booked.calls for loss in losses]
        if type(samples) is not int or not samples == booked.samples == booked.heads or len(losses) != 1:
            return None
        is_head = self.kept.get(id(losses[0])) is losses[0] and losses[0].shape == (samples,)
        return _Usual(source, holder, samples) if is_head else None
