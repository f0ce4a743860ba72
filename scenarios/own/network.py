"""A network of one's own, with its loss and its data: the mean of a sequence, found by a teacher that is not told."""

import numpy as np
from mxnet import gluon

SIZE = 24
FEATURES = 8


class Mean(gluon.HybridBlock):
    """(batch, length, features) to (batch, features)."""

    def hybrid_forward(self, F, x):
        return F.mean(x, axis=1)


def build():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(64, flatten=False, activation="relu"), Mean(), gluon.nn.Dense(1))
    return net


loss = gluon.loss.L2Loss()


def batches(step, batch_size, size, seed, rank, workers):
    """The same for the same step: a run that is resumed or repeated sees the same data."""
    random = np.random.RandomState((seed, step, rank))
    data = random.normal(size=(batch_size, size, FEATURES)).astype("float32")
    teacher = np.linspace(-1, 1, FEATURES, dtype="float32")
    return data, np.maximum(data @ teacher, 0).mean(axis=1, keepdims=True)
