"""Trains in the way that its argument says, and prints the loss of each step: ``LOSS step value``."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

HOW = sys.argv[1]
random = np.random.RandomState(3)
mx.random.seed(3)
DATA = random.uniform(-1, 1, (256, 8)).astype("float32")
LABELS = DATA.dot(random.normal(size=(8, 3))).argmax(axis=1).astype("float32")
LOADER = gluon.data.DataLoader(gluon.data.ArrayDataset(DATA, LABELS), 32)
NET = gluon.nn.Dense(3, in_units=8)
LOSS = gluon.loss.SoftmaxCrossEntropyLoss()


class OwnStep(gluon.Trainer):
    """Does by itself what the base does."""

    def step(self, batch_size, ignore_stale_grad=False):
        self._optimizer.rescale_grad = self._scale / batch_size
        self._allreduce_grads()
        self._update(ignore_stale_grad)


def forward(data, label):
    with autograd.record():
        return LOSS(NET(data), label)


def computed(data, label):
    """Gradients, in some way; the loss of each sample."""
    if HOW == "twice":  # on samples that were made worse first, whose gradients are replaced
        data.attach_grad()
        forward(data, label).backward()
        data = data + 0.5 * data.grad.sign()
    if HOW == "large":
        with autograd.record():
            loss = (NET(data).expand_dims(2) * mx.nd.full((1, 1, 3000), 0.01)).square()
        loss.backward()
        return loss.mean()
    loss = forward(data, label)
    told = loss.copy()
    if HOW == "values":
        autograd.backward({"only": loss}.values())
    else:
        loss.backward()
    if HOW == "in_place":
        loss *= 100
    return told


def main():
    NET.initialize()
    kind = OwnStep if HOW == "own_step" else gluon.Trainer
    step, trainer = 0, kind(NET.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        if HOW == "anew":
            trainer = kind(NET.collect_params(), "sgd", {"learning_rate": 0.1})
        batches = iter(LOADER)
        for _ in range(1 if HOW == "anew" else len(LOADER)):
            loss = computed(*next(batches if batches else iter(LOADER)))
            trainer.step(32)
            print("LOSS", step, float(loss.mean().asscalar()), flush=True)
            step += 1
    correct = sum(int((NET(data).argmax(axis=1) == label).sum().asscalar()) for data, label in LOADER)
    print("right:", correct)


main()
