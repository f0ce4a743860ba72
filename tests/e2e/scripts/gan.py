"""Two trainers by turns, on data that no loader brings; weights of both are saved to the file that is named."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

mx.random.seed(1)
np.random.seed(1)
maker, critic = gluon.nn.Dense(4, in_units=2), gluon.nn.Dense(1, in_units=4)
for net in (maker, critic):
    net.initialize(mx.init.Xavier())
makers = gluon.Trainer(maker.collect_params(), "adam", {"learning_rate": 0.01})
critics = gluon.Trainer(critic.collect_params(), "adam", {"learning_rate": 0.01})
loss_of = gluon.loss.SigmoidBinaryCrossEntropyLoss()
ones, zeros = mx.nd.ones((16,)), mx.nd.zeros((16,))
for _ in range(30):
    real = mx.nd.array(np.random.normal(size=(16, 4)))
    noise = mx.nd.array(np.random.normal(size=(16, 2)))
    with autograd.record():
        loss = loss_of(critic(real), ones) + loss_of(critic(maker(noise).detach()), zeros)
    loss.backward()
    critics.step(16)
    with autograd.record():
        loss = loss_of(critic(maker(noise)), ones)
    loss.backward()
    makers.step(16)
mx.nd.save(sys.argv[1], [maker.weight.data(), critic.weight.data()])
