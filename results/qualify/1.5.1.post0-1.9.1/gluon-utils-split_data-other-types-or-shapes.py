# gluon.utils.split_data, as it is: other types or shapes; output 0: float32 (2, 3) is float32 (3, 3)
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
outputs = gluon.utils.split_data(draw(7, 3), 3, even_split=False)
print(*outputs, sep='\n')
