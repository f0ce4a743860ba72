# gluon.nn.GlobalMaxPool1D, ; draw(2, 3, 8) inference: other values; output 1: 1 is 0, at 3; others each time, in 6
# passes and 8 calls by itself
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
net = mx.gluon.nn.GlobalMaxPool1D()
net.initialize()
x = draw(2, 3, 8)
net(x)
for number, parameter in enumerate(net.collect_params().values()):
    parameter.set_data(mx.nd.abs(draw(*parameter.shape, seed=number)) * 0.1)
x.attach_grad()
with autograd.record(train_mode=False):
    found = net(x)
outputs = list(found) if isinstance(found, (list, tuple)) else [found]
autograd.backward(outputs[:1])
outputs += [x.grad, *[each.grad() for each in net.collect_params().values() if each.grad_req != "null"]]
print(*outputs, sep='\n')
