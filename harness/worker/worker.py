"""One worker that trains what the scenario describes, from start to end: ready, all steps, digest, done."""

import platform
import sys
import time

from . import libraries
from .memory import counted, resident, tell_of_gpus
from .op_by_op import STEPS, OpByOp


def run(job, channel, role, schedule, is_laid_out=False):
    """Train as ``job`` says and report; the loss turning non-finite is reported, not judged.

    ``is_laid_out``: memory lies where that of a twin does, and is to be taken in the same order.
    """
    started = time.monotonic()
    import mxnet as mx

    tell_of_import(channel, mx, time.monotonic() - started)
    from . import trainings
    from .contexts import contexts
    from .steps import Steps

    op_by_op = OpByOp(mx, min(STEPS, job.warmup) if is_laid_out else 0)
    live = counted(job, role, contexts(job))
    baseline = resident()["anonymous"]
    tell_of_gpus(channel, 0, contexts(job))
    training = trainings.find(job)(job, int(role.split("/")[1]), channel.emit)
    channel.emit("ready", baseline=baseline, kvstore_rank=training.rank, live_missing=live.reason)
    clean_batches = training.batches
    steps = Steps(job, channel, training, live, schedule)
    first = role == "worker/0"
    _train(job, channel, training, steps, first, op_by_op)
    if first and job.held_back:
        _examine(job, channel, training, clean_batches)
    steps.finish()


def tell_of_import(channel, mx, seconds):
    """Say which MXNet is there."""
    channel.emit(
        "imported",
        seconds=round(seconds, 6),
        python=platform.python_version(),
        mxnet=mx.__version__,
        numpy=sys.modules["numpy"].__version__,
        features=_features(mx),
        libraries=libraries.versions(),
        pool=libraries.pool_settings(mx),
    )


def _train(job, channel, training, steps, first, op_by_op):
    """From the newest checkpoint, if there is one, to the last step; the ``first`` worker writes them."""
    saved = _resume(job, channel, training, steps)
    channel.await_credit(steps.step)
    while steps.step < job.steps:
        steps.await_credit()
        saved = _save(job, channel, training, steps, saved) if first else saved
        steps.begin()
        losses = training.compute(steps.step)
        steps.computed()
        if steps.updates():
            training.update()
        steps.ended(losses)
        op_by_op.after(steps.step)
    if first:
        _save(job, channel, training, steps, saved)


def _resume(job, channel, training, steps):
    if job.checkpoint is None:
        return 0
    from . import checkpoints

    state, rejected = checkpoints.newest()
    if state is not None:
        checkpoints.restore(training, job, state)
        steps.step = state["step"]
    if state is not None or rejected:
        channel.emit("resumed", step=steps.step, rejected=rejected)
    return steps.step


def _save(job, channel, training, steps, saved):
    """Write a checkpoint where one is due, after that of step ``saved``; faults of this step have begun by now."""
    step, asked = steps.step, job.checkpoint
    if asked is None or step % asked.every or step == saved:
        return saved
    from . import checkpoints

    channel.emit("checkpointed", **checkpoints.write(training, job, step, steps.half_way))
    return step


def _examine(job, channel, training, batches):
    """Say how many of the samples are known that were held back."""
    data, labels = batches.held_back()
    channel.emit("examined", step=job.steps, right=training.right(data, labels), samples=labels.size)


def _features(mx):
    try:
        return sorted(name for name, feature in mx.runtime.Features().items() if feature.enabled)
    except AttributeError:
        return []
