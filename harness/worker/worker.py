"""One worker from start to end: ready, windows of steps closed by a wait, digest, done."""

import math
import platform
import sys
import time

from .channel import Channel
from .digest import sha256
from .memory import LiveBytes, resident


def run(job, arm, role):
    """Train as ``job`` says and report; the loss turning non-finite is reported, not judged."""
    channel = Channel(arm, role)
    started = time.monotonic()
    import mxnet as mx

    imported = time.monotonic() - started
    from .contexts import contexts

    live = LiveBytes(job.memory == "live", contexts(job))
    baseline = resident()["anonymous"]
    training = _training(job, int(role.split("/")[1]))
    channel.emit(
        "ready",
        import_seconds=round(imported, 6),
        baseline=baseline,
        python=platform.python_version(),
        mxnet=mx.__version__,
        numpy=sys.modules["numpy"].__version__,
        features=_features(mx),
        kvstore_rank=training.rank,
        live_missing=live.reason,
    )
    _train(job, channel, training, live)
    for context in training.contexts:
        trained, fixed = training.parameters(context)
        channel.emit("digest", step=job.steps, context=str(context), weights=sha256(trained), fixed=sha256(fixed))
    live.stop()
    channel.emit("done", step=job.steps)


def _training(job, rank):
    if job.loop == "executor":
        from .staged import StagedTraining

        return StagedTraining(job, rank)
    from .training import Training

    return Training(job, rank)


def _train(job, channel, training, live):
    channel.await_credit(0)
    step = 0
    while step < job.steps:
        if step == channel.until:
            channel.await_credit(step)
        end = _window_end(step, job, channel.until)
        _window(job, channel, training, live, step, end)
        step = end


def _window_end(step, job, until):
    """A window never spans the end of the warm-up, of the credit or of the job."""
    ends = [(step // job.window + 1) * job.window, job.steps]
    if step < job.warmup:
        ends.append(job.warmup)
    if until is not None:
        ends.append(until)
    return min(ends)


def _window(job, channel, training, live, first, end):
    import mxnet as mx

    losses, latencies, phases = [], [], Phases(job.phases)
    opened = time.monotonic()
    for step in range(first, end):
        begun = phases.mark("began")
        losses.append(training.compute(step))
        phases.mark("computed")
        training.update()
        phases.mark("ended")
        if job.sync_every and (step + 1) % job.sync_every == 0:
            mx.nd.waitall()
            latencies.append(round(time.monotonic() - begun, 7))
        channel.heartbeat(step)
    for step, loss in enumerate(losses, first):  # steps are issued far ahead; a long wait is not a hang
        loss[-1].wait_to_read()
        channel.heartbeat(step)
    mx.nd.waitall()
    seconds = time.monotonic() - opened
    channel.emit("window", first=first, steps=end - first, seconds=round(seconds, 7))
    if job.sync_every == 1:
        channel.emit("step", first=first, seconds=latencies)
    if job.phases:
        channel.emit("phases", first=first, **phases.times)
    means = [_mean(loss) for loss in losses]
    channel.emit("loss", first=first, values=[value if math.isfinite(value) else None for value in means])
    memory = resident()
    memory.update(live.read())
    channel.emit("memory", step=end, **memory)


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


def _mean(losses):
    """Over the samples of all contexts, each of which has as many."""
    return sum(float(loss.asnumpy().astype("float64").mean()) for loss in losses) / len(losses)


def _features(mx):
    try:
        return sorted(name for name, feature in mx.runtime.Features().items() if feature.enabled)
    except AttributeError:
        return []
