# gluon.loss.KLDivLoss, ; draw(4, 5), mx.nd.softmax(draw(4, 5, seed=1)): other values; output 0: -0.564627 is
# -2.82313, at 0
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
loss = mx.gluon.loss.KLDivLoss()
x = draw(4, 5)
x.attach_grad()
with autograd.record():
    found = loss(x, mx.nd.softmax(draw(4, 5, seed=1)))
found.backward()
outputs = [found, x.grad]
print(*outputs, sep='\n')
