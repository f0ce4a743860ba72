"""What goes by while a script trains, and the steps that it is made into.

A step ends when the weights were updated: with the ``step`` of a Trainer, the ``update`` of a Module, or where there is
neither, with the push of a key that begins anew. Of several, the first one counts steps, until another one has taken
two without it, or a new one comes when it has taken two.
"""

import atexit
import fnmatch
import os
import tempfile
import threading
import time
import weakref

from ..memory import counted, resident
from ..worker import tell_of_import
from .fetched import Fetched, samples_of, shape_of

LARGEST_LOSS = 65536
"""Elements of a head that is still taken for a loss."""


class StoppedError(SystemExit):
    """As many steps as were asked for: the script ends as by ``sys.exit()``."""


class _Within(threading.local):
    """Of each thread: whether it is within a hooked function."""

    deaf = False


class Seen:
    """Listens to hooks (`harness/worker/own/hooks.py`), except in processes that the script forks."""

    def __init__(self, job, channel, role, schedule):
        self._job, self._channel, self._schedule = job, channel, schedule
        self._folder = os.getcwd()
        self._role, self._rank = role, int(role.split("/")[1])
        self.listens, self.within = False, _Within()
        self.scale = 1.0
        self._ends, self._began = False, 0.0
        self._steps = self._training = None
        self._started = self._told = False
        self._counts, self._shapes = [], []
        self._drop()

    def imported(self, mx, seconds):
        """MXNet is there, and its importer has not gone on yet."""
        from ..contexts import contexts
        from ..steps import Steps
        from . import hooks

        tell_of_import(self._channel, mx, seconds)
        self._live = counted(self._job, self._role, contexts(self._job), self._folder)
        self._baseline = resident()["anonymous"]
        self._training = Training(mx)
        self._steps = Steps(self._job, self._channel, self._training, self._live, self._schedule)
        hooks.install(mx, self)
        self.listens = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)
        atexit.register(self._leave)  # before MXNet's own, which was registered earlier

    @property
    def hears(self):
        """Whether what is called now is told: not what a hooked function calls itself, in this thread."""
        return self.listens and not self.within.deaf

    def _leave(self):
        """Listen no more, and hold no array: those that outlive their library abort the process."""
        self.listens = False
        self._steps = self._training = None
        self._drop()

    def _drop(self):
        """Forget what belongs to one step."""
        self._losses, self._heads, self._largest, self._fetched = [], 0, 0, []
        self._samples, self._waited = 0, 0.0
        self._updates = self._pushed = self.labels = None
        self._shape = []

    # What hooks tell; each says whether the function is called, or gives what it returns

    def fetches(self):
        """A batch is about to be fetched."""
        self._start()
        self._channel.heartbeat(self._steps.step)  # validation takes no steps, and is no hang
        self._began = time.monotonic()
        return True

    def fetched(self, batch, iterator):
        """A batch is there: for how long the script waited for it, and of how many samples it is."""
        if self._training.trains_with(iterator):
            batch = self._training.passed(batch, self._steps.step)
        self._fetched.append((samples_of(batch, iterator), time.monotonic() - self._began, iterator))
        if self._job.record_shapes:
            self._shape = list(shape_of(batch))
        return batch

    def passes(self, batch):
        """A Module goes forward with a batch, which an iterator of another kind may have brought."""
        self.labels = getattr(batch, "label", None)
        if not self._fetched:
            self._fetched.append((samples_of(batch, None), 0.0, None))
        return True

    def goes_back(self, heads):
        """Gradients are about to be computed from heads, the losses."""
        self._start()
        fetched, self._fetched = self._fetched or [(0, 0.0, None)], []
        samples, waited, _ = self._training.went_back(fetched)
        self._samples += samples
        self._waited += waited
        for head in heads:
            self._note(head)
        return True

    def _note(self, head):
        shape = head.shape
        if len(shape) > 1 and head.size > LARGEST_LOSS:
            return
        loss = head.detach()
        self._losses.append(loss if self.scale == 1.0 else loss / self.scale)
        if shape and shape != (1,):
            self._heads += shape[0]
            self._largest = max(self._largest, shape[0])

    def shares(self, kind, holder):
        """Gradients are about to be brought together."""
        if not self._training.is_clock(kind, holder):
            return True
        self._start()
        return self._may_update()

    def updates(self, kind, holder):
        """Weights are about to be updated."""
        self._start()
        self._ends = self._training.takes_step(kind, holder)
        if not self._ends or self._may_update():
            return True
        self._ends = False
        self._end(None, "no update")
        self._go_on()
        return False

    def updated(self, result, batch_size, loop):
        """Weights were updated."""
        if self._ends:
            self._end(batch_size, loop)
            self._go_on()
        return result

    def pushes(self, kind, holder, key):
        """A key is about to be pushed, and not by a trainer."""
        self._start()
        first = key[0] if isinstance(key, (list, tuple)) else key
        if self._training.is_clock(kind, holder) and self._training.begins_anew(first):
            if self._pushed:
                self._end(None, "KVStore.push")
                self._go_on()
            self._pushed = True
        return True

    def saves(self, name, save):
        """Arrays are about to go to a file; a fault may wait for half of it, as a kill leaves it.

        ``save(place)`` writes the same elsewhere.
        """
        if self._started and self._steps.stand_half_way and self._is_checkpoint(name):
            with tempfile.TemporaryDirectory() as folder:
                beside = os.path.join(folder, "whole")
                save(beside)
                with open(beside, "rb") as file:
                    whole = file.read()
            with open(name, "wb") as file:
                file.write(whole[: len(whole) // 2])
            self._steps.half_way()
        return True

    def _is_checkpoint(self, name):
        asked = self._job.checkpoint
        return asked is not None and matches(name, asked.files)

    # Steps

    def _start(self):
        """Before the first batch, gradient or update, whichever is first: all workers begin together."""
        if self._started:
            return
        self._started = True
        self._channel.emit("ready", baseline=self._baseline, kvstore_rank=self._rank, live_missing=self._live.reason)
        self._channel.await_credit(0)
        self._steps.begin()

    def _may_update(self):
        """Let faults act on gradients, once in a step; whether they allow the update."""
        if self._updates is None:
            self._steps.computed()
            self._updates = self._steps.updates()
        return self._updates

    def _end(self, batch_size, loop):
        """The step is through."""
        steps = self._steps
        self._counts.append([self._count(batch_size), round(self._waited, 6)])
        if self._job.record_shapes:
            self._shapes.append(self._shape)
        if not self._told:
            self._told = True
            self._channel.emit("recognised", facts=self._facts(loop))
        if steps.closes:
            counts, waited = zip(*self._counts)
            first = steps.step + 1 - len(counts)
            self._channel.emit("samples", first=first, counts=list(counts), waited=list(waited), shapes=self._shapes)
            self._counts, self._shapes = [], []
        losses = self._losses or self._training.losses(self.labels)
        self._drop()
        steps.ended(losses)
        self._training.stepped()

    def _count(self, batch_size):
        """Samples of the step: those of batches, else of heads, else what the trainer was told; None if nobody knows.

        Several heads are parts of a batch, or several losses of it: the trainer is told its size.
        """
        told = _whole(batch_size)
        heads = self._largest if self._largest == told else self._heads
        return _whole(self._samples) or heads or told

    def _go_on(self):
        """Begin the next step, unless there were as many as were asked for."""
        if self._steps.step == self._job.steps:
            self.listens = False
            raise StoppedError(0)
        self._steps.await_credit()
        self._steps.begin()

    def _facts(self, loop):
        """What was recognised in the first step, in words."""
        found = {"loop": loop}
        found.update(self._training.facts())
        found["loss"] = self._training.loss_in_words(len(self._losses))
        found["batch"] = str(_whole(self._samples) or self._heads or "unknown")
        found["input"] = "seen" if self._samples else "none"
        found["contexts"] = " ".join(map(str, self._training.contexts))
        return found

    def finish(self):
        """The script is through, or was stopped."""
        if self._pushed:
            self._end(None, "KVStore.push")
        self.listens = False
        if self._steps is None or self._steps.step == 0:
            self._channel.emit("done", step=0)
        else:
            self._steps.finish()
        self._leave()


def matches(path, pattern):
    """Whether a file is one of a pattern as globs have it, whatever way leads to its folder."""
    head, rest = pattern, []
    while any(sign in head for sign in "*?["):
        head, last = os.path.split(head)
        rest.insert(0, last)
    wanted = os.path.realpath(head).rstrip(os.sep).split(os.sep) + rest
    parts = os.path.realpath(path).split(os.sep)
    if "**" in rest:
        return fnmatch.fnmatchcase(os.sep.join(parts), os.sep.join(wanted).replace("**" + os.sep, "*"))
    return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


def _nothing():
    """As a reference to what is gone."""
    return _nothing


def _source(iterator):
    """What batches are of: of a DataLoader, which may be made anew for each epoch, its data."""
    data = getattr(iterator, "_dataset", None)
    return iterator if data is None or type(data).__weakrefoffset__ == 0 else data


def _whole(count):
    """A number of samples; None of what is none, and where there are none."""
    try:
        return int(count) or None
    except (TypeError, ValueError, OverflowError):
        return None


class Training:
    """What steps are of (`harness/worker/steps.py`): the parameters of whoever counts steps, and of those beside it."""

    def __init__(self, mx):
        self._clock, self._key = None, None
        self._since, self._beside = [], []
        self._known, self._taken = weakref.WeakSet(), 0
        self._fetched = Fetched(mx)
        self.batches = self._fetched
        self._sources, self._went_back, self._last, self._usual = [], False, _nothing, 1

    def trains_with(self, iterator):
        """Whether batches of it are trained with, as far as is known: gradients came from one, or from none yet."""
        if not self._went_back or self._last() is iterator:
            return True
        return any(source() is _source(iterator) for source in self._sources)

    def went_back(self, fetched):
        """Gradients are computed: of batches fetched since the last time, ``(samples, waited, iterator)``, the one that
        they come from.

        It is the last one, unless that came with more others of an iterator that is new than usual: these were checked
        with, while another thread fetches what is trained with.
        """
        last = fetched[-1]
        count = sum(each[2] is last[2] for each in fetched)
        if self._went_back and last[2] is not None and count > self._usual and not self.trains_with(last[2]):
            return next((each for each in reversed(fetched) if self.trains_with(each[2])), (0, 0.0, None))
        self._went_back = True
        if last[2] is not None:
            self._usual = count
            self._learn(last[2])
        return last

    def _learn(self, iterator):
        """Batches of it are trained with."""
        if self._last() is iterator:
            return
        if not any(source() is _source(iterator) for source in self._sources):
            self._sources.append(weakref.ref(_source(iterator)))
        self._last = weakref.ref(iterator)

    def passed(self, batch, step):
        """A batch, as it is or as faults make it."""
        return batch if self.batches is self._fetched else self._fetched.changed(batch, step, self.batches)

    def is_clock(self, kind, holder):
        """Whether that is who counts steps; the first one is."""
        if self._clock is None:
            self._clock = kind(holder)
        return self._clock.of is holder

    def takes_step(self, kind, holder):
        """Whether a step of it is one of the script's."""
        if self._clock is not None and self._clock.of is holder:
            return True
        fresh = holder not in self._known
        self._known.add(holder)
        if self._clock is None:
            return self.is_clock(kind, holder)
        succeeds = fresh and self._taken > 1  # as where a function that trains is called again
        if not succeeds and not any(owner.of is holder for owner in self._since):
            self._since.append(kind(holder))
            return False
        self._clock, self._since, self._beside, self._taken = kind(holder), [], [], 0
        return True

    def stepped(self):
        """Whoever counts steps has taken one; those that took one since its last are beside it."""
        if self._since:
            self._beside, self._since = self._since, []
        self._taken += 1

    @property
    def _owners(self):
        """All whose weights are trained, as far as is known."""
        own = [self._clock, *self._since]
        return own + [owner for owner in self._beside if not any(owner.of is other.of for other in own)]

    def begins_anew(self, key):
        """Whether a key is the one that is pushed first in every step."""
        if self._key is None:
            self._key = key
        return key == self._key

    def losses(self, labels):
        """Those of a step's samples where nothing was given to go back from; empty where nobody can tell."""
        return self._clock.losses(labels)

    def loss_in_words(self, heads):
        """Where losses come from."""
        return "what backward starts from (%d)" % heads if heads else self._clock.loss_from

    @property
    def contexts(self):
        """The devices of whoever counts steps."""
        return list(self._clock.contexts)

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
