"""Steps that go as the one before, noted in few words: at a millisecond a step, each word is seen in throughput."""

import weakref
from threading import get_ident
from time import monotonic  # whatever a script makes of the module later

from . import in_front
from .fetched import samples_of, shape_of
from .seen import Seen

_OF_TRAINERS = ["fetched", "goes_back", "updates"]
_OF_MODULES = ["fetched", "forward_backward", "passes", "goes_back", "updates"]


class _Usual:
    """What the last step was: a batch of ``iterator``, backward from a vector with a value for each sample, and a step
    of a trainer that was told how many these are, all in one thread; or a batch with which a module went forward and
    back, and an update. And what is kept of the one that is under way: its batch, whose that is, the wait for it, its
    head (a module's batch, and ``labels`` as they were when it went forward).

    ``shape``: of the head, or of a module's batch. ``left``: steps of the window that are to come, unless somebody
    looks at more than ``losses`` and ``counts``; those are what `Steps` and `Seen` know of that window.
    """

    __slots__ = (
        *("holder", "iterator", "samples", "shape", "thread", "by_module"),
        *("batch", "source", "waited", "head", "labels"),
        *("left", "losses", "counts", "anew"),
    )

    def __init__(self, iterator, holder, samples, shape, by_module):
        self.iterator, self.holder, self.samples, self.shape = iterator, holder, samples, shape
        self.thread, self.by_module = get_ident(), by_module
        self.left, self.losses, self.counts, self.anew = 0, None, None, False
        self.let_go()

    def let_go(self):
        self.batch = self.source = self.head = self.labels = None
        self.waited = 0.0


class SeenAsUsual(Seen):
    """`Seen`, that of a usual step only keeps its batch, the wait for it and its head, and books nothing.

    What comes otherwise is told in full, after what was kept of the step. It has as many samples as the one before:
    its head has as many values, and its trainer is told of as many.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self._last = None
        self._way, self._brought, self._passed = [], None, ()

    def imported(self, mx, seconds):
        super().imported(mx, seconds)
        if self.listens:
            in_front.install(mx, self)

    def _leave(self):
        super()._leave()
        self.usual = self._last = self._brought = None

    # What hooks tell, where it is as usual

    def fetches(self):
        if self.usual is None or self.usual.by_module:
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
            or (usual.by_module and (usual.left < 2 or usual.anew))
        ):
            self._goes("fetched")
            self._brought = weakref.ref(iterator), get_ident(), batch
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
            or usual.by_module
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
            or usual.by_module
            or not (self.steps.is_plain or self._may_update())
        ):
            if not self.within.deaf:  # else it trains apart
                self._goes("updates")
            return super().updates(kind, holder, *arguments, **named)
        self._ends = True
        return True

    def updated(self, loop, result, holder, batch_size=None, *arguments, **named):
        usual = self.usual
        if (
            usual is None
            or usual.head is None
            or usual.by_module
            or type(batch_size) is not int
            or batch_size != usual.samples
        ):
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
        self._look_ahead()
        return result

    def _go_on(self):
        super()._go_on()
        self._look_ahead()

    def _look_ahead(self):
        """The next step is under way; for how many nobody needs to be asked."""
        usual = self.usual
        if usual is not None:
            self.channel.step = self.steps.step
            usual.left, usual.losses, usual.counts = self.steps.left, self.steps.unread, self._counts

    def losses(self, labels):
        """Those of the batch with which a module went forward last."""
        return self._training.losses(labels)

    def failed_usually(self):
        """A step that went as usual failed in its update."""
        self._ends = True
        self.failed()

    def was_usual(self, loop, holder, batch_size=None):
        """A step is through that went as usual until another thread came between."""
        self._ends = True
        self.updated(loop, None, holder, batch_size)

    # Where it is not, or not known to be

    def _goes(self, function):
        """A step does not go as the last one."""
        self.usual = None
        self._in_full()
        if len(self._way) <= len(_OF_MODULES):
            self._way.append(function)

    def _in_full(self):
        """Tell what was kept of a step, in its own thread."""
        last = self._last
        if last is None or last.source is None or get_ident() != last.thread:
            return
        batch, iterator, head, waited, labels = last.batch, last.source, last.head, last.waited, last.labels
        last.let_go()
        self._loaders.comes(iterator)
        self._remember(batch, iterator, samples_of(batch, iterator), waited, ())
        if last.by_module and head is not None:
            super().passes(batch)
            self.labels = labels
            super().goes_back([], module=last.holder)
        elif head is not None:
            super().goes_back([head])

    def begins(self, iterator):
        self._in_full()
        if self._last is not None:
            self._last.anew = True
        return super().begins(iterator)

    def goes_forward_and_back(self):
        """A module is about to, not as in the last step."""
        self._goes("forward_backward")

    def passes(self, batch):
        self._goes("passes")
        is_whole = self._brought is not None and self._brought[2] is batch and not getattr(batch, "pad", 0)
        self._passed = shape_of(batch) if is_whole else ()
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
        self._way, self._brought, self.usual = [], None, usual
        if usual is not None:
            self._last = usual

    def _as_usual(self, told):
        """What the step that ends was, of as many samples as its trainer ``told``; None if the next is told in full."""
        holder, by_module = self._training.only, self._way == _OF_MODULES
        if holder is None or self._brought is None or not (by_module or self._way == _OF_TRAINERS):
            return None
        source, thread, _ = self._brought
        iterator = source()
        if iterator is None or thread != get_ident():
            return None
        loaders = self._loaders
        if self._fetched or loaders.ahead or self._job.record_shapes:
            return None
        if not (loaders.trains_with(iterator) and loaders.brings_one):
            return None
        if by_module:
            return _Usual(source, holder, self._booked.samples, self._passed, True) if self._is_of_a_module() else None
        return _Usual(source, holder, told, (told,), False) if self._is_of_a_vector(told) else None

    def _is_of_a_vector(self, told):
        """Whether losses are a value for each sample, and as many as a trainer was told."""
        booked = self._booked
        losses = [loss for losses in booked.calls for loss in losses]
        if type(told) is not int or not told == booked.samples == booked.heads or len(losses) != 1:
            return False
        return self.kept.get(id(losses[0])) is losses[0] and losses[0].shape == (told,)

    def _is_of_a_module(self):
        """Whether all that a step has are one batch, and losses that outputs of a module of MXNet's own tell."""
        booked, holder = self._booked, self._training.only
        if not type(holder).__module__.startswith("mxnet.module.") or {"forward", "backward"} & vars(holder).keys():
            return False
        return bool(self._passed and len(booked.parts) == 1 and booked.samples and self._counts_told is False) and not (
            booked.calls or booked.heads or self._training.adds
        )
