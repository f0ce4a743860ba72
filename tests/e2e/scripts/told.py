"""Trains in one of several ways, and says at the end what each step's loss was."""

import sys

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon

STEPS, BATCH = 12, 8
random = np.random.RandomState(3)
data = [mx.nd.array(random.normal(size=(BATCH, 4))) for _ in range(STEPS)]
l2 = gluon.loss.L2Loss()
said = []


def dense():
    net = gluon.nn.Dense(1, in_units=4)
    net.initialize(mx.init.One())
    return net


def trainer_of(net):
    return gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05})


def say(*losses):
    """Of a step: the mean over all of its samples."""
    said.append(float(np.concatenate([loss.asnumpy() for loss in losses]).mean()))


def weighted():
    """Two losses of one batch, of which the second counts a tenth."""
    net = dense()
    trainer = trainer_of(net)
    for x in data:
        with autograd.record():
            out = net(x)
            one, two = l2(out, x[:, :1]), l2(out, x[:, 1:2])
        autograd.backward([one, two], [mx.nd.ones_like(one), mx.nd.ones_like(two) * 0.1])
        trainer.step(BATCH)
        say(one + 0.1 * two)


def parts():
    """A batch in two parts that are not alike, whose gradients are added."""
    net = dense()
    net.collect_params().setattr("grad_req", "add")
    trainer = trainer_of(net)
    for x in data:
        losses = []
        for part in (x[:2], x[2:]):
            with autograd.record():
                losses.append(l2(net(part), part[:, :1]))
            losses[-1].backward()
        trainer.step(BATCH)
        for parameter in net.collect_params().values():
            parameter.zero_grad()
        say(*losses)


def late():
    """A second trainer joins after three steps, with a loss of its own after the first one's step."""
    first, second = dense(), dense()
    trainers = [trainer_of(first), trainer_of(second)]
    loader = gluon.data.DataLoader(gluon.data.ArrayDataset(mx.nd.concat(*data, dim=0)), BATCH)
    for step, x in enumerate(loader):
        with autograd.record():
            loss = l2(first(x), x[:, :1])
        loss.backward()
        trainers[0].step(BATCH)
        say(loss)
        if step > 2:
            with autograd.record():
                other = l2(second(x), x[:, :1] + 9)
            other.backward()
            trainers[1].step(BATCH)


def kvstore():
    """No trainer: what is pushed and pulled by hand makes the steps."""
    net, store = dense(), mx.kv.create("local")
    store.set_optimizer(mx.optimizer.SGD(learning_rate=0.05, rescale_grad=1 / BATCH))
    parameters = list(net.collect_params().values())
    for key, parameter in enumerate(parameters):
        store.init(key, parameter.data())
    for x in data:
        with autograd.record():
            loss = l2(net(x), x[:, :1])
        loss.backward()
        for key, parameter in enumerate(parameters):
            store.push(key, parameter.grad())
            store.pull(key, parameter.data())
        say(loss)


def ignored():
    """A Module some of whose labels count for nothing."""
    words = mx.sym.FullyConnected(mx.sym.Variable("data"), num_hidden=3)
    output = mx.sym.SoftmaxOutput(words, mx.sym.Variable("word"), use_ignore=True, ignore_label=-1, name="softmax")
    module = mx.mod.Module(output, label_names=["word"])
    labels = [mx.nd.array(random.randint(-1, 3, size=BATCH)) for _ in range(STEPS)]
    module.bind([("data", (BATCH, 4))], [("word", (BATCH,))])
    module.init_params(mx.init.One())
    module.init_optimizer(optimizer_params={"learning_rate": 0.05})
    for x, y in zip(data, labels, strict=True):
        module.forward(mx.io.DataBatch([x], [y]), is_train=True)
        chances = module.get_outputs()[0].asnumpy()
        kept = [-np.log(chance[int(label)]) for chance, label in zip(chances, y.asnumpy(), strict=True) if label >= 0]
        module.backward()
        module.update()
        say(mx.nd.array(kept))


globals()[sys.argv[1]]()
print("losses", *said, flush=True)
