"""Two stages, which know nothing of the harness: images of many sizes are made alike, then a network learns them.

python pipeline_train.py --between free
"""

import argparse
import logging
import multiprocessing
import tempfile
from pathlib import Path

import numpy as np

SIZE = 32


def prepare(count, seed, between):
    """Images of one size, (count, 3, 32, 32), and classes that a teacher sees in them; and what was left by the way."""
    import mxnet as mx

    random = np.random.RandomState(seed)
    sizes = random.randint(SIZE // 2, 3 * SIZE, size=count)
    raw = [mx.nd.array(random.uniform(size=(size, size, 3))) for size in sizes]
    alike = [mx.image.imresize(image, SIZE, SIZE) for image in raw]
    images = mx.nd.stack(*[image.transpose((2, 0, 1)) for image in alike])
    teacher = random.normal(size=(3 * SIZE * SIZE, 10))
    labels = images.asnumpy().reshape(count, -1).dot(teacher).argmax(axis=1).astype("float32")
    left = [raw, alike]
    if between == "free":
        del raw, alike, left[:]
        mx.nd.waitall()
    return images, labels, left


def prepare_into(path, count, seed):
    """In a process of its own, which ends when it is through."""
    images, labels, _ = prepare(count, seed, "free")
    np.savez(path, images=images.asnumpy(), labels=labels)


def prepared_elsewhere(count, seed):
    import mxnet as mx

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "images.npz"
        process = multiprocessing.get_context("spawn").Process(target=prepare_into, args=(path, count, seed))
        process.start()
        process.join()
        with np.load(path) as kept:
            return mx.nd.array(kept["images"]), kept["labels"], []


def train(images, labels, epochs):
    import mxnet as mx
    from mxnet import autograd, gluon

    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Conv2D(16, 3, strides=2, activation="relu"), gluon.nn.GlobalAvgPool2D(), gluon.nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    batches = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), 32, shuffle=True)
    for epoch in range(epochs):
        total = 0.0
        for data, label in batches:
            with autograd.record():
                loss = loss_of(net(data), label)
            loss.backward()
            trainer.step(len(data))
            total += loss.mean().asscalar()
        logging.info("epoch %d: loss %.3f", epoch, total / len(batches))


def main():
    parser = argparse.ArgumentParser(description="Prepare images, then train on them.")
    parser.add_argument("--images", type=int, default=4000)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--between", choices=("keep", "free"), default="keep", help="what the first stage made")
    parser.add_argument("--processes", type=int, choices=(1, 2), default=1, help="for both stages")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    if asked.processes == 2:
        images, labels, left = prepared_elsewhere(asked.images, asked.seed)
    else:
        images, labels, left = prepare(asked.images, asked.seed, asked.between)
    train(images, labels, asked.epochs)
    logging.info("%d lists of the first stage were kept", len(left))


if __name__ == "__main__":
    main()
