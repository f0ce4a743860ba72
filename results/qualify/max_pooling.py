"""How many windows of max pooling send their gradient elsewhere than to their maximum, of 72 (`whole`: of 144)."""

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

BASE = mx.nd.array(np.random.RandomState(1).standard_normal((4, 4, 6, 6)))


def astray(x, gradient):
    x, gradient = (
        each.asnumpy().reshape(-1, 3, 2, 3, 2).transpose(0, 1, 3, 2, 4).reshape(-1, 4) for each in (x, gradient)
    )
    return int((x.argmax(1) != gradient.argmax(1)).sum())


def pooled(x, train=True, rows=None):
    x.attach_grad()
    with autograd.record(train_mode=train):
        found = gluon.nn.MaxPool2D()(x if rows is None else x[rows])
    found.backward()
    return astray(x[rows or slice(None)], x.grad[rows or slice(None)])


rows = slice(1, 3)
told = {"whole": pooled(BASE.copy()), "a slice": pooled(BASE[rows]), "its copy": pooled(BASE[rows].copy())}
told.update({"sliced in the network": pooled(BASE.copy(), rows=rows), "whole, inference": pooled(BASE.copy(), False)})
print(mx.__version__, told)
