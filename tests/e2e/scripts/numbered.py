"""Says which rank its kvstore gives it, and what it sees of the port by which that is decided."""

import os

import mxnet as mx
from mxnet import autograd, gluon

store = mx.kv.create("dist_sync")
print("RANK", store.rank, os.environ.get("PORT"), flush=True)
net = gluon.nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), "sgd", kvstore=store)
for _ in range(10):
    with autograd.record():
        loss = net(mx.nd.ones((4, 3))).sum(axis=1)
    loss.backward()
    trainer.step(4)
