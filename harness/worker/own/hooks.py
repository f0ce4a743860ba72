"""Stands at the functions of MXNet through which training goes, and tells `Seen` of what passes.

Each is called as it would be, with the same arguments. What one of them calls of the others is its own business, and
passes untold.
"""

import functools
import sys
from contextlib import contextmanager

from . import imports
from .owners import ModuleOwner, StoreOwner, TrainerOwner


def install(mx, seen):
    """Stand at all of them; ``mx`` is the package, just imported."""
    _at_gradients(mx, seen)
    _at_trainer(mx.gluon.Trainer, seen)
    _at_modules(mx.mod, seen)
    _at_stores(mx, seen)
    _at_data(mx, seen)
    _at_loss_scaling(seen)


def _around(holder, name, seen, told):
    """Put ``told(original, *arguments)`` in the place of a function, where there is one of its own."""
    original = vars(holder).get(name)
    if original is None:
        return

    @functools.wraps(original)
    def hooked(*arguments, **named):
        if not seen.listens:
            return original(*arguments, **named)
        return told(original, *arguments, **named)

    setattr(holder, name, hooked)


def _at_gradients(mx, seen):
    def backward(original, heads, *arguments, **named):
        with seen.computing(heads if isinstance(heads, (list, tuple)) else [heads]):
            return original(heads, *arguments, **named)

    _around(mx.autograd, "backward", seen, backward)
    for kind in _kinds_of_arrays(mx):
        _around(kind, "backward", seen, backward)


def _kinds_of_arrays(mx):
    return [mx.nd.NDArray, *([mx.np.ndarray] if hasattr(mx, "np") else [])]


def _at_trainer(trainer, seen):
    def step(original, self, batch_size, *arguments, **named):
        def call():
            return original(self, batch_size, *arguments, **named)

        return seen.step(TrainerOwner, self, call, batch_size, "Trainer.step")

    def allreduce(original, self):
        return seen.share(TrainerOwner, self, lambda: original(self))

    def update(original, self, batch_size, *arguments, **named):
        def call():
            return original(self, batch_size, *arguments, **named)

        return seen.step(TrainerOwner, self, call, batch_size, "Trainer.allreduce_grads and Trainer.update")

    _around(trainer, "step", seen, step)
    _around(trainer, "allreduce_grads", seen, allreduce)
    _around(trainer, "update", seen, update)


def _at_modules(modules, seen):
    def update(original, self):
        return seen.step(ModuleOwner, self, lambda: original(self), None, "%s.update" % type(self).__name__)

    def forward(original, self, batch, *arguments, **named):
        seen.passes(batch)
        return original(self, batch, *arguments, **named)

    def backward(original, self, *arguments, **named):
        with seen.computing([]):
            return original(self, *arguments, **named)

    for name in ("Module", "BucketingModule", "SequentialModule"):
        _around(getattr(modules, name), "update", seen, update)
        _around(getattr(modules, name), "forward", seen, forward)
        _around(getattr(modules, name), "backward", seen, backward)


def _at_stores(mx, seen):
    """A script without a trainer takes a step whenever it pushes the key again that it pushed first."""

    def push(original, self, key, *arguments, **named):
        return seen.push(StoreOwner, self, key, lambda: original(self, key, *arguments, **named))

    for name in ("push", "pushpull"):
        _around(mx.kvstore.KVStore, name, seen, push)


def _at_data(mx, seen):
    def loader(original, self):
        return _Iteration(self, original(self), seen)

    def following(original, self):
        return seen.fetching(self, lambda: original(self))

    _around(mx.gluon.data.DataLoader, "__iter__", seen, loader)
    _around(mx.io.DataIter, "__next__", seen, following)


class _Iteration:
    """One pass over a DataLoader, each batch of which is told of."""

    def __init__(self, loader, batches, seen):
        self._loader, self._batches, self._seen = loader, batches, seen

    def __iter__(self):
        return self

    def __next__(self):
        if not self._seen.listens:
            return next(self._batches)
        return self._seen.fetching(self._loader, lambda: next(self._batches))

    def __len__(self):
        return len(self._batches)

    def __getattr__(self, name):
        return getattr(self._batches, name)


def _at_loss_scaling(seen):
    """Heads that AMP has scaled are not the losses."""

    def install(amp, seconds):
        @contextmanager
        def scale(original, loss, trainer):
            with original(loss, trainer) as scaled:
                seen.scale = float(trainer._amp_loss_scaler.loss_scale)
                yield scaled
            seen.scale = 1.0

        _around(amp, "scale_loss", seen, scale)

    if "mxnet.contrib.amp" in sys.modules:
        install(sys.modules["mxnet.contrib.amp"], 0.0)
    else:
        imports.when("mxnet.contrib.amp", install)
