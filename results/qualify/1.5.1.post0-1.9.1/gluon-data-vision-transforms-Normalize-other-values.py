# gluon.data.vision.transforms.Normalize, 4; draw(3, 8, 8): other values; output 0: -1.00022 is -5.00022, at 166
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
outputs = [mx.gluon.data.vision.transforms.Normalize(4)(draw(3, 8, 8))]
print(*outputs, sep='\n')
