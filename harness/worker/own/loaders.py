"""Which of the batches that a script fetches it trains with, and how many steps later.

Nothing says so: what is known is which loader gave what, in which thread, between which gradients.
"""

import threading
import weakref
from collections import deque


def _nothing():
    """As a reference to what is gone."""
    return _nothing


def _source(iterator):
    """What batches are of: of a DataLoader, which may be made anew for each epoch, its data."""
    data = getattr(iterator, "_dataset", None)
    return iterator if data is None or type(data).__weakrefoffset__ == 0 else data


class _Given:
    """What a loader or iterator gave since it began, how much of it was trained with, and how far it is ahead.

    Where the first gradients come after more batches than later ones, each batch waits for a later step.
    """

    def __init__(self, iterator):
        self.iterator, self.lead = weakref.ref(iterator), 0
        self.begin()

    def begin(self):
        self.batches, self.taken, self._first = 0, 0, None

    def take(self, count, lead):
        self.taken += count
        if self._first is None:
            self._first = count
        self.lead = max(self.lead, self._first - count, lead)


class Loaders:
    """What is known of all loaders and iterators of a script."""

    def __init__(self):
        self._sources, self._went_back, self._last, self._usual = [], False, _nothing, 1
        self._ahead = deque()
        self._given, self._thread = [], None
        self._recent = _Given(self)
        self._went_since = self._brought_since = self._brings = False

    def trains_with(self, iterator):
        """Whether batches of it are trained with, as far as is known: gradients came from one, or from none yet."""
        if not self._went_back or self._last() is iterator:
            return True
        return any(source() is _source(iterator) for source in self._sources)

    def went_back(self, fetched, step=0):
        """Gradients are computed: samples of the batch that they come from, and how long it was waited for.

        ``fetched`` since the last time: ``(samples, waited, iterator, thread, step)``. What another thread fetches is
        trained with in its order. Else it is the last one, unless that came with more others of an iterator that is new
        than usual: these were checked with.
        """
        self._went_since = True
        self._thread = here = threading.get_ident()
        if len(fetched) == 1 and not self._ahead:  # as nearly always, and quickly
            samples, waited, iterator, thread, then = fetched[0]
            if iterator is not None and iterator is self._last() and thread == here:
                self._brought_since, self._usual = True, 1
                self._of(iterator).take(1, step - then)
                return samples, waited
        own = [each for each in fetched if each[3] == here]
        if self._ahead or len(own) < len(fetched):
            self._ahead.extend(each for each in fetched if each[3] != here)
            while self._ahead and not self.trains_with(self._ahead[0][2]):
                self._ahead.popleft()
        if self._ahead:
            samples, waited, iterator, _, then = self._ahead.popleft()
            self._take(iterator, 1, step - then)
            return samples, 0.0 if self._ahead else waited
        if not own:
            self._went_back = True
            return 0, 0.0
        samples, waited, last, _, then = own[-1]
        count = sum(each[2] is last for each in own)
        if self._went_back and last is not None and count > self._usual and not self.trains_with(last):
            known = (each[:2] for each in reversed(own) if self.trains_with(each[2]))
            return next(known, (0, 0.0))
        self._take(last, count, step - then)
        return samples, waited

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
        if not any(source() is _source(iterator) for source in self._sources):
            self._sources.append(weakref.ref(_source(iterator)))
        self._last = weakref.ref(iterator)

    def begins(self, iterator):
        """It gives its first batch next."""
        self._of(iterator).begin()

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

    @property
    def went_since(self):
        """Whether gradients were computed since the last step, of a batch of their own where loaders bring them."""
        return self._brought_since if self._brings else self._went_since

    def stepped(self):
        """A step was taken."""
        self._went_since = self._brought_since = False
