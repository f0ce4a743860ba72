"""What goes by while a script trains, and the steps that it is made into.

A step ends when the weights were updated: with the ``step`` of a Trainer, the ``update`` of a Module, or where there is
neither, with the push of a key that begins anew. Of several, the first one counts steps, until another one has taken
two without it, or a new one comes when it has taken two. Those that step in other threads meanwhile are not heard.
"""

import atexit
import fnmatch
import os
import tempfile
import threading
from collections import deque
from contextlib import suppress
from time import monotonic  # whatever a script makes of the module later

from ..failures import CannotCommitError
from ..memory import counted, resident
from ..worker import tell_of_import
from .fetched import samples_of, shape_of
from .loaders import Batch, Loaders
from .training import APART, Training

LARGEST_LOSS = 65536
"""Elements of a head that is still taken for a loss."""


_MOST_FETCHED = 10_000
"""Batches that are remembered while no gradients are computed."""


class StoppedError(SystemExit):
    """As many steps as were asked for: the script ends as by ``sys.exit()``."""


class _Booked:
    """What belongs to a step, so far: losses of each call of backward, samples of heads and, of each call that came
    with some, of batches, the wait for these, and losses of a trainer that stepped beside the one that counts."""

    __slots__ = "beside", "calls", "heads", "largest", "parts", "waited"

    def __init__(self):
        self.calls, self.heads, self.largest = [], 0, 0
        self.parts, self.waited, self.beside = [], 0.0, None

    @property
    def samples(self):
        """Of all batches."""
        return sum(self.parts)

    def leave_losses(self):
        """They were of another trainer; unless nobody goes back again, and one call served both."""
        if self.calls:
            self.beside = self.calls, self.heads, self.largest
        self.calls, self.heads, self.largest = [], 0, 0

    def settle(self):
        """No call of backward comes any more."""
        if not self.calls and self.beside is not None:
            self.calls, self.heads, self.largest = self.beside

    def add(self, later):
        """What came after it belongs to the same step."""
        self.calls += later.calls
        self.heads, self.largest = self.heads + later.heads, max(self.largest, later.largest)
        self.parts, self.waited = self.parts + later.parts, self.waited + later.waited
        self.beside = later.beside or self.beside


class _Within(threading.local):
    """Of each thread: whether what it calls goes untold, since it trains ``APART`` from the steps that count, or is
    ``WITHIN`` a hooked function; since when it waits for a batch, and what faults tell of that: ``(fault, step)``."""

    deaf, began, kept = False, 0.0, None


