"""What holds the weights of a script: a ``gluon.Trainer``, a Module, a kvstore; each seen alike.

``arrays`` yields ``(name, trained, values, gradients)`` of each parameter, the last two lists with an array a context.
"""

import json

from ..late_loss import TINY, NegativeLog
from ..loss_scale import loss_scale


class Owner:
    """Base of all; ``loss_from`` says where losses come from, if not from what backward starts from."""

    loss_from = "not seen: nothing was given to backward"
    scale = 1.0
    adds = True
    """Whether gradients of several calls of backward may be added, as far as is known."""

    def shares(self, other):
        """Whether another holder has the same parameters."""
        return False

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

    @property
    def scale(self):
        """By which AMP has multiplied the loss, and with it all gradients, unless the script has divided them again."""
        return loss_scale(self.of)

    def shares(self, other):
        return set(map(id, self.of._params)) == set(map(id, getattr(other, "_params", ())))

    @property
    def adds(self):
        return any(parameter.grad_req == "add" for parameter in self.of._params)

    def arrays(self):
        """Without row_sparse ones of a job: of these a worker has the rows that it pulled last."""
        store = self.of._kvstore
        in_job = store is not None and "dist" in store.type
        for parameter in self.of._params:
            if parameter._data is not None and not (in_job and parameter._stype == "row_sparse"):
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
        self._loss = self._head = None

    @property
    def adds(self):
        return any("add" in module._exec_group.grad_req.values() for module in _plain(self.of))

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
        words, _ = _LOSSES.get(self._output().kind, ("", None))
        return words or "not seen: its output is none of %s" % ", ".join(sorted(_LOSSES))

    def _output(self):
        """The only output; one of no kind where there are several."""
        if not _plain(self.of):
            return _NO_OUTPUT
        nodes = json.loads(_plain(self.of)[-1]._symbol.tojson())
        heads = [nodes["nodes"][head[0]] for head in nodes["heads"]]
        return _Output(heads[0], nodes["nodes"]) if len(heads) == 1 else _NO_OUTPUT

    def losses(self, labels):
        """By what the output gives and its labels."""
        if self._loss is None:
            self._head = self._output()
            _, self._loss = _LOSSES.get(self._head.kind, ("", _unknown))
        (output, *more) = self.of.get_outputs()
        return [] if more else self._loss(output, self._label(labels, output.context), self._head.ignored)

    def _label(self, labels, context):
        """Of several, the output's own: batches have them in the order in which the module was bound."""
        names = [each[0] for each in _plain(self.of)[-1]._label_shapes or ()]
        if not labels or len(labels) != len(names) or self._head.label not in names:
            return None
        return labels[names.index(self._head.label)].as_in_context(context)

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


class _Output:
    """A node of a symbol that gives an output: its operator, the label that it takes, and which value is ignored."""

    def __init__(self, node, nodes):
        self.kind, told = node["op"], node.get("attrs", {})
        label = nodes[node["inputs"][1][0]] if len(node["inputs"]) > 1 else {"name": "", "op": "null"}
        while label["op"] in ("Reshape", "reshape", "Flatten", "identity", "BlockGrad"):
            label = nodes[label["inputs"][0][0]]
        self.label = label["name"] if label["op"] == "null" else ""
        ignores = told.get("use_ignore", "False").lower() in ("true", "1")
        self.ignored = float(told.get("ignore_label", -1)) if ignores else None


_NO_OUTPUT = _Output({"op": "", "inputs": []}, [])


def _cross_entropy(output, label, ignored):
    """Of the probabilities that a SoftmaxOutput gives to the labels, without those that it ignores."""
    shape, told = output.shape, () if label is None else label.shape
    if len(shape) != 2 or not told or shape[0] != (told[0] if len(told) == 1 else label.size):
        return []
    label = label if len(told) == 1 else label.reshape((-1,))
    if ignored is None:
        return [NegativeLog(output.pick(label))]
    losses = -(output.pick(label) + TINY).log()
    counts = (label != ignored).astype(losses.dtype)
    return [(losses * counts).sum() / counts.sum().clip(1, counts.size)]


def _of_each(formula):
    """The mean over a sample's outputs, where there are as many labels."""

    def losses(output, label, ignored):
        if label is None or output.size != label.size:
            return []
        return [formula(output, label.reshape(output.shape)).reshape((output.shape[0], -1)).mean(axis=1)]

    return losses


def _unknown(output, label, ignored):
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
    "MakeLoss": ("what its MakeLoss gives", lambda output, *_: [output.reshape((output.shape[0], -1)).mean(axis=1)]),
}
"""What is known of an output of MXNet's: the loss whose gradient it gives, in words and by output and label."""


def _plain(module):
    """The modules that have executors: itself, that of the current bucket, or all of a sequence; none in Python's."""
    if hasattr(module, "_exec_group"):
        return [module] if module._exec_group is not None else []
    inner = getattr(module, "_modules", None) or [getattr(module, "_curr_module", None)]
    return [plain for each in inner if each is not None for plain in _plain(each)]


def _classic(arrays):
    """As ``mx.nd`` arrays, which ``mx.np`` ones share their memory with."""
    return [array.as_nd_ndarray() if hasattr(array, "as_nd_ndarray") else array for array in arrays]
