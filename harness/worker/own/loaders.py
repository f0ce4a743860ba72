"""Which of the batches that a script fetches it trains with, and how many steps later.

Nothing says so: what is known is which loader gave what, in which thread, between which gradients.
"""

import threading
import weakref
from collections import deque


class Batch:
    """One that was fetched: how many samples, after what wait, of which iterator, in which thread, during which step.

    ``told``: what faults told of it, ``(fault, step)``, until it is trained with; ``shape`` where that is recorded.
    """

    __slots__ = ("iterator", "samples", "shape", "step", "thread", "told", "waited")

    def __init__(self, samples, waited, iterator, thread, step, told=()):
        self.samples, self.waited, self.iterator = samples, waited, iterator
        self.thread, self.step, self.told, self.shape = thread, step, told, ()

    def alone(self):
        """The same, by which its iterator, which may be made anew, is not held."""
        batch = Batch(self.samples, self.waited, None, self.thread, self.step)
        batch.shape = self.shape
        return batch


def _nothing():
    """As a reference to what is gone."""
    return _nothing


class _Source:
    """What batches that are trained with are of: a loader or iterator, and its data.

    A DataLoader may be made anew for each epoch: another one of the same data and length takes its place once it is
    gone. While it is there, another one of that data is of another part of it. So may its data, as where it is
    transformed: once that is gone, too, data of the same kind and length take its place.
    """

    def __init__(self, iterator):
        self._iterator = weakref.ref(iterator)
        data = getattr(iterator, "_dataset", None)
        known = data is not None and type(data).__weakrefoffset__ != 0
        self._data, self._length = weakref.ref(data) if known else lambda: None, _length(iterator)
        self._like = _kind(data)

    def brings(self, iterator):
        """Whether batches of ``iterator`` are of it."""
        own = self._iterator()
        if own is not None:
            return own is iterator
        known, data = self._data(), getattr(iterator, "_dataset", None)
        if data is None or _length(iterator) != self._length:
            return False
        return data is known if known is not None else _kind(data) == self._like


def _length(iterator):
    """Of a loader, in batches, or of data; None where nobody can tell."""
    try:
        return len(iterator)
    except Exception:  # of a sampler of the script's own
        return None


def _kind(data):
    """What data have in common that are made anew."""
    return type(data), _length(data)


class _Given:
    """What a loader or iterator gave since it began, how much of it was trained with, and how far it is ahead.

    Where the first gradients come after more batches than later ones, each batch waits for a later step; unless, as is
    known at the end, the first ones were skipped: then no gradients came without a batch. ``held``: the batch that
    waits, where it is one.
    """

    def __init__(self, iterator):
        self.iterator, self._waits = weakref.ref(iterator), False
        self._late = self._kept_back = self.batches = 0
        self.begin()

    @property
    def lead(self):
        return max(self._late, self._kept_back)

    def begin(self):
        if self.batches and self.without < self._kept_back:
            self._kept_back = 0
        self._waits = self._kept_back == 1 and self.batches > 0
        self.batches, self.taken, self.without, self._first, self.held = 0, 0, 0, None, None

    def trained_with(self, own):
        """Of batches that came since the last gradients, the one that these are of; one that waited, if there is none.

        Where each waits for one step more, as is known after a whole pass, the one before the last.
        """
        if not own:
            held, self.held = (self.held if self._kept_back == 1 else None), None
            return held
        before, last = own[-2] if len(own) > 1 else self.held, own[-1]
        self.held = last.alone() if self._kept_back == 1 else None
        return before if self._waits and before is not None else last

    def take(self, count, late):
        self.taken += count
        if self._first is None:
            self._first = count
        self._late, self._kept_back = max(self._late, late), max(self._kept_back, self._first - count)


