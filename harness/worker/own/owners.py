"""What holds the weights of a script: a ``gluon.Trainer``, a Module, a kvstore; each seen alike.

``arrays`` yields ``(name, trained, values, gradients)`` of each parameter, the last two lists with an array a context.
"""

import json

TINY = 1e-12
"""Added to probabilities, as `mx.metric.CrossEntropy` does."""


class Owner:
    """Base of all; ``loss_from`` says where losses come from, if not from what backward starts from."""

    loss_from = "not seen: nothing was given to backward"

    def losses(self, labels):
        """Those of a step's samples, ``[array]``, by its labels; empty where nobody can tell."""
        return []


class TrainerOwner(Owner):
    """``gluon.Trainer``, Horovod's too. Its parameters may be initialised late, and are left out until then."""

    def __init__(self, trainer):
        self.of = trainer

    @property
    def contexts(self):
        """The devices of the first parameter that has any."""
        known = [parameter.list_ctx() for parameter in self.of._params if parameter._data is not None]
        return known[0] if known else []

    def arrays(self):
        for parameter in self.of._params:
            if parameter._data is not None:
                gradients = parameter._grad or []
                yield parameter.name, parameter.grad_req != "null", _classic(parameter._data), _classic(gradients)

    def facts(self):
        """Names of what was recognised."""
        store, trainer = self.of._kvstore, self.of
        return {
            "trainer": "%s.%s" % (type(trainer).__module__, type(trainer).__name__),
            "optimizer": type(trainer._optimizer).__name__.lower(),
            "kvstore": "none" if store is None else store.type,
            "update_on_kvstore": str(bool(trainer._update_on_kvstore)).lower(),
        }


class ModuleOwner(Owner):
    """``mx.mod.Module``, or those that hold others: buckets share weights, and a sequence has each module's."""

    def __init__(self, module):
        self.of = module
        self._loss = None

    @property
    def contexts(self):
        return [context for module in _plain(self.of)[:1] for context in module._context]

    def arrays(self):
        for module in _plain(self.of):
            group = module._exec_group
            every = group.grad_arrays or [None] * len(group.param_names)  # bound again, to predict
            for name, values, gradients in zip(group.param_names, group.param_arrays, every):
                trained = bool(gradients) and gradients[0] is not None
                yield name, trained, list(values), list(gradients) if trained else []
            for name, values in zip(group.aux_names, group.aux_arrays):
                yield name, False, list(values), []

    @property
    def loss_from(self):
        """Only of MXNet's own outputs is one known."""
        words, _ = _LOSSES.get(self._output(), ("", None))
        return words or "not seen: its output is none of %s" % ", ".join(sorted(_LOSSES))

    def _output(self):
        """The operator of the only output; "" where there are several."""
        if not _plain(self.of):
            return ""
        nodes = json.loads(_plain(self.of)[-1]._symbol.tojson())
        heads = [nodes["nodes"][head[0]]["op"] for head in nodes["heads"]]
        return heads[0] if len(heads) == 1 else ""

    def losses(self, labels):
        """By what the output gives and its labels."""
        if self._loss is None:
            _, self._loss = _LOSSES.get(self._output(), ("", _unknown))
        (output, *more) = self.of.get_outputs()
        return [] if more else self._loss(output, labels[0].as_in_context(output.context) if labels else None)

    def facts(self):
        """Names of what was recognised."""
        words = {"trainer": "mxnet.module.%s" % type(self.of).__name__}
        if not _plain(self.of):
            return words
        module = _plain(self.of)[0]
        store = module._kvstore
        return {
            **words,
            "optimizer": type(module._optimizer).__name__.lower(),
            "kvstore": "none" if store is None else store.type,
            "update_on_kvstore": str(bool(module._update_on_kvstore)).lower(),
        }


class StoreOwner(Owner):
    """A kvstore that a script pushes to itself: weights are the servers', and nothing is known of them here."""

    contexts = ()

    def __init__(self, store):
        self.of = store

    def arrays(self):
        return iter(())

    def facts(self):
        """Names of what was recognised."""
        return {"trainer": "none: the script pushes and pulls itself", "kvstore": self.of.type}


def _cross_entropy(output, label):
    """Of the probabilities that a SoftmaxOutput gives to the labels."""
    if label is None or output.ndim != 2 or output.shape[0] != label.size:
        return []
    return [-(output.pick(label.reshape((-1,))) + TINY).log()]


def _of_each(formula):
    """The mean over a sample's outputs, where there are as many labels."""

    def losses(output, label):
        if label is None or output.size != label.size:
            return []
        return [formula(output, label.reshape(output.shape)).reshape((output.shape[0], -1)).mean(axis=1)]

    return losses


def _unknown(output, label):
    return []


_LOSSES = {
    "SoftmaxOutput": ("cross-entropy of its SoftmaxOutput", _cross_entropy),
    "LinearRegressionOutput": (
        "half the squared error of its LinearRegressionOutput",
        _of_each(lambda output, label: (output - label) ** 2 / 2),
    ),
    "MAERegressionOutput": (
        "absolute error of its MAERegressionOutput",
        _of_each(lambda output, label: (output - label).abs()),
    ),
    "LogisticRegressionOutput": (
        "cross-entropy of its LogisticRegressionOutput",
        _of_each(lambda output, label: -label * (output + TINY).log() - (1 - label) * (1 - output + TINY).log()),
    ),
    "MakeLoss": ("what its MakeLoss gives", lambda output, label: [output.reshape((output.shape[0], -1)).mean(axis=1)]),
}
"""What is known of an output of MXNet's: the loss whose gradient it gives, in words and by output and label."""


def _plain(module):
    """The modules that have executors: itself, that of the current bucket, or all of a sequence; none in Python's."""
    if hasattr(module, "_exec_group"):
        return [module]
    inner = getattr(module, "_modules", None) or [getattr(module, "_curr_module", None)]
    return [plain for each in inner if each is not None for plain in _plain(each)]


def _classic(arrays):
    """As ``mx.nd`` arrays, which ``mx.np`` ones share their memory with."""
    return [array.as_nd_ndarray() if hasattr(array, "as_nd_ndarray") else array for array in arrays]
