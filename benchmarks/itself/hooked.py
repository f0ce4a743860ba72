"""A user's script that trains by turns: a window seen by the harness, a window with MXNet's functions as they were.

``hooked.py gluon|module WIDTH STEPS PAIRS OUT``: a network of two hidden layers, trained by a Trainer over a
DataLoader, or by a Module over an NDArrayIter, and seconds of the windows of each kind in a file.
"""

import json
import sys
import time

BATCH = 128


def main(kind, width, steps, pairs, out):
    """Each pair has both kinds of windows, in turn first."""
    import mxnet as mx

    step_with, loader, holders = {"gluon": by_trainer, "module": by_module}[kind](mx, width)

    def window(batches):
        began = time.monotonic()
        for _ in range(steps):
            step_with(next(batches))
        mx.nd.waitall()
        return time.monotonic() - began

    seen = hooked(mx.nd.NDArray, mx.kvstore.KVStore, *holders)
    plain = {each: function.__wrapped__ for each, function in seen.items()}
    kinds = {"seen": (seen, endless(loader())), "bare": (plain, endless(loader()))}
    seconds = {"seen": [], "bare": []}
    for pair in range(pairs):
        for each in ("seen", "bare") if pair % 2 else ("bare", "seen"):
            functions, batches = kinds[each]
            for (holder, name), function in functions.items():
                setattr(holder, name, function)
            seconds[each].append(window(batches))
    with open(out, "w") as file:
        json.dump(seconds, file)


def by_trainer(mx, width):
    """What takes a step with a batch, what makes a loader, and classes at which the harness stands."""
    from mxnet import autograd, gluon

    images, labels = samples()
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(width, activation="relu"), gluon.nn.Dense(width, activation="relu"), gluon.nn.Dense(10))
    net.initialize()
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()

    def step_with(batch):
        data, label = batch
        with autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(len(data))

    data = gluon.data.ArrayDataset(images, labels)
    loader = gluon.data.DataLoader(data, BATCH, last_batch="discard")
    return step_with, lambda: loader, (gluon.Trainer, gluon.data.DataLoader)


def by_module(mx, width):
    """The same of a Module."""
    images, labels = samples()
    first = mx.io.NDArrayIter(images, labels, BATCH, last_batch_handle="discard")
    layer = mx.sym.Variable("data")
    for _ in range(2):
        layer = mx.sym.Activation(mx.sym.FullyConnected(layer, num_hidden=width), act_type="relu")
    output = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(layer, num_hidden=10), name="softmax")
    module = mx.mod.Module(output)
    module.bind(first.provide_data, first.provide_label)
    module.init_params()
    module.init_optimizer(optimizer_params={"learning_rate": 0.01})

    def step_with(batch):
        module.forward_backward(batch)
        module.update()

    def loader():
        return mx.io.NDArrayIter(images, labels, BATCH, last_batch_handle="discard")

    return step_with, loader, (mx.mod.Module, mx.mod.BaseModule, mx.io.DataIter, mx.io.NDArrayIter)


def samples():
    """Images as vectors, and a class of each."""
    import numpy as np

    random = np.random.RandomState(0)
    return random.uniform(size=(2048, 64)).astype("float32"), random.randint(0, 10, size=2048).astype("float32")


def hooked(*holders):
    """All functions of these classes at which the harness stands: ``{(holder, name): function}``."""
    found = {(holder, name): function for holder in holders for name, function in vars(holder).items()}
    return {each: function for each, function in found.items() if _is_hook(function)}


def _is_hook(function):
    return ".own." in getattr(function, "__globals__", {}).get("__name__", "")


def endless(loader):
    """Batches for ever; an iterator of MXNet's begins anew where it is told to."""
    while True:
        yield from loader
        if hasattr(loader, "reset"):
            loader.reset()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5])