class Loaders:
    """What is known of all loaders and iterators of a script."""

    def __init__(self):
        self._sources, self._went_back, self._last, self._usual = [], False, _nothing, 1
        self._ahead = deque()
        self._given, self._thread = [], None
        self._recent = _Given(self)
        self._went_since = self._brought_since = self._brings = False
        self._beside = []
        self._doubted = []

    @property
    def ahead(self):
        """Batches of another thread that nobody trained with so far."""
        return self._ahead

    @property
    def brings_one(self):
        """Whether the last gradients came after one batch of what is trained with."""
        return self._usual == 1

    def trains_with(self, iterator):
        """Whether batches of it are trained with, as far as is known: gradients came from one, or from none yet."""
        if not self._went_back or self._last() is iterator:
            return True
        return any(source.brings(iterator) for source in self._sources)

    def went_back(self, fetched, step=0):
        """Gradients are computed: the batches that they come from, and how long was waited for them.

        ``fetched`` since the last time. What another thread fetches is trained with in its order. Else it is the last
        one, unless that came with more others of an iterator that is new than usual: these were checked with.
        """
        self._went_since = True
        self._thread = here = threading.get_ident()
        if len(fetched) == 1 and not self._ahead:  # as nearly always, and quickly
            batch = fetched[0]
            if batch.iterator is not None and batch.iterator is self._last() and batch.thread == here:
                self._brought_since, self._usual, self._doubted = True, 1, []
                given = self._of(batch.iterator)
                given.take(1, step - batch.step)
                return [given.trained_with(fetched)], batch.waited
        own = [batch for batch in fetched if batch.thread == here]
        if own and not self._went_back:  # others check, or predict, before anything is known of them; or they bring all
            self._doubted = [batch for batch in fetched if batch.thread != here]
            fetched = own
        elif not own and self._doubted:
            self._ahead.extend(self._doubted[1:])  # the first step's is past
            self._sources, self._last = [], _nothing
            self._learn(self._doubted[0].iterator)
            self._doubted = []
        else:
            self._doubted = []
        if self._ahead or len(own) < len(fetched):
            self._ahead.extend(batch for batch in fetched if batch.thread != here)
            while self._ahead and not self.trains_with(self._ahead[0].iterator):
                self._ahead.popleft()
        if self._ahead:
            batch = self._ahead.popleft()
            self._take(batch.iterator, 1, step - batch.step)
            return [batch], 0.0 if self._ahead else batch.waited
        if not own:
            self._went_back = True
            self._recent.without += 1
            held = None if self._brought_since else self._recent.trained_with(own)
            return [] if held is None else [held], 0.0
        return self._of_this_thread(own, step)

    def _of_this_thread(self, own, step):
        last = own[-1].iterator
        count = _count(own, last)
        if self._went_back and last is not None and count > self._usual and not self.trains_with(last):
            known = next((batch for batch in reversed(own) if self.trains_with(batch.iterator)), None)
            return ([], 0.0) if known is None else ([known], known.waited)
        if not self._went_back:  # other loaders of the same step
            others = [each.iterator for each in own if each.iterator is not None]
            self._beside = [weakref.ref(each) for each in others if _count(own, each) == count]
        self._take(last, count, step - own[-1].step)
        beside = [last, *(each() for each in self._beside)]
        batch = (
            own[-1] if last is None else self._of(last).trained_with([each for each in own if each.iterator is last])
        )
        return [batch], sum(batch.waited for batch in own if any(batch.iterator is each for each in beside))

    @staticmethod
    def checked_with(fetched, batches):
        """Those of this thread that are of other iterators than what is trained with."""
        here, trained = threading.get_ident(), [batch.iterator for batch in batches]
        own = (batch for batch in fetched if batch.thread == here)
        return [batch for batch in own if not any(batch.iterator is each for each in trained)]

    def _take(self, iterator, count, lead):
        """A batch of it is trained with, so many steps after it was fetched."""
        self._went_back = True
        if iterator is not None:
            self._brought_since = self._brings = True
            self._usual = count
            self._learn(iterator)
            self._of(iterator).take(count, lead)

    def _learn(self, iterator):
        """Batches of it are trained with."""
        if self._last() is iterator:
            return
        if not any(source.brings(iterator) for source in self._sources):
            self._sources.append(_Source(iterator))
        self._last = weakref.ref(iterator)

    def begins(self, iterator):
        """It gives its first batch next."""
        self._of(iterator).begin()

    def are_left(self, iterator, batches):
        """Of those that it gave before it began anew, and that nobody trained with: all but those that come late."""
        if self._thread not in (None, threading.get_ident()):
            return []
        own = [batch for batch in batches if batch.iterator is iterator and batch.thread == threading.get_ident()]
        return own[: max(0, len(own) - self._of(iterator).lead)]

    def _of(self, iterator):
        """What is known of it."""
        if self._recent.iterator() is iterator:  # as nearly always
            return self._recent
        for each in self._given:
            if each.iterator() is iterator:
                self._recent = each
                return each
        self._given = [each for each in self._given if each.iterator() is not None]
        self._given.append(_Given(iterator))
        return self._given[-1]

    def comes(self, iterator):
        """A batch of it is there: how many steps come before the one that trains with it, as far as is known."""
        given = self._of(iterator)
        ahead = given.batches - given.taken if self._thread not in (None, threading.get_ident()) else given.lead
        given.batches += 1
        return ahead

    def goes_on(self, iterator):
        """The first batch since it began was trained with at once, as those before."""
        given = self._of(iterator)
        given.batches += 1
        given.take(1, 0)

    @property
    def went_since(self):
        """Whether gradients were computed since the last step, of a batch of their own where loaders bring them."""
        return self._brought_since if self._brings else self._went_since

    def stepped(self):
        """A step was taken. One without a batch, after several at once: these were checked with, before the first."""
        if self._sources and self._usual > 1 and not self._brought_since:
            self._sources, self._last, self._usual = [], _nothing, 1
        self._went_since = self._brought_since = False


def _count(batches, iterator):
    """How many of them are of an iterator."""
    return sum(batch.iterator is iterator for batch in batches)
