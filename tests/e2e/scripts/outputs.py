"""A Module with the output that is named, by hand; it writes the loss of each step, computed by numpy."""

import sys

import mxnet as mx
import numpy as np

kind = sys.argv[1]
random = np.random.RandomState(3)
data, label = random.normal(size=(16, 5)).astype("float32"), random.randint(0, 2, size=(16, 1)).astype("float32")
dense = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=1, name="dense")
wanted = mx.sym.Variable("label")
outputs = {"MakeLoss": lambda found, label: mx.sym.MakeLoss(mx.sym.square(found - label))}
out = outputs.get(kind, getattr(mx.sym, kind))(dense, wanted)
module = mx.mod.Module(out, data_names=["data"], label_names=["label"])
iterator = mx.io.NDArrayIter({"data": data}, {"label": label}, 16)
module.bind(iterator.provide_data, iterator.provide_label)
module.init_params(mx.init.One())
module.init_optimizer(optimizer_params={"learning_rate": 0.01})
batch = next(iterator)
losses = []
for _ in range(10):
    module.forward(batch, is_train=True)
    weights, _ = module.get_params()
    found = data.dot(weights["dense_weight"].asnumpy().T) + weights["dense_bias"].asnumpy()
    sure = 1 / (1 + np.exp(-found))
    losses.append(
        {
            "LinearRegressionOutput": (found - label) ** 2 / 2,
            "MAERegressionOutput": abs(found - label),
            "LogisticRegressionOutput": -label * np.log(sure) - (1 - label) * np.log(1 - sure),
            "MakeLoss": (found - label) ** 2,
        }[kind].mean()
    )
    module.backward()
    module.update()
print("losses", *losses)
