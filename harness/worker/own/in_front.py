"""In front of hooks, for steps that go as the one before: the same in one function each, since what is touched is
seldom in a processor's cache.
"""

import functools
from threading import get_ident
from time import monotonic  # whatever a script makes of the module later

from ..channel import HEARTBEAT_SECONDS
from . import hooks
from .fetched import shape_of
from .training import WITHIN


def install(mx, seen):
    """Stand in front of hooks (`harness/worker/own/hooks.py`) that are there."""
    trainer, data = mx.gluon.Trainer, mx.io.DataIter
    trainer.step = in_front_of_step(seen, trainer.step)
    hooks.Iteration.__next__ = in_front_of_next(hooks.Iteration.__next__)
    data.__next__ = in_front_of_an_iterator(seen, data.__next__)
    for kind in [mx.nd.NDArray] + ([mx.np.ndarray] if hasattr(mx, "np") else []):
        if "backward" in vars(kind):
            kind.backward = in_front_of_backward(seen, kind.backward)
    base = mx.mod.BaseModule
    base.forward_backward = in_front_of_forward_backward(seen, base.forward_backward)
    for kind in (mx.mod.Module, mx.mod.BucketingModule, mx.mod.SequentialModule):
        kind.update = in_front_of_update(seen, kind.update)


def in_front_of_next(hooked):
    """Of an iteration over a DataLoader."""

    def quickly(iteration):
        seen = iteration._seen
        usual, within = seen.usual, seen.within
        if (
            usual is None
            or usual.left < 2
            or usual.source is not None
            or iteration._loader is not usual.iterator()
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(iteration)
        within.deaf, began = WITHIN, monotonic()
        try:
            usual.batch = next(iteration._batches)
        finally:
            within.deaf = False
        usual.waited, usual.source = monotonic() - began, iteration._loader
        return usual.batch

    return quickly


def in_front_of_an_iterator(seen, hooked):
    """Of a DataIter's ``__next__``."""
    original, within = hooked.__wrapped__, seen.within

    @functools.wraps(original)
    def following(iterator):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or usual.source is not None
            or usual.anew
            or iterator is not usual.iterator()
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(iterator)
        within.deaf, began = WITHIN, monotonic()
        try:
            usual.batch = original(iterator)
        finally:
            within.deaf = False
        usual.waited, usual.source = monotonic() - began, iterator
        return usual.batch

    return following


def in_front_of_backward(seen, hooked):
    """Of an array's own ``backward``."""
    original, within = hooked.__wrapped__, seen.within

    @functools.wraps(original)
    def backward(head, *arguments, **named):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or usual.source is None
            or usual.head is not None
            or usual.by_module
            or arguments
            or named
            or seen.scale != 1.0
            or seen.scaled[0]
            or get_ident() != usual.thread
            or within.deaf
            or head.shape != usual.shape
        ):
            return hooked(head, *arguments, **named)
        usual.head = seen.kept[id(head)] = head
        within.deaf = WITHIN
        try:
            return original(head)
        finally:
            within.deaf = False

    return backward


def in_front_of_step(seen, hooked):
    """Of a trainer's ``step``."""
    original, within = hooked.__wrapped__, seen.within

    @functools.wraps(original)
    def step(trainer, batch_size, *arguments, **named):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or usual.head is None
            or usual.anew
            or trainer is not usual.holder
            or type(batch_size) is not int
            or batch_size != usual.samples
            or arguments
            or named
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(trainer, batch_size, *arguments, **named)
        within.deaf = WITHIN
        try:
            result = original(trainer, batch_size)
        except BaseException:
            seen.failed_usually()
            raise
        finally:
            within.deaf = False
        if seen.usual is not usual or usual.head is None:  # another thread came between
            if seen.listens:
                seen.was_usual("Trainer.step", trainer, batch_size)
            return result
        _note(seen, usual, [usual.head])
        return result

    return step


def _note(seen, usual, losses):
    """A step went as usual, and the window goes on."""
    steps, channel = seen.steps, seen.channel
    usual.counts.append((usual.samples, usual.waited))
    usual.losses.append(losses)
    usual.let_go()
    usual.left -= 1
    steps.step += 1
    channel.step = steps.step
    if monotonic() - channel.spoke > HEARTBEAT_SECONDS:
        channel.progress(steps.step - 1)


def in_front_of_forward_backward(seen, original):
    """Of a module's ``forward_backward``, whose parts have hooks of their own."""
    within = seen.within

    @functools.wraps(original)
    def forward_backward(module, data_batch):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or not usual.by_module
            or usual.head is not None
            or data_batch is not usual.batch
            or module is not usual.holder
            or get_ident() != usual.thread
            or within.deaf
            or getattr(data_batch, "pad", 0)
            or shape_of(data_batch) != usual.shape
        ):
            if not within.deaf and seen.listens:
                seen.goes_forward_and_back()
            original(module, data_batch)
            return
        within.deaf, usual.labels = WITHIN, getattr(data_batch, "label", None)
        try:
            original(module, data_batch)
        except BaseException:
            if seen.listens:
                seen.passes(data_batch)
            raise
        finally:
            within.deaf = False
        usual.head = data_batch

    return forward_backward


def in_front_of_update(seen, hooked):
    """Of a module's ``update``."""
    original, within = hooked.__wrapped__, seen.within
    loop = original.__qualname__

    @functools.wraps(original)
    def update(module, *arguments, **named):
        usual = seen.usual
        if (
            usual is None
            or usual.left < 2
            or not usual.by_module
            or usual.head is None
            or module is not usual.holder
            or arguments
            or named
            or get_ident() != usual.thread
            or within.deaf
        ):
            return hooked(module, *arguments, **named)
        within.deaf = WITHIN
        try:
            result = original(module)
        except BaseException:
            seen.failed_usually()
            raise
        finally:
            within.deaf = False
        if seen.usual is not usual or usual.head is None:  # another thread came between
            if seen.listens:
                seen.was_usual(loop, module)
            return result
        _note(seen, usual, seen.losses(usual.labels))
        return result

    return update
