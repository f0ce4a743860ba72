"""A Gluon block with its loss, softmax unless it brings one: the real training loop."""

import os

import mxnet as mx
from mxnet import autograd, gluon

from .. import models, updates
from ..contexts import contexts
from ..failures import RefusedError, WrongAnswerError
from . import batches, outputs, seed


class Training:
    """Everything one worker trains with, built from its job. A step is ``compute`` and ``update``, plain Gluon code."""

    def __init__(self, job, rank, report):
        if job.amp is not None:
            _switch_on_amp(job.amp)
        seed(job)
        model = models.find(job.model, vars(job.model_args))
        self.contexts = contexts(job)
        self.net = model.build(outputs(model))
        if not isinstance(self.net, gluon.Block):
            asked, kind = os.path.basename(job.model), type(self.net).__name__
            raise WrongAnswerError("%s returned a %s; it must return a block" % (asked, kind), model.build)
        self.net.initialize(mx.init.Xavier(), ctx=self.contexts)
        if job.hybridize is not None:
            self.net.hybridize(static_alloc=job.hybridize.static_alloc, static_shape=job.hybridize.static_shape)
        self.batches = batches(job, model, rank)
        self._update = updates.find(job, self.net.collect_params())
        if job.amp is not None and job.amp.loss_scaling:
            self._update.watch_scale(lambda scale: report("overflowed", step=self._step, scale=scale))
        self._step = 0
        self._batch_sizes, self._share = job.batch_sizes, 1.0
        self._batch_size = job.batch_size
        self._loss = model.loss or gluon.loss.SoftmaxCrossEntropyLoss()
        self._metric, self._checked = model.metric or _right, model.loss is None
        self.rank = self._update.rank

    def compute(self, step):
        """Issue forward and backward of one step; returns the losses of its samples, an array a context."""
        self._step = step
        arrays = self.batches(step)
        if self._batch_sizes:  # as planned, for all ranks alike: a fault may give one of them more
            self._share = self._batch_sizes[step % len(self._batch_sizes)] / self._batch_size
        data, labels = (gluon.utils.split_and_load(array, self.contexts) for array in arrays)
        with autograd.record():
            losses = [self._loss(self.net(part), label) for part, label in zip(data, labels)]
            self._checked = self._checked or self._require_one_a_sample(losses, data)
            scaled = self._update.scaled(losses)
        autograd.backward(scaled)
        return [loss.detach() for loss in losses]  # without their graph, which would keep every step's arrays alive

    def update(self):
        """Issue the update of one step."""
        self._update.apply(self._share)

    def right(self, data, labels):
        """How many samples the network knows now."""
        found = float(self._metric(self.net(mx.nd.array(data, ctx=self.contexts[0])), labels))
        if not (0 <= found <= labels.size and found == int(found)):
            words = "metric returned %r; it must count the right ones of %d" % (found, labels.size)
            raise WrongAnswerError(words, self._metric)
        return int(found)

    def _require_one_a_sample(self, losses, data):
        """The trainer divides their sum by the samples; a mean, which would be divided twice, ends the worker.

        Returns whether any of them can tell.
        """
        for loss, part in zip(losses, data):
            if not isinstance(loss, mx.nd.NDArray):
                words = "loss returned a %s; it must return an array with a number for each sample"
                raise WrongAnswerError(words % type(loss).__name__, self._loss)
            if loss.size == 1 < len(part):
                words = "loss returned one number for %d samples; it must return one for each" % len(part)
                raise WrongAnswerError(words, self._loss)
        return any(len(part) > 1 for part in data)

    @property
    def scale(self):
        """By which gradients are larger than the loss's."""
        return getattr(self._update, "scale", 1.0)

    def gradients(self):
        """Names and gradients of trained parameters: ``(name, [array, …])``, an array a context."""
        parameters = self.net.collect_params().items()
        return [(name, parameter.list_grad()) for name, parameter in parameters if parameter.grad_req != "null"]

    def optimizer_states(self):
        """What the optimizer holds, as bytes (None where it cannot be had), and why not."""
        return self._update.states()

    def load(self, arrays, optimizer):
        """Set every parameter, on all contexts, and what the optimizer holds, if that is known."""
        for part in gluon.utils.split_and_load(self.batches(0)[0], self.contexts):
            self.net(part)  # late shapes become known
        for name, parameter in self.net.collect_params().items():
            parameter.set_data(mx.nd.array(arrays[name]))
        self._update.load_states(optimizer)

    def parameters(self, context):
        """Names and values on one context, trained ones first: ``(trained, fixed)`` lists of ``(name, array)``."""
        trained, fixed = [], []
        for name, parameter in self.net.collect_params().items():
            (fixed if parameter.grad_req == "null" else trained).append((name, parameter.data(context)))
        return trained, fixed


def _right(outputs, labels):
    found = outputs.astype("float32").asnumpy().argmax(axis=-1)  # numpy cannot order bfloat16
    return (found == labels).sum()


def _switch_on_amp(asked):
    from mxnet.contrib import amp

    names = ("target_precision_ops", "fp32_ops", "conditional_fp32_ops")
    lists = {name: getattr(asked, name) for name in names if getattr(asked, name) is not None}
    try:
        amp.init(target_dtype=asked.dtype, **lists)
    except (AssertionError, AttributeError, TypeError, ValueError, mx.MXNetError) as error:
        why = "amp %s with %s" % (asked.dtype, ", ".join(lists)) if lists else "amp %s" % asked.dtype
        raise RefusedError("%s is not available in mxnet %s: %s" % (why, mx.__version__, error)) from error