class Seen:
    """Listens to hooks (`harness/worker/own/hooks.py`), except in processes that the script forks.

    ``usual``: what its next step is expected to be (`harness/worker/own/usual.py`).
    """

    usual = None

    def __init__(self, job, channel, role, schedule):
        self._job, self.channel, self._schedule = job, channel, schedule
        self._folder = os.getcwd()
        self._role = role
        self.listens, self.within = False, _Within()
        self.scale, self.scaled = 1.0, ((), 1.0)
        self.kept = {}
        self._ends = False
        self.steps = self._training = self._loaders = None
        self._started = self._told = self._over = False
        self._starting = threading.Lock()
        self._counts, self._shapes = [], []
        self._counts_told = None
        self._fetched = deque(maxlen=_MOST_FETCHED)
        self._changed, self._batches_a_step = (-1, 0), 0
        self._settled = None  # where pushes make steps: what came before the last of them
        self._drop()

    def imported(self, mx, seconds):
        """MXNet is there, and its importer has not gone on yet; nothing in a process that the script forked."""
        if not self.channel.is_own:
            return
        from ..contexts import contexts
        from ..steps import Steps
        from . import hooks

        tell_of_import(self.channel, mx, seconds)
        self._live = counted(self._job, self._role, contexts(self._job), self._folder)
        self._baseline = resident()["anonymous"]
        self._loaders = Loaders()
        self._training = Training(mx, self._loaders)
        self.steps = Steps(self._job, self.channel, self._training, self._live, self._schedule, self._report)
        hooks.install(mx, self)
        self.listens = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)
        atexit.register(self._leave)  # before MXNet's own, which was registered earlier

    def _leave(self):
        """Listen no more, and hold no array: those that outlive their library abort the process."""
        self.listens = False
        self.kept.clear()
        self.steps = self._training = self._loaders = None
        self._drop()

    def _drop(self):
        """Forget what belongs to one step."""
        self._booked = _Booked()
        if self._settled is not None:
            self._settled = _Booked()
        self._updates = self._pushed = self.labels = None
        self.scaled = (), 1.0

    # What hooks tell; each says whether the function is called, or gives what it returns

    def begins(self, iterator):
        """A loader or iterator begins anew; what it gave before and nobody trained with was left."""
        if self._loaders is not None:
            left = self._loaders.are_left(iterator, list(self._fetched))
            self._withdraw(left)
            for batch in left:
                self._fetched.remove(batch)
            self._loaders.begins(iterator)
        return True

    def fetches(self):
        """A batch is about to be fetched."""
        self._start()
        self.channel.heartbeat(self.steps.step)  # validation takes no steps, and is no hang
        self.within.began = monotonic()
        return True

    def fetched(self, batch, iterator):
        """A batch is there: for how long the script waited for it, and of how many samples it is."""
        samples, told = samples_of(batch, iterator), ()
        lead = self._loaders.comes(iterator)
        if self._training.changes_batches and self._loaders.trains_with(iterator) and self._is_of_the_step():
            told = self.within.kept = []
            try:
                batch, times = self._training.passed(batch, self.steps.step, lead)
            except CannotCommitError as error:  # in a thread, or where the script catches it, nobody else would tell
                why = "%s: %s" % (type(error).__name__, error)
                self.channel.emit("failed", error=why, defect=True, mxnet=False, step=self.steps.step)
                raise
            finally:
                self.within.kept = None
            samples = round(samples * times)
        self._remember(batch, iterator, samples, monotonic() - self.within.began, told)
        return batch

    def _is_of_the_step(self):
        """Whether the step takes one batch more: a script that passes over those that faults change gets clean ones."""
        step, taken = self._changed
        taken = 1 if step != self.steps.step else taken + 1
        self._changed = self.steps.step, taken
        return not self._batches_a_step or taken <= self._batches_a_step

    def _remember(self, batch, iterator, samples, waited, told):
        known = Batch(samples, waited, iterator, threading.get_ident(), self.steps.step, told)
        if self._job.record_shapes:
            known.shape = shape_of(batch)
        self._fetched.append(known)

    def _report(self, kind, **fields):
        """What a fault tells; of a batch it is known until that is trained with."""
        self.channel.emit(kind, **fields)
        if self.within.kept is not None:
            self.within.kept.append((fields["fault"], fields["step"]))

    def passes(self, batch):
        """A Module goes forward with a batch to train, which an iterator of another kind may have brought."""
        self.labels = getattr(batch, "label", None)
        while self._fetched and self._fetched[-1].iterator is None:  # it went no farther
            self._fetched.pop()
        if not self._fetched:
            self._fetched.append(Batch(samples_of(batch, None), 0.0, None, threading.get_ident(), self.steps.step))
        return True

    def goes_back(self, heads, weights=None, retained=False, module=None):
        """Gradients are about to be computed from heads, the losses, and from weights of them where these are given.

        ``retained``: whether heads keep all that they were computed from; ``module``: whose own outputs are the heads.
        """
        self._start()
        fetched = []
        with suppress(IndexError):  # another thread may take from it, or add to it
            for _ in range(len(self._fetched)):
                fetched.append(self._fetched.popleft())
        batches, waited = self._loaders.went_back(fetched, self.steps.step)
        self._booked.waited += waited
        if self._schedule and any(batch.told for batch in fetched):
            self._withdraw(self._loaders.checked_with(fetched, batches))
        if batches:
            self._booked.parts.append(sum(batch.samples for batch in batches))
        for batch in batches:
            batch.told = ()
            if self._job.record_shapes:
                self._shapes.append(list(batch.shape))
        weights = [None] * len(heads) if weights is None else weights
        losses = [self._noted(head, weight, retained) for head, weight in zip(heads, weights)]
        losses = _summed([loss for loss in losses if loss is not None])
        if module is not None:
            losses = self._training.added_losses(module, self.labels)
        if losses:
            self._booked.calls.append(losses)
        return True

    def _withdraw(self, batches):
        """What faults told of batches that nobody has trained with is no proof of them."""
        for batch in batches:
            for fault, step in batch.told:
                self.channel.emit("withdrawn", fault=fault, step=step)
            batch.told = ()

    def _noted(self, head, weight, retained):
        """The loss of a head, the mean of a large one; None of one with weights that has more than one value for each
        sample, as an output from which a script goes back by gradients of its own.

        It is the head itself, since what is asked of an array takes microseconds, and to copy one many of them.
        Backward clears the history of heads (`Imperative::Backward`), unless that is retained.
        """
        shape, scale = head.shape, self._scale_of(head)
        is_large = len(shape) > 1 and head.size > LARGEST_LOSS
        if weight is not None and (is_large or len(shape) > 1 < shape[1]):
            return None
        if shape and shape != (1,):
            self._booked.heads += shape[0]
            self._booked.largest = max(self._booked.largest, shape[0])
        if weight is not None:
            return head.detach() * weight
        if is_large:
            return head.detach().astype("float32").mean() / scale
        if scale != 1.0:
            return head.detach() / scale
        loss = self.kept[id(head)] = head.detach() if retained else head
        return loss

    def _scale_of(self, head):
        """By which AMP made it larger; a script may go back from it later than within `amp.scale_loss`."""
        arrays, scale = self.scaled
        return scale if any(head is each for each in arrays) else self.scale

    def changes(self, array):
        """An array is about to be changed in place: a loss that nobody has read yet is copied."""
        loss = self.kept.pop(id(array), None)
        if loss is None or self.steps is None:
            return None
        copied = loss.copy()
        for losses in (*self._booked.calls, *self.steps.unread):
            losses[:] = [copied if each is loss else each for each in losses]
        return copied

    def shares(self, kind, holder):
        """Gradients are about to be brought together."""
        if not self._training.is_clock(kind, holder):
            return True
        self._start()
        return self._may_update()

    def updates(self, kind, holder, *arguments, **named):
        """Weights are about to be updated, by a function with these arguments."""
        self._start()
        if self._training.steps_apart(kind, holder, self._place):
            self.channel.heartbeat(self.steps.step)
            self._ends = self._ends and not self._training.is_clock(kind, holder)
            self.within.deaf = not self._training.is_clock(kind, holder) and APART
            return True
        self.within.deaf = False
        self._ends = self._training.takes_step(kind, holder)
        if not self._ends:
            self._booked.leave_losses()
            return True
        if self._pushed:  # what was pushed was no step
            self._settled.add(self._booked)
            self._booked, self._settled, self._pushed = self._settled, _Booked(), None
        if self._may_update():
            return True
        self._ends = False
        self._end(arguments[0] if arguments else named.get("batch_size"), "no update")
        self._go_on()
        return False

    @property
    def _place(self):
        """How far the step that is under way has come; another one where its thread has gone on."""
        return self.steps.step, len(self._booked.calls)

    def updated(self, loop, result, holder, batch_size=None, *arguments, **named):
        """Weights were updated; ``loop``: by what."""
        if self._ends:
            self._end(batch_size, loop)
            self._go_on()
        return result

    def failed(self):
        """An update failed; a script that goes on takes the step again, with gradients of its own."""
        if self._ends or self._updates is not None:
            self._booked, self._updates, self._ends = _Booked(), None, False

    def pushes(self, kind, holder, key):
        """A key is about to be pushed, and not by a trainer."""
        self._start()
        first = key[0] if isinstance(key, (list, tuple)) else key
        if not self._training.is_clock(kind, holder):
            return True
        if self._training.begins_anew(first):
            if self._pushed:
                later, self._booked = self._booked, self._settled
                self._end(None, "KVStore.push")
                self._go_on()
                self._booked = later
            self._pushed = True
        self._settled = self._settled or _Booked()
        self._settled.add(self._booked)
        self._booked = _Booked()
        return True

    def saves(self, name, save):
        """Arrays are about to go to a file; a fault may wait for half of it, as a kill leaves it.

        ``save(place)`` writes the same elsewhere.
        """
        if self._started and self.steps.stand_half_way and self._is_checkpoint(name):
            with tempfile.TemporaryDirectory() as folder:
                beside = os.path.join(folder, "whole")
                save(beside)
                with open(beside, "rb") as file:
                    whole = file.read()
            with open(name, "wb") as file:
                file.write(whole[: len(whole) // 2])
            self.steps.half_way()
        return True

    def _is_checkpoint(self, name):
        asked = self._job.checkpoint
        return asked is not None and matches(name, asked.files)

    # Steps

    def _start(self):
        """Before the first batch, gradient or update, whichever is first: all workers begin together."""
        if self._started:
            return
        with self._starting:  # threads of a script come together, too
            if self._started:
                return
            try:
                self.channel.emit("ready", baseline=self._baseline, kvstore_rank=None, live_missing=self._live.reason)
                self.channel.await_credit(0)
            finally:  # a fault may raise, and the script go on
                self.steps.begin()
                self._started = True

    def _may_update(self):
        """Let faults act on gradients, once in a step; whether they allow the update."""
        if self._updates is None:
            self.steps.computed()
            self._updates = self.steps.updates()
        return self._updates

    def _end(self, batch_size, loop):
        """The step is through."""
        steps, booked = self.steps, self._booked
        booked.settle()
        several = len(booked.parts) > 1
        gathers = several and (self._training.adds or _whole(batch_size) == booked.samples)
        if several and not gathers:  # gradients of a call take the place of those of the one before
            del booked.parts[:-1]
        self._batches_a_step = len(booked.parts)
        self._counts.append((self._count(batch_size), booked.waited))
        if not self._told:
            self._told = True
            self.channel.emit("recognised", facts=self._facts(loop))
        losses = self._training.counted(booked.calls, gathers) or self._training.losses(self.labels)
        for batch in list(self._fetched):
            batch.told = ()  # where it is not by backward that gradients come
        closes = steps.closes
        if closes:
            self._tell_of_samples(steps.step + 1)
        self._drop()
        steps.ended(losses)
        if closes:
            self.kept.clear()
        self._training.stepped()

    def _tell_of_samples(self, end):
        """Of the steps before ``end`` that were not told of yet."""
        if self._counts:
            counts, waited = zip(*self._counts)
            first = end - len(counts)
            rounded = [round(seconds, 6) for seconds in waited]
            self.channel.emit("samples", first=first, counts=counts, waited=rounded, shapes=self._shapes)
            self._counts, self._shapes = [], []

    def _count(self, batch_size):
        """Samples of the step: those of batches, else of heads, else what the trainer was told; None if nobody knows.

        Several heads are parts of a batch, or several losses of it: the trainer is told its size, or that of all
        workers. Where heads and the trainer agree, and the batch does not, that has another axis first, or was none
        to train with. What the trainer is told counts alone only where it does from the first step on: a loss that is
        a mean already goes with 1, and workers of a job may be told the size of all.
        """
        booked, samples = self._booked, self._booked.samples
        agrees = samples == booked.largest or not booked.heads
        if self._counts_told is False and type(samples) is int and samples and agrees:  # as nearly always
            return samples
        told, alone = _whole(batch_size), not self._job.kvstore.startswith("dist")
        is_whole = told != 1 and told in (booked.largest, booked.largest * self._job.workers)
        if is_whole and _whole(samples) not in (booked.largest, booked.heads):
            samples = booked.largest
        elif not samples and alone and told and told > 1 and booked.heads % told == 0 < booked.heads:
            samples = told  # heads of each place of a sequence
        known = _whole(samples) or (booked.largest if is_whole else booked.heads)
        if self._counts_told is None:
            self._counts_told = not known and told != 1 and alone
        return known or (told if self._counts_told else None)

    def _go_on(self):
        """Begin the next step, unless there were as many as were asked for."""
        if self.steps.step == self._job.steps:
            self.finish()
            raise StoppedError(0)
        try:
            self.steps.await_credit()
        finally:  # a fault may raise, and the script go on
            self.steps.begin()

    def _facts(self, loop):
        """What was recognised in the first step, in words."""
        found = {"loop": loop}
        found.update(self._training.facts())
        found["loss"] = self._training.loss_in_words(sum(map(len, self._booked.calls)))
        found["batch"] = str(self._counts[-1][0] or "unknown")
        found["input"] = "seen" if self._booked.samples else "none"
        found["contexts"] = " ".join(map(str, self._training.contexts))
        return found

    def finish(self):
        """The script is through, or was stopped; once."""
        if self._over:
            return
        self._over = True
        if not self.channel.is_own:
            return
        if self._pushed:
            self._settled.add(self._booked)
            self._booked = self._settled
            self._end(None, "KVStore.push")
        self.listens = False
        self._withdraw([*self._fetched, *(self._loaders.ahead if self._loaders is not None else ())])
        if self._told and self._training.beside:
            self.channel.emit("recognised", facts={"beside": "%d more; docs/own-training.md" % self._training.beside})
        if self.steps is None or self.steps.step == 0:
            self.channel.emit("done", step=0)
        else:
            self._tell_of_samples(self.steps.step)
            self.steps.finish()
        self._leave()


def _summed(losses):
    """Of one call of backward: those on one device are summed, as their gradients are."""
    if len(losses) < 2:
        return losses
    parts = {}
    for loss in losses:
        before = parts.get(loss.context)
        if before is not None:
            before, loss = before.detach(), loss.detach()
            loss = before + (loss if loss.shape == before.shape else loss.mean()).astype(before.dtype)
        parts[loss.context] = loss
    return list(parts.values())


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


def _whole(count):
    """A number of samples; None of what is none, and where there are none."""
    try:
        return int(count) or None
    except (TypeError, ValueError, OverflowError):
        return None
