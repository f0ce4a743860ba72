"""Stands at the functions of MXNet through which training goes, and tells `Seen` of what passes.

Each is called as it would be, with the same arguments. What one of them calls of the others is its own business, and
passes untold.
"""

import functools
import sys
from contextlib import contextmanager

from . import imports
from .owners import ModuleOwner, StoreOwner, TrainerOwner
from .training import APART, WITHIN


def install(mx, seen):
    """Stand at all of them; ``mx`` is the package, just imported."""
    _at_gradients(mx, seen)
    _at_trainer(mx.gluon.Trainer, seen)
    _at_modules(mx.mod, seen)
    _at_stores(mx.kvstore.KVStore, seen)
    _at_data(mx, seen)
    _at_saving(mx, seen)
    _at_loss_scaling(seen)
    _at_changes(mx, seen)


def _goes(*arguments, **named):
    """The function is called."""
    return True


def _as_it_is(result, *arguments, **named):
    """What it returned is returned."""
    return result


def _nothing_more():
    """What failed has failed."""


def _around(holder, name, seen, before=_goes, after=_as_it_is, failed=_nothing_more, most=0):
    """Stand at a function, where there is one of its own.

    ``before(*arguments)`` says whether it is called; ``after(result, *arguments)`` returns what it returned, or other;
    ``failed()`` hears that it raised. ``most``: how deaf a thread may be that is heard.
    """
    original = vars(holder).get(name)
    if original is None:
        return
    within = seen.within

    def hooked(*arguments, **named):
        if within.deaf > most or not seen.listens:
            return original(*arguments, **named) if named else original(*arguments)
        if not (before(*arguments, **named) if named else before(*arguments)):  # an empty ** takes as long as the call
            return None
        apart, within.deaf = within.deaf, WITHIN
        try:
            result = original(*arguments, **named) if named else original(*arguments)
        except BaseException:
            if not apart:
                failed()
            raise
        finally:
            within.deaf = apart
        if apart or not seen.listens:
            return result
        return after(result, *arguments, **named) if named else after(result, *arguments)

    setattr(holder, name, functools.wraps(original)(hooked))


def _at_gradients(mx, seen):
    def backward(heads, head_grads=None, retain_graph=False, *arguments, **named):
        return seen.goes_back(_listed(heads), None if head_grads is None else _listed(head_grads), retain_graph)

    def own_backward(head, out_grad=None, retain_graph=False, *arguments, **named):
        return seen.goes_back([head], [out_grad], retain_graph)

    _around(mx.autograd, "backward", seen, backward)
    _around(mx.nd.NDArray, "backward", seen, own_backward)
    if hasattr(mx, "np"):
        _around(mx.np.ndarray, "backward", seen, own_backward)


def _listed(value):
    """Heads as a list; none of what can be gone through only once."""
    if isinstance(value, (list, tuple)):
        return value
    if hasattr(value, "handle"):
        return [value]
    return list(value) if hasattr(value, "__len__") else []


def _at_trainer(trainer, seen):
    updates = functools.partial(seen.updates, TrainerOwner)
    stepped = functools.partial(seen.updated, "Trainer.step")
    updated = functools.partial(seen.updated, "Trainer.allreduce_grads and Trainer.update")

    def shares(self):
        return seen.shares(TrainerOwner, self)

    def by_parts(result, self, *arguments, **named):
        return seen.updated("%s.step" % type(self).__name__, result, self)

    _around(trainer, "step", seen, updates, stepped, seen.failed, APART)
    _around(trainer, "allreduce_grads", seen, shares, failed=seen.failed)
    _around(trainer, "update", seen, updates, updated, seen.failed, APART)
    # those of a kind of the script's own, whose ``step`` is another
    _around(trainer, "_allreduce_grads", seen, shares, failed=seen.failed)
    _around(trainer, "_update", seen, updates, by_parts, seen.failed, APART)


def _at_modules(modules, seen):
    def forward(self, data_batch, is_train=None):
        trains = self.for_training if is_train is None else is_train
        return seen.passes(data_batch) if trains else True

    def backward(self, *arguments, **named):
        return seen.goes_back([], module=self)

    updates = functools.partial(seen.updates, ModuleOwner)

    def updated(result, self):
        return seen.updated("%s.update" % type(self).__name__, result, self)

    for name in ("Module", "BucketingModule", "SequentialModule"):
        kind = getattr(modules, name)
        _around(kind, "forward", seen, forward)
        _around(kind, "backward", seen, backward)
        _around(kind, "update", seen, updates, updated, seen.failed, APART)


def _at_stores(store, seen):
    """A script without a trainer takes a step whenever it pushes the key again that it pushed first."""

    def pushes(self, key, *arguments, **named):
        return seen.pushes(StoreOwner, self, key)

    _around(store, "push", seen, pushes)
    _around(store, "pushpull", seen, pushes)


