"""Model parallelism: the network as a symbol, its blocks laid over several contexts by ``group2ctx``."""

import mxnet as mx

from . import models
from .batches import CLASSES
from .training import batches, contexts, seed
from .updates import optimizer_arguments


class StagedTraining:
    """The same as `Training` for one copy of a network whose stages are on different contexts.

    MXNet copies activations and gradients from context to context (`src/executor/graph_executor.cc`); the optimizer
    updates each weight where it is.
    """

    def __init__(self, job, rank):
        seed(job)
        model = models.find(job.model)
        self.contexts = contexts(job)[:1]
        self._batches = batches(job, model, rank)
        self.rank = rank
        symbol, initial = _staged(model.build(CLASSES), len(job.contexts))
        groups = {_group(stage): context for stage, context in enumerate(contexts(job))}
        data, labels = self._batches(0)
        self._executor = symbol.simple_bind(
            self.contexts[0], grad_req=_grad_req(symbol), group2ctx=groups, data=data.shape, label=labels.shape
        )
        self._trained = [name for name in symbol.list_arguments() if name not in ("data", "label")]
        self._initialize(initial)
        arguments = dict(optimizer_arguments(job.optimizer), rescale_grad=1.0 / job.batch_size)
        self._updater = mx.optimizer.get_updater(mx.optimizer.create(job.optimizer.name, **arguments))

    def _initialize(self, initial):
        for name in self._trained:
            description = mx.init.InitDesc(name, initial.get(name, {}))
            mx.init.Xavier()(description, self._executor.arg_dict[name])

    def compute(self, step):
        """Issue forward and backward of one step; returns the losses of its samples in one array."""
        data, labels = self._batches(step)
        outputs = self._executor.forward(is_train=True, data=data, label=labels)
        self._executor.backward()
        return [outputs[0].copy()]

    def update(self):
        """Issue the update of one step, weight by weight."""
        for key, name in enumerate(self._trained):
            self._updater(key, self._executor.grad_dict[name], self._executor.arg_dict[name])

    def parameters(self, context):
        """Names and values: ``(trained, fixed)`` lists of ``(name, array)``."""
        return [(name, self._executor.arg_dict[name]) for name in self._trained], []


def _staged(net, stages):
    """The symbol of the loss, each block of the sequence in the group of its stage; and the parameters' attributes."""
    values = mx.sym.var("data")
    blocks = list(net._children.values())
    for number, block in enumerate(blocks):
        with mx.AttrScope(ctx_group=_group(number * stages // len(blocks))):
            values = block(values)
    with mx.AttrScope(ctx_group=_group(stages - 1)):
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(values, mx.sym.var("label"))
        loss = mx.sym.MakeLoss(loss)
    return loss, loss.attr_dict()


def _group(stage):
    return "stage%d" % stage


def _grad_req(symbol):
    return {name: "null" if name in ("data", "label") else "write" for name in symbol.list_arguments()}
