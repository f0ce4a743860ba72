"""A step to warm up, then a training of its own in another thread, for which the first one waits."""

import threading

import mxnet as mx
from mxnet import autograd, gluon


def train(steps):
    net = gluon.nn.Dense(1)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(steps):
        with autograd.record():
            loss = net(mx.nd.ones((4, 3))).sum()
        loss.backward()
        trainer.step(4)


train(3)
thread = threading.Thread(target=train, args=(60,))
thread.start()
thread.join()
