"""One worker from start to end: ready, windows of steps closed by a wait, digest, done."""

import math
import platform
import sys
import time

from .digest import sha256, sketch
from .memory import LiveBytes, resident


def run(job, channel, role, schedule):
    """Train as ``job`` says and report; the loss turning non-finite is reported, not judged."""
    started = time.monotonic()
    import mxnet as mx

    channel.emit(
        "imported",
        seconds=round(time.monotonic() - started, 6),
        python=platform.python_version(),
        mxnet=mx.__version__,
        numpy=sys.modules["numpy"].__version__,
        features=_features(mx),
    )
    from . import trainings
    from .contexts import contexts
    from .gradients import not_finite

    live = LiveBytes(job.memory == "live", contexts(job))
    baseline = resident()["anonymous"]
    training = trainings.find(job)(job, int(role.split("/")[1]), channel.emit)
    channel.emit("ready", baseline=baseline, kvstore_rank=training.rank, live_missing=live.reason)
    work = Work(job, channel, training, live, schedule, first=role == "worker/0")
    work.through()
    channel.forget()  # arrays that outlive their library abort the process
    work.examine()
    for parameter in not_finite(training):
        channel.emit("not_finite", step=job.steps, parameter=parameter)
    for context in training.contexts:
        trained, fixed = training.parameters(context)
        channel.emit("digest", step=job.steps, context=str(context), weights=sha256(trained), fixed=sha256(fixed))
    live.stop()
    channel.emit("done", step=job.steps)


class Work:
    """All steps of one worker, window by window; the ``first`` worker writes checkpoints, where they are asked for."""

    def __init__(self, job, channel, training, live, schedule, first):
        from .gradients import Norms
        from .in_process_faults import InProcessFaults

        self._job, self._channel, self._training, self._live, self._first = job, channel, training, live, first
        self._norms = Norms(job.gradients == "norms")
        self._faults = InProcessFaults(job, channel.emit, schedule)
        self._clean_batches = training.batches
        channel.end = self._faults.end
        channel.begin = lambda number: self._begin(number)
        self._step = self._saved = 0

    def _begin(self, number):
        """From now on batches go by the faults; until then nothing stands between the loop and its data."""
        self._training.batches = lambda step: self._faults.batch(self._clean_batches, step)
        self._faults.begin(number, self._step)

    def through(self):
        """From the newest checkpoint, if there is one, to the last step."""
        job, channel = self._job, self._channel
        self._resume()
        channel.await_credit(self._step)
        while self._step < job.steps:
            if self._step == channel.until:
                channel.await_credit(self._step)
            self._save()
            end = self._window_end()
            self.window(self._step, end)
            self._step = end
        self._save()

    def examine(self):
        """Say how many of the samples are known that were held back; the first worker does, for all."""
        if self._first and self._job.held_back:
            data, labels = self._clean_batches.held_back()
            right = self._training.right(data, labels)
            self._channel.emit("examined", step=self._job.steps, right=right, samples=len(labels))

    def _resume(self):
        if self._job.checkpoint is None:
            return
        from . import checkpoints

        state, rejected = checkpoints.newest()
        if state is not None:
            checkpoints.restore(self._training, self._job, state)
            self._step = self._saved = state["step"]
        if state is not None or rejected:
            self._channel.emit("resumed", step=self._step, rejected=rejected)

    def _save(self):
        """Write a checkpoint where one is due; faults of this step have begun by now."""
        step, asked = self._step, self._job.checkpoint
        if not self._first or asked is None or step % asked.every or step == self._saved:
            return
        from . import checkpoints

        event = checkpoints.write(self._training, self._job, step, lambda: self._faults.half_way(step))
        self._saved = step
        self._channel.emit("checkpointed", **event)

    def _window_end(self):
        """A window never spans the end of the warm-up, of the credit or of the job, nor a checkpoint."""
        job, step = self._job, self._step
        ends = [(step // job.window + 1) * job.window, job.steps]
        if step < job.warmup:
            ends.append(job.warmup)
        if self._channel.until is not None:
            ends.append(self._channel.until)
        if job.checkpoint is not None:
            ends.append((step // job.checkpoint.every + 1) * job.checkpoint.every)
        return min(ends)

    def window(self, first, end):
        """Take the steps from ``first`` to before ``end``, wait for them, and report."""
        import mxnet as mx

        job, channel, training = self._job, self._channel, self._training
        losses, latencies, phases = [], [], Phases(job.phases)
        opened = time.monotonic()
        for step in range(first, end):
            begun = phases.mark("began")
            losses.append(training.compute(step))
            self._faults.gradients(training, step)
            self._norms.note(training)
            phases.mark("computed")
            self._faults.update(training, step)
            phases.mark("ended")
            self._digest(step + 1)
            if job.sync_every and (step + 1) % job.sync_every == 0:
                mx.nd.waitall()
                latencies.append(round(time.monotonic() - begun, 7))
            channel.heartbeat(step)
        for step, loss in enumerate(losses, first):  # steps are issued far ahead; a long wait is not a hang
            loss[-1].wait_to_read()
            channel.heartbeat(step)
        mx.nd.waitall()
        _compute_for_nothing((time.monotonic() - opened) * job.burden)
        seconds = time.monotonic() - opened
        channel.emit("window", first=first, steps=end - first, seconds=round(seconds, 7))
        if job.sync_every == 1:
            channel.emit("step", first=first, seconds=latencies)
        if job.phases:
            channel.emit("phases", first=first, **phases.times)
        self._report(first, end, [_mean(loss) for loss in losses])

    def _digest(self, step):
        if self._job.digest_every and step % self._job.digest_every == 0:
            trained, fixed = self._training.parameters(self._training.contexts[0])
            digests = {name: sha256([(name, array)])[:16] for name, array in trained + fixed}
            sketches = {name: sketch(array) for name, array in trained + fixed}
            self._channel.emit("parameters", step=step, digests=digests, sketches=sketches)

    def _report(self, first, end, losses):
        self._norms.emit(self._channel, first)
        values = [value if math.isfinite(value) else None for value in losses]
        if None in values:
            from .gradients import not_finite

            for parameter in not_finite(self._training)[:1]:
                self._channel.emit("not_finite", step=end, parameter=parameter)
        self._channel.emit("loss", first=first, values=values)
        memory = resident()
        memory.update(self._live.read())
        self._channel.emit("memory", step=end, **memory)


class Phases:
    """Times of the parts of each step of a window. Where they are asked for, each part is closed by a wait."""

    def __init__(self, asked):
        self._asked = asked
        self.times = {"began": [], "computed": [], "ended": []}

    def mark(self, name):
        """The time now, kept under a name if phases are asked for."""
        if self._asked and name != "began":
            import mxnet as mx

            mx.nd.waitall()
        now = time.monotonic()
        if self._asked:
            self.times[name].append(round(now, 6))
        return now


def _compute_for_nothing(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def _mean(losses):
    """Over the samples of all contexts, each of which has as many."""
    return sum(float(loss.asnumpy().astype("float64").mean()) for loss in losses) / len(losses)


def _features(mx):
    try:
        return sorted(name for name, feature in mx.runtime.Features().items() if feature.enabled)
    except AttributeError:
        return []
