"""Who takes a script's steps, and what is trained with them."""

import threading
import weakref

from .fetched import Fetched
from .owners import ModuleOwner, StoreOwner

APART, WITHIN = 1, 2
"""How deaf a thread is: it trains apart from the steps that count, or is within a hooked function."""

_PATIENCE = 5
"""Steps of a trainer in another thread while who counts steps stands still, before it counts them itself."""


class Training:
    """What steps are of (`harness/worker/steps.py`): the parameters of whoever counts steps, and of those beside it."""

    def __init__(self, mx, loaders):
        self._loaders = loaders
        self._clock, self._thread, self._key = None, None, None
        self._apart, self._choosing = [], threading.Lock()
        self._since, self._beside, self._turning = [], [], []
        self._together, self._apart_since = weakref.WeakSet(), weakref.WeakKeyDictionary()
        self._former = weakref.WeakSet()
        self._known, self._taken = weakref.WeakSet(), 0
        self._fetched = Fetched(mx)
        self.batches = self._fetched

    @property
    def changes_batches(self):
        """Whether a fault acts on them, or on when they come."""
        return self.batches is not self._fetched

    def passed(self, batch, step, lead):
        """A batch, as it is or as faults make it, and how many times as many samples it has then."""
        return self._fetched.changed(batch, step, self.batches, lead)

    def is_clock(self, kind, holder):
        """Whether that is who counts steps; the first one is, but a kvstore only where there is nothing else."""
        if self._gives_way_to(kind):
            with self._choosing:
                if self._gives_way_to(kind):
                    self._thread, self._clock = threading.current_thread(), kind(holder)
        return self._clock.of is holder

    def _gives_way_to(self, kind):
        return self._clock is None or (isinstance(self._clock, StoreOwner) and kind is not StoreOwner)

    def steps_apart(self, kind, holder, place):
        """Whether it is not who counts steps, and in a thread beside theirs: nobody knows an order of their steps.

        Where those come no farther than ``place`` during its first few, it counts from its next one on; else never.
        """
        if self.is_clock(kind, holder):
            return False
        if holder in self._together:
            return True
        began, steps = self._apart_since.get(holder, (place, 0))
        if began != place:
            self._together.add(holder)
            self._apart.append(kind(holder))
            return True
        if self._thread is threading.current_thread() or not self._thread.is_alive():
            return False
        self._apart_since[holder] = began, steps + 1
        if steps == _PATIENCE:
            self._takes_over(kind, holder)
        return True

    def _takes_over(self, kind, holder):
        """It counts steps in place of who did. That one comes back where they take turns, and is trained then, too."""
        left = self._clock
        if holder in self._former:
            for owner in (left, kind(holder)):
                if not any(known.of is owner.of for known in self._turning):
                    self._turning.append(owner)
        self._former.add(left.of)
        self._thread, self._clock = threading.current_thread(), kind(holder)
        self._since, self._beside, self._taken = [], [], 0
        self._apart_since.clear()

    def takes_step(self, kind, holder):
        """Whether a step of it is one of the script's."""
        if self._clock is not None and self._clock.of is holder:
            return True
        fresh = holder not in self._known
        self._known.add(holder)
        if self.is_clock(kind, holder):
            return True
        # As where a function that trains is called again: what steps after a batch, or gradients, of its own; at once
        # where it has the same parameters.
        succeeds = fresh and self._loaders.went_since and (self._taken > 1 or self._clock.shares(holder))
        if not succeeds and not any(owner.of is holder for owner in self._since):
            self._since.append(kind(holder))
            return False
        self._takes_over(kind, holder)
        return True

    @property
    def only(self):
        """Who counts steps, where it has taken two and nobody else has taken one since; else None."""
        return self._clock.of if self._taken > 1 and not self._since else None

    def stepped(self):
        """Whoever counts steps has taken one; those that took one since its last are beside it."""
        if self._since:
            self._beside, self._since = self._since, []
        self._taken += 1
        self._loaders.stepped()

    @property
    def _owners(self):
        """All whose weights are trained, as far as is known."""
        own = [self._clock, *self._since]
        for other in (*self._apart, *self._beside, *self._turning):
            if not any(owner.of is other.of or owner.shares(other.of) for owner in own):
                own.append(other)
        return own

    @property
    def beside(self):
        """How many others train something."""
        return len(self._owners) - 1

    def begins_anew(self, key):
        """Whether a key is the one that is pushed first in every step."""
        if self._key is None:
            self._key = key
        return key == self._key

    def losses(self, labels):
        """Those of a step's samples where nothing was given to go back from; empty where nobody can tell."""
        return self._clock.losses(labels)

    def added_losses(self, module, labels):
        """Those of one of several batches whose gradients a module adds; empty where it does not."""
        owner = self._clock if self._clock is not None and self._clock.of is module else ModuleOwner(module)
        return owner.losses(labels) if owner.adds else []

    @property
    def adds(self):
        """Whether gradients of several calls of backward may be added, as far as is known."""
        return self._clock.adds

    def counted(self, calls, gathers):
        """Losses of a step, of those of each call of backward: all where gradients are added, or the script gathers
        them; else each device's last, as gradients of a call take the place of those of the one before.
        """
        if len(calls) < 2 or gathers or self.adds:
            return [loss for losses in calls for loss in losses]
        return list({str(loss.context): loss for losses in calls for loss in losses}.values())

    def loss_in_words(self, heads):
        """Where losses come from."""
        if not heads:
            return self._clock.loss_from
        return "the array that backward starts from" if heads == 1 else "%d arrays that backward starts from" % heads

    @property
    def contexts(self):
        """The devices of whoever counts steps."""
        return list(self._clock.contexts)

    @property
    def scale(self):
        """By which gradients are larger than the loss's, as AMP has them."""
        return self._clock.scale

    def facts(self):
        """What counts steps, in words."""
        return self._clock.facts()

    def gradients(self):
        """Names and gradients of trained parameters: ``(name, [array, …])``, an array a context."""
        return [(name, gradients) for name, trained, _, gradients in self._clock.arrays() if trained and gradients]

    def parameters(self, context):
        """Names and values on one context, trained ones first: ``(trained, fixed)`` lists of ``(name, array)``."""
        trained, fixed = [], []
        for owner in self._owners:
            for name, is_trained, values, _ in owner.arrays():
                here = [value for value in values if value.context == context]
                (trained if is_trained else fixed).extend((name, value) for value in here[:1])
        return trained, fixed
