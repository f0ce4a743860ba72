# optimizer.Test, as it is row_sparse: refuses; TypeError: <RowSparseNDArray 6x3 @cpu(0)> of type <class
# 'mxnet.ndarray.sparse.RowSparseNDArray'>
import random

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def draw(*shape, seed=0):
    return mx.nd.array(np.random.RandomState(seed).standard_normal(shape))


mx.random.seed(11)
np.random.seed(11)
random.seed(11)
update = mx.optimizer.get_updater(mx.optimizer.Test())
weight = draw(6, 3, seed=1).tostype('row_sparse')
for step in range(5):
    update(0, draw(6, 3, seed=step + 2).tostype('row_sparse'), weight)
outputs = [weight]
print(*outputs, sep='\n')
