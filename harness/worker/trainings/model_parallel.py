"""Model parallelism: the network as a symbol, its blocks laid over several contexts by ``group2ctx``."""

import mxnet as mx

from .. import models
from ..contexts import contexts
from ..updates import optimizer_arguments
from . import batches, outputs, seed


class Training:
    """One copy of a network, its stages on different contexts.

    MXNet copies activations and gradients from context to context (`src/executor/graph_executor.cc`); the optimizer
    updates each weight where it is.
    """

    def __init__(self, job, rank, report):
        seed(job)
        model = models.find(job.model, vars(job.model_args))
        self.contexts = contexts(job)[:1]
        self.batches = batches(job, model, rank)
        self.rank = rank
        net, (data, labels) = model.build(outputs(model)), self.batches(0)
        symbol = _staged(net, len(job.contexts))
        groups = {_group(stage): context for stage, context in enumerate(contexts(job))}
        self._executor = symbol.simple_bind(
            self.contexts[0], grad_req=_grad_req(symbol), group2ctx=groups, data=data.shape, label=labels.shape
        )
        self._trained = [name for name in symbol.list_arguments() if name not in ("data", "label")]
        self._initialize(net, data)
        arguments = dict(optimizer_arguments(job.optimizer), rescale_grad=1.0 / job.batch_size)
        self._updater = mx.optimizer.get_updater(mx.optimizer.create(job.optimizer.name, **arguments))

    def _initialize(self, net, data):
        """Give each weight the value that it has in data parallel training with the same seed."""
        net.initialize(mx.init.Xavier())
        net(mx.nd.array(data))  # late shapes become known
        for name, parameter in net.collect_params().items():
            parameter.data().copyto(self._executor.arg_dict[name])

    def compute(self, step):
        """Issue forward and backward of one step; returns the losses of its samples in one array."""
        data, labels = self.batches(step)
        outputs = self._executor.forward(is_train=True, data=data, label=labels)
        self._executor.backward()
        return [outputs[0].copy()]

    def update(self):
        """Issue the update of one step, weight by weight."""
        for key, name in enumerate(self._trained):
            self._updater(key, self._executor.grad_dict[name], self._executor.arg_dict[name])

    def gradients(self):
        """Names and gradients: ``(name, [array])``."""
        return [(name, [self._executor.grad_dict[name]]) for name in self._trained]

    def optimizer_states(self):
        """What the optimizer holds, as bytes, and why not."""
        return self._updater.get_states(), ""

    def load(self, arrays, optimizer):
        """Set every parameter and what the optimizer holds."""
        for name in self._trained:
            self._executor.arg_dict[name][:] = arrays[name]
        self._updater.set_states(optimizer)

    def parameters(self, context):
        """Names and values: ``(trained, fixed)`` lists of ``(name, array)``."""
        return [(name, self._executor.arg_dict[name]) for name in self._trained], []


def _staged(net, stages):
    """The symbol of the loss, each block of the sequence in the group of its stage."""
    values = mx.sym.var("data")
    blocks = list(net._children.values())
    for number, block in enumerate(blocks):
        with mx.AttrScope(ctx_group=_group(number * stages // len(blocks))):
            values = block(values)
    with mx.AttrScope(ctx_group=_group(stages - 1)):
        loss = mx.gluon.loss.SoftmaxCrossEntropyLoss()(values, mx.sym.var("label"))
        return mx.sym.MakeLoss(loss)


def _group(stage):
    return "stage%d" % stage


def _grad_req(symbol):
    return {name: "null" if name in ("data", "label") else "write" for name in symbol.list_arguments()}
