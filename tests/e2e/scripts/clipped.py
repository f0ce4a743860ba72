"""numpy front end, gradients clipped between allreduce_grads and update, trained in a function that is called twice."""

import sys

import mxnet as mx
from mxnet import autograd, gluon, np, npx

npx.set_np()
mx.random.seed(1)


def train(seed):
    net = gluon.nn.Dense(3)
    net.initialize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}, update_on_kvstore=False)
    for _ in range(15):
        data = np.random.uniform(size=(8, 5))
        with autograd.record():
            loss = ((net(data) - seed) ** 2).mean()
        loss.backward()
        trainer.allreduce_grads()
        for each in net.collect_params().values():
            each.grad()[:] = np.clip(each.grad(), -0.1, 0.1)
        trainer.update(1)
    return net


train(1.0)
npx.save(sys.argv[1], train(2.0).weight.data())
