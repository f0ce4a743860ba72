"""Two ranks of Horovod, each with data of its own; every rank writes its weights."""

import sys

import horovod.mxnet as hvd
import mxnet as mx
import numpy as np

hvd.init()
mx.random.seed(4)
random = np.random.RandomState(hvd.rank())
net = mx.gluon.nn.HybridSequential()
net.add(mx.gluon.nn.Dense(32, activation="relu", in_units=16), mx.gluon.nn.Dense(4, in_units=32))
net.initialize(mx.init.Xavier())
hvd.broadcast_parameters(net.collect_params(), root_rank=0)
trainer = hvd.DistributedTrainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
for _ in range(200):
    data, label = random.normal(size=(8, 16)).astype("float32"), random.randint(0, 4, size=8)
    with mx.autograd.record():
        loss = loss_of(net(mx.nd.array(data)), mx.nd.array(label))
    loss.backward()
    trainer.step(8)
net.save_parameters(f"{sys.argv[1]}-{hvd.rank()}.params")
