"""Steps that go as the one before, noted in few words: at a millisecond a step, each word is seen in throughput."""

import functools
import weakref
from threading import get_ident
from time import monotonic  # whatever a script makes of the module later

from ..channel import HEARTBEAT_SECONDS
from . import hooks
from .fetched import samples_of
from .seen import Seen
from .training import WITHIN

_WAY = ["fetched", "goes_back", "updates"]


class _Usual:
    """What the last step was: a batch of ``iterator``, backward from a vector with a value for each sample, and a step
    of a trainer that was told how many these are, all in one thread. And what is kept of the one that is under way:
    its batch, whose that is, the wait for it, its head.

    ``left``: steps of the window that are to come, unless somebody looks at more than ``losses`` and ``counts``; those
    are what `Steps` and `Seen` know of that window.
    """

    __slots__ = (
        *("holder", "iterator", "samples", "shape", "thread"),
        *("batch", "source", "waited", "head"),
        *("left", "losses", "counts", "anew"),
    )

    def __init__(self, iterator, holder, samples):
        self.iterator, self.holder, self.samples, self.shape = iterator, holder, samples, (samples,)
        self.thread, self.left, self.losses, self.counts, self.anew = get_ident(), 0, None, None, False
        self.let_go()

    def let_go(self):
        self.batch = self.source = self.head = None
        self.waited = 0.0


