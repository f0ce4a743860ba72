"""Three networks, each trained in a thread of its own, step by step at the same time."""

import threading

import mxnet as mx
from mxnet import autograd, gluon

together = threading.Barrier(3)


def train():
    net = gluon.nn.Dense(1)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd")
    for _ in range(30):
        together.wait()
        with autograd.record():
            loss = net(mx.nd.ones((4, 3))).sum()
        loss.backward()
        trainer.step(4)


threads = [threading.Thread(target=train) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