def _at_data(mx, seen):
    """Batches are fetched by ``for`` or ``next(iterator)``, or by a script that calls ``iterator.next()`` itself."""

    def begun(batches, loader):
        seen.begins(loader)
        return Iteration(loader, batches, seen)

    def fetches(iterator, *arguments, **named):
        return seen.fetches()

    def fetched(batch, iterator, *arguments, **named):
        return seen.fetched(batch, iterator)

    def begins(iterator, *arguments, **named):
        return seen.begins(iterator)

    def of_the_scripts_own(kind, **named):
        super(mx.io.DataIter, kind).__init_subclass__(**named)
        stand_at(kind)

    def stand_at(kind):
        _around(kind, "__next__", seen, fetches, fetched)
        _around_unless_mxnet_calls(kind, "next", seen, fetches, fetched)
        _around(kind, "reset", seen, begins)

    _around(mx.gluon.data.DataLoader, "__iter__", seen, after=begun)
    for kind in _with_subclasses(mx.io.DataIter):
        stand_at(kind)
    mx.io.DataIter.__init_subclass__ = classmethod(of_the_scripts_own)


def _with_subclasses(kind):
    """All kinds of it that there are, each once."""
    kinds = [kind]
    for each in kinds:
        kinds.extend(other for other in each.__subclasses__() if other not in kinds)
    return kinds


def _around_unless_mxnet_calls(holder, name, seen, before, after):
    """Stand at a function that MXNet itself calls too, in threads of its own (`io.PrefetchingIter`)."""
    original = vars(holder).get(name)
    _around(holder, name, seen, before, after)
    told = vars(holder).get(name)
    if original is None:
        return

    @functools.wraps(original)
    def hooked(*arguments, **named):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        return (original if caller.startswith("mxnet.") else told)(*arguments, **named)

    setattr(holder, name, hooked)


class Iteration:
    """One pass over a DataLoader, each batch of which is told of."""

    def __init__(self, loader, batches, seen):
        self._loader, self._batches, self._seen, self._within = loader, batches, seen, seen.within

    def __iter__(self):
        return self

    def __next__(self):
        seen, within = self._seen, self._within
        if within.deaf or not seen.listens:
            return next(self._batches)
        seen.fetches()
        within.deaf = WITHIN
        try:
            batch = next(self._batches)
        finally:
            within.deaf = False
        return seen.fetched(batch, self._loader) if seen.listens else batch

    def __len__(self):
        return len(self._batches)

    def __bool__(self):
        return bool(self._batches)

    def __getattr__(self, name):
        return getattr(self._batches, name)


def _at_changes(mx, seen):
    """A script may change a loss in place before anybody has read it, as where it sums them up."""
    for kind in [mx.nd.NDArray] + ([mx.np.ndarray] if hasattr(mx, "np") else []):
        for name in ("__iadd__", "__isub__", "__imul__", "__idiv__", "__itruediv__", "__imod__", "__setitem__"):
            _before_change(kind, name, seen)


def _before_change(kind, name, seen):
    original = vars(kind).get(name)
    if original is None:
        return

    @functools.wraps(original)
    def changed(array, *arguments):
        if id(array) in seen.kept:
            seen.changes(array)
        return original(array, *arguments)

    setattr(kind, name, changed)


def _at_saving(mx, seen):
    """Parameters go to files by these, whoever saves them."""
    _at_save(mx.nd, "save", "fname", seen)
    for name in ("save", "savez") if hasattr(mx, "npx") else ():
        _at_save(mx.npx, name, "file", seen)


def _at_save(holder, name, file, seen):
    save = vars(holder).get(name)

    def saves(*arguments, **named):
        if arguments:
            return seen.saves(arguments[0], lambda place: save(place, *arguments[1:], **named))
        return seen.saves(named[file], lambda place: save(**{**named, file: place}))

    _around(holder, name, seen, saves)


def _at_loss_scaling(seen):
    """Heads that AMP has scaled are not the losses."""

    def install_there(amp, seconds):
        original = amp.scale_loss

        @functools.wraps(original)
        @contextmanager
        def scale_loss(loss, optimizer_or_trainer):
            with original(loss, optimizer_or_trainer) as scaled:
                seen.scale = float(optimizer_or_trainer._amp_loss_scaler.loss_scale)
                seen.scaled = _listed(scaled), seen.scale
                try:
                    yield scaled
                finally:
                    seen.scale = 1.0

        amp.scale_loss = scale_loss

    if "mxnet.contrib.amp" in sys.modules:
        install_there(sys.modules["mxnet.contrib.amp"], 0.0)
    else:
        imports.when("mxnet.contrib.amp", install_there)