class SeenAsUsual(Seen):
    """`Seen`, that of a usual step only keeps its batch, the wait for it and its head, and books nothing.

    What comes otherwise is told in full, after what was kept of the step. It has as many samples as the one before:
    its head has as many values, and its trainer is told of as many.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._last = None
        self._way, self._brought = [], None

    def imported(self, mx, seconds):
        super().imported(mx, seconds)
        if self.listens:
            _stand_in_front(mx, self)

    def _leave(self):
        super()._leave()
        self.usual = self._last = self._brought = None

    # What hooks tell, where it is as usual

    def fetches(self):
        if self.usual is None:
            return super().fetches()
        self.within.began = monotonic()
        return True

    def fetched(self, batch, iterator):
        usual = self.usual
        if (
            usual is None
            or iterator is not usual.iterator()
            or usual.source is not None
            or get_ident() != usual.thread
            or self._training.changes_batches
        ):
            self._goes("fetched")
            self._brought = weakref.ref(iterator), get_ident()
            return super().fetched(batch, iterator)
        usual.waited = monotonic() - self.within.began
        usual.batch, usual.source = batch, iterator
        return batch

    def goes_back(self, heads, weights=None, retained=False, module=None):
        usual = self.usual
        if (
            usual is None
            or usual.source is None
            or usual.head is not None
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
        usual.head = self.kept[id(heads[0])] = heads[0]
        return True

    def updates(self, kind, holder, *arguments, **named):
        usual = self.usual
        if (
            usual is None
            or usual.head is None
            or holder is not usual.holder
            or not (self.steps.is_plain or self._may_update())
        ):
            if not self.within.deaf:  # else it trains apart
                self._goes("updates")
            return super().updates(kind, holder, *arguments, **named)
        self._ends = True
        return True

    def updated(self, loop, result, holder, batch_size=None, *arguments, **named):
        usual = self.usual
        if usual is None or usual.head is None or type(batch_size) is not int or batch_size != usual.samples:
            self._in_full()
            return super().updated(loop, result, holder, batch_size)
        steps, head = self.steps, usual.head
        closes = steps.closes
        self._counts.append((batch_size, usual.waited))
        if usual.anew:
            usual.anew = False
            self._loaders.goes_on(usual.source)
        usual.let_go()
        self._updates = None
        if closes:
            self._tell_of_samples(steps.step + 1)
        steps.ended([head])
        if closes:
            self.kept.clear()
        if closes or not steps.is_plain:  # else there is credit, and the window goes on
            self._go_on()
        self.channel.step = steps.step
        usual.left, usual.losses, usual.counts = steps.left, steps.unread, self._counts
        return result

    def failed_usually(self):
        """A step that went as usual failed in its update."""
        self._ends = True
        self.failed()

    def was_usual(self, trainer, batch_size):
        """A step is through that went as usual until another thread came between."""
        self._ends = True
        self.updated("Trainer.step", None, trainer, batch_size)

    # Where it is not, or not known to be

    def _goes(self, function):
        """A step does not go as the last one."""
        self.usual = None
        self._in_full()
        if len(self._way) <= len(_WAY):
            self._way.append(function)

    def _in_full(self):
        """Tell what was kept of a step, in its own thread."""
        last = self._last
        if last is None or last.source is None or get_ident() != last.thread:
            return
        batch, iterator, head, waited = last.batch, last.source, last.head, last.waited
        last.let_go()
        self._loaders.comes(iterator)
        self._remember(batch, iterator, samples_of(batch, iterator), waited, ())
        if head is not None:
            super().goes_back([head])

    def begins(self, iterator):
        self._in_full()
        if self._last is not None:
            self._last.anew = True
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
        last = self._last
        if copied is not None and last is not None and last.head is array:  # by another thread
            last.head = copied
        return copied

    @property
    def _place(self):
        kept = (id(self._last.source), id(self._last.head)) if self._last is not None else ()
        return (*super()._place, *kept)

    def failed(self):
        self._goes("failed")
        super().failed()

    def _end(self, batch_size, loop):
        usual = self._as_usual(batch_size)
        super()._end(batch_size, loop)
        self._way, self.usual = [], usual
        if usual is not None:
            self._last = usual

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


# In front of hooks: the same in one function each, since what is touched is seldom in a processor's cache


def _stand_in_front(mx, seen):
    trainer = mx.gluon.Trainer
    trainer.step = in_front_of_step(seen, trainer.step)
    hooks.Iteration.__next__ = in_front_of_next(hooks.Iteration.__next__)
    for kind in [mx.nd.NDArray] + ([mx.np.ndarray] if hasattr(mx, "np") else []):
        if "backward" in vars(kind):
            kind.backward = in_front_of_backward(seen, kind.backward)


def in_front_of_next(hooked):
    """Of an iteration over a DataLoader."""

    def quickly(iteration):
        seen = iteration._seen
        usual, within = seen.usual, seen.within
        if (
            usual is None
            or usual.left < 2
            or usual.source is not None
            or iteration._loader is not usual.iterator()
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(iteration)
        within.deaf, began = WITHIN, monotonic()
        try:
            usual.batch = next(iteration._batches)
        finally:
            within.deaf = False
        usual.waited, usual.source = monotonic() - began, iteration._loader
        return usual.batch

    return quickly


def in_front_of_backward(seen, hooked):
    """Of an array's own ``backward``."""
    original, within = hooked.__wrapped__, seen.within

    @functools.wraps(original)
    def backward(head, *arguments, **named):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or usual.source is None
            or usual.head is not None
            or arguments
            or named
            or seen.scale != 1.0
            or seen.scaled[0]
            or get_ident() != usual.thread
            or within.deaf
            or head.shape != usual.shape
        ):
            return hooked(head, *arguments, **named)
        usual.head = seen.kept[id(head)] = head
        within.deaf = WITHIN
        try:
            return original(head)
        finally:
            within.deaf = False

    return backward


def in_front_of_step(seen, hooked):
    """Of a trainer's ``step``."""
    original, within = hooked.__wrapped__, seen.within

    @functools.wraps(original)
    def step(trainer, batch_size, *arguments, **named):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or usual.head is None
            or usual.anew
            or trainer is not usual.holder
            or type(batch_size) is not int
            or batch_size != usual.samples
            or arguments
            or named
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(trainer, batch_size, *arguments, **named)
        within.deaf = WITHIN
        try:
            result = original(trainer, batch_size)
        except BaseException:
            seen.failed_usually()
            raise
        finally:
            within.deaf = False
        if seen.usual is not usual or usual.head is None:  # another thread came between
            seen.was_usual(trainer, batch_size)
            return result
        steps, channel = seen.steps, seen.channel
        usual.counts.append((batch_size, usual.waited))
        usual.losses.append([usual.head])
        usual.batch = usual.source = usual.head = None
        usual.left -= 1
        steps.step += 1
        channel.step = steps.step
        if monotonic() - channel.spoke > HEARTBEAT_SECONDS:
            channel.progress(steps.step - 1)
        return result

    return step
