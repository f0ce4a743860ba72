"""Calls ``next()`` of an iterator itself, which fetches ahead in a thread of its own; its last batch is padded."""

import mxnet as mx
import numpy as np

data = np.random.RandomState(1).rand(20, 4).astype("float32")
batches = mx.io.PrefetchingIter(mx.io.NDArrayIter(data, data.sum(axis=1), batch_size=8, label_name="lin_label"))
output = mx.sym.LinearRegressionOutput(
    mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=1), mx.sym.Variable("lin_label")
)
module = mx.mod.Module(output, label_names=["lin_label"])
module.bind(batches.provide_data, batches.provide_label)
module.init_params()
module.init_optimizer()
for _ in range(5):
    batches.reset()
    while True:
        try:
            batch = batches.next()
        except StopIteration:
            break
        module.forward_backward(batch)
        module.update()
