"""The steps of one worker, however they come about: windows closed by a wait, faults at their step, what is told."""

import itertools
import math
from time import monotonic  # whatever a script makes of the module later

import mxnet as mx
import numpy as np

from .digest import sha256, sketch
from .gradients import Norms, not_finite
from .in_process_faults import InProcessFaults
from .late_loss import NegativeLog
from .memory import resident, tell_of_gpus
from .placement import keep_main_apart
from .wide import float64

_MANY = 20
"""Losses of so many steps are brought together while the last of them still run; of fewer it would be seen in time."""

_TOLD_SECONDS = 0.5
"""Steps that a window waits for at its end are told of about so often."""


class Steps:
    """Steps of a ``training`` (`harness/worker/trainings`): `begin`, then `computed`, `updates` and `ended` for each.

    ``step`` is the one that is under way, or comes next. ``report``: where faults tell, if not the channel.
    ``is_plain``: whether nobody looks at gradients or at parts of a step; a short one is not made longer by asking.
    """

    def __init__(self, job, channel, training, live, schedule, report=None):
        self._job, self._channel, self._training, self._live = job, channel, training, live
        self._norms = Norms(job.gradients == "norms")
        self._faults = InProcessFaults(job, report or channel.emit, schedule)
        self._clean_batches = training.batches
        channel.begin, channel.end = self._begin_fault, self._end_fault
        self.is_plain = self._goes_plainly()
        self._window = None
        self.step = 0

    def _begin_fault(self, number):
        self._faults.begin(number, self.step)
        self._route_batches()
        self.is_plain = self._goes_plainly()

    def _end_fault(self, number):
        self._faults.end(number)
        self._route_batches()
        self.is_plain = self._goes_plainly()

    def _goes_plainly(self):
        job = self._job
        return self._faults.idle and not (self._norms.asked or job.phases or job.sync_every or job.digest_every)

    def _route_batches(self):
        """Batches go by faults that act on them; else nothing stands between the loop and its data."""
        self._training.batches = self._by_faults if self._faults.act_on_batches else self._clean_batches

    def _by_faults(self, step):
        return self._faults.batch(self._clean_batches, step)

    @property
    def stand_half_way(self):
        """Whether a fault waits for half of a checkpoint."""
        return self._faults.stand_half_way

    def half_way(self):
        """Half of the checkpoint of this step is written."""
        self._faults.half_way(self.step)

    def await_credit(self):
        """Block until the next step may be taken; faults begin and end meanwhile."""
        if self.step == self._channel.until:
            if self.step and self._channel.main_apart:  # threads are there once a step was taken
                self._channel.main_apart = False
                keep_main_apart()
            self._channel.await_credit(self.step)

    def begin(self):
        """Begin a step, and with it a window where none is open."""
        if self._window is None:
            self._window = _Window(self._job, self.step, self._window_end())
        if not self.is_plain:
            self._window.mark("began")

    def _window_end(self):
        """A window never spans the end of the warm-up, of the credit or of the job, nor a checkpoint."""
        job, step = self._job, self.step
        ends = [(step // job.window + 1) * job.window]
        if step < job.warmup:
            ends.append(job.warmup)
        if job.checkpoint is not None and job.checkpoint.every is not None:
            ends.append((step // job.checkpoint.every + 1) * job.checkpoint.every)
        return min([*ends, *(end for end in (job.steps, self._channel.until) if end is not None)])

    def computed(self):
        """Gradients are there and not yet shared: faults change them, norms are counted."""
        if self.is_plain:
            return
        self._faults.gradients(self._training, self.step)
        self._norms.note(self._training)
        self._window.mark("computed")

    def updates(self):
        """Whether the weights are to be updated, as far as faults say."""
        return self.is_plain or self._faults.updates(self._training, self.step)

    @property
    def unread(self):
        """Losses of each step of the window that is open."""
        return [] if self._window is None else self._window.losses

    @property
    def left(self):
        """How many steps of the window that is open are to come, where they go plainly; else 0."""
        return self._window.end - self.step if self.is_plain and self._window is not None else 0

    @property
    def closes(self):
        """Whether the window ends with this step."""
        return self.step + 1 == self._window.end

    def ended(self, losses):
        """End the step; ``losses`` are those of its samples, an array a context; empty where nobody knows them."""
        window = self._window
        window.losses.append(losses)
        if self.is_plain:
            self.step += 1
        else:
            self._end_in_parts(window)
        self._channel.heartbeat(self.step - 1)
        if self.step == window.end:
            self._close(window)

    def _end_in_parts(self, window):
        window.mark("ended")
        self._faults.through(self._training, self.step)
        self.step += 1
        self._digest()
        if self._job.sync_every and self.step % self._job.sync_every == 0:
            mx.nd.waitall()
            window.latencies.append(round(monotonic() - window.begun, 7))

    def _digest(self):
        if not self._job.digest_every or self.step % self._job.digest_every:
            return
        for context in self._training.contexts[:1]:
            trained, fixed = self._training.parameters(context)
            digests = {name: sha256([(name, array)])[:16] for name, array in trained + fixed}
            sketches = {name: sketch(array) for name, array in trained + fixed}
            self._channel.emit("parameters", step=self.step, digests=digests, sketches=sketches)

    def _close(self, window):
        """Wait for all steps of the window, and report."""
        runs = _runs(window) if self.is_plain and len(window.losses) >= _MANY else None
        self._wait(window)
        _compute_for_nothing((monotonic() - window.opened) * self._job.burden)
        seconds = monotonic() - window.opened
        with self._channel.at_once():
            self._report(window, seconds, _runs(window) if runs is None else runs)
        self._window = None

    def _wait(self, window):
        """Steps are issued far ahead; a long wait is not a hang: of every so many that take half a second one is told.

        To ask of each takes longer than many a step.
        """
        place, last = 0, len(window.losses) - 1
        while place < last:
            if window.losses[place]:
                window.losses[place][-1].wait_to_read()
            self._channel.progress(window.first + place)
            place += max(1, int(_TOLD_SECONDS * (place + 1) / max(monotonic() - window.opened, 1e-6)))
        mx.nd.waitall()

    def _tell_of_waits(self, first):
        """How long each step of the window waited for its batch, where a loader of MXNet's brings them."""
        waits = getattr(self._clean_batches, "waits", None)
        if waits is not None:
            waited = waits()[first - self.step :]
            self._channel.emit(
                "samples", first=first, counts=[self._job.batch_size] * len(waited), waited=waited, shapes=[]
            )

    def _report(self, window, seconds, runs):
        job, channel, first = self._job, self._channel, window.first
        self._tell_of_waits(first)
        channel.emit("window", first=first, steps=self.step - first, seconds=round(seconds, 7))
        if job.sync_every == 1:
            channel.emit("step", first=first, seconds=window.latencies)
        if job.phases and len(set(map(len, window.times.values()))) == 1:  # pushes by hand have no parts
            channel.emit("phases", first=first, **window.times)
        self._norms.emit(channel, first)
        self._tell_of_losses(runs)
        memory = resident()
        memory.update(self._live.read())
        channel.emit("memory", step=self.step, **memory)
        tell_of_gpus(channel, self.step, self._training.contexts)

    def _tell_of_losses(self, runs):
        """Of the steps whose losses are known, in runs of them."""
        for run in runs:
            values = [value if math.isfinite(value) else None for value in run.means()]
            if None in values:
                for parameter in not_finite(self._training)[:1]:
                    self._channel.emit("not_finite", step=self.step, parameter=parameter)
            self._channel.emit("loss", first=run.first, values=values)

    def finish(self):
        """Tell what is left once no step comes any more: losses of a window that was not filled, weights that are not
        finite, and digests of all.
        """
        self._channel.forget()  # arrays that outlive their library abort the process
        if self._window is not None:  # its time is not that of its steps alone
            self._norms.emit(self._channel, self._window.first)
            self._tell_of_losses(_runs(self._window))
        for parameter in not_finite(self._training):
            self._channel.emit("not_finite", step=self.step, parameter=parameter)
        for context in self._training.contexts:
            trained, fixed = self._training.parameters(context)
            self._channel.emit(
                "digest", step=self.step, context=str(context), weights=sha256(trained), fixed=sha256(fixed)
            )
        self._live.stop()
        self._channel.emit("done", step=self.step)


class _Window:
    """What is known of the steps from ``first`` to before ``end``.

    ``times`` are those of each step's parts; where these are asked for, each part is closed by a wait.
    """

    def __init__(self, job, first, end):
        self.first, self.end = first, end
        self.losses, self.latencies = [], []
        self.times = {"began": [], "computed": [], "ended": []}
        self._phases, self._timed = job.phases, job.phases or job.sync_every
        self.opened = self.begun = monotonic()

    def mark(self, part):
        """Note when a step began, or came so far, if anybody asked for times of steps."""
        if not self._timed:
            return
        if self._phases and part != "began":
            mx.nd.waitall()
        now = monotonic()
        if part == "began":
            self.begun = now
        if self._phases:
            self.times[part].append(round(now, 6))


def _compute_for_nothing(seconds):
    until = monotonic() + seconds
    while monotonic() < until:
        pass


def _runs(window):
    """Losses of the window's steps that have some, those of steps in a row together."""
    known = [(step, losses) for step, losses in enumerate(window.losses, window.first) if losses]
    numbered = itertools.groupby(enumerate(known), lambda each: each[1][0] - each[0])
    return [_Run(*zip(*(each for _, each in run))) for _, run in numbered]


class _Run:
    """Losses of steps in a row. Arrays of one shape on one device are read as one, which takes a sixth of the time."""

    def __init__(self, steps, losses):
        self.first, self._losses = steps[0], losses
        columns = list(zip(*losses)) if len(set(map(len, losses))) == 1 else [()]
        self._columns = [_as_one(column) for column in columns]

    def means(self):
        """Of each step, over its samples."""
        if any(column is None for column in self._columns):
            return [_mean(step) for step in self._losses]
        values = [_values(column).reshape((len(self._losses), -1)) for column in self._columns]
        return np.concatenate(values, axis=1).mean(axis=1).tolist()


def _as_one(losses):
    """All of them in one, once they are there; None where they are not alike, or MXNet refuses, which it tells at once.

    Of several shapes it would tell later, whoever waits next, and of several GPUs not at all. Not waited for apart: an
    error of the script's own, once it was told here, would not be told again.
    """
    try:
        is_late = type(losses[0]) is NegativeLog
        arrays = [loss.of for loss in losses] if is_late else losses
        if len({(array.shape, array.context) for array in arrays}) > 1:
            return None
        one = mx.nd.stack(*arrays) if type(arrays[0]) is mx.nd.NDArray else mx.np.stack(arrays)
        return NegativeLog(one) if is_late else one
    except (mx.MXNetError, AssertionError, AttributeError, IndexError, TypeError, ValueError):
        return None


def _mean(losses):
    """Parts of a batch count by their samples."""
    return sum(float(_values(loss).sum()) for loss in losses) / sum(loss.size for loss in losses)


def _values(loss):
    return NegativeLog.finished(float64(loss.of)) if type(loss) is NegativeLog else float64(loss)
