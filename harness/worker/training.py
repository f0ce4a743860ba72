"""The real training loop: a Gluon block, a Trainer, batches; nothing in it knows about faults."""

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

from . import models
from .batches import CLASSES, Batches


class Training:
    """Everything one worker trains with, built from its job; ``step`` is one step of plain Gluon code."""

    def __init__(self, job, rank):
        if job.amp is not None:
            _switch_on_amp(job.amp.dtype)
        mx.random.seed(job.seed)
        np.random.seed(job.seed)
        model = models.find(job.model)
        self.net = model.build(CLASSES)
        self.net.initialize(mx.init.Xavier())
        if job.hybridize is not None:
            self.net.hybridize(static_alloc=job.hybridize.static_alloc, static_shape=job.hybridize.static_shape)
        self.kvstore = mx.kv.create(job.kvstore) if job.kvstore != "none" else None
        self._batches = Batches(job.dataset, model.input, job.batch_size, job.sizes, job.seed, rank, job.workers)
        self._trainer = gluon.Trainer(
            self.net.collect_params(), job.optimizer.name, _optimizer_arguments(job.optimizer), kvstore=self.kvstore
        )
        self._loss = gluon.loss.SoftmaxCrossEntropyLoss()
        self._samples = job.batch_size * job.workers

    def step(self, step):
        """Issue one step; returns the loss of each sample, not yet computed."""
        data, labels = self._batches(step)
        data, labels = mx.nd.array(data), mx.nd.array(labels)
        with autograd.record():
            loss = self._loss(self.net(data), labels)
        loss.backward()
        self._trainer.step(self._samples)
        return loss.detach()  # without its graph, which would keep the arrays of every step alive

    def parameters(self):
        """Names and values, trained ones first: ``(trained, fixed)`` lists of ``(name, array)``."""
        trained, fixed = [], []
        for name, parameter in self.net.collect_params().items():
            (fixed if parameter.grad_req == "null" else trained).append((name, parameter.data()))
        return trained, fixed


def _switch_on_amp(dtype):
    from mxnet.contrib import amp

    try:
        amp.init(target_dtype=dtype)
    except (AssertionError, ValueError, mx.MXNetError) as error:
        raise SystemExit("amp %s is not available in mxnet %s: %s" % (dtype, mx.__version__, error)) from error


def _optimizer_arguments(optimizer):
    return {key: value for key, value in vars(optimizer).items() if key != "name" and value is not None}
