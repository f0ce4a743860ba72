"""A plain Gluon training script, which knows nothing of the harness: images with labels that a teacher gave them.

python gluon_train.py --epochs 1
"""

import argparse
import logging

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon


def teach(count, seed=7):
    """Images of noise, (count, 1, 8, 8), and the classes that a random linear teacher sees in them."""
    random = np.random.RandomState(seed)
    images = random.uniform(-1, 1, (count, 1, 8, 8)).astype("float32")
    teacher = random.normal(size=(64, 10))
    return images, images.reshape(count, 64).dot(teacher).argmax(axis=1).astype("float32")


def network():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(64, activation="relu"), gluon.nn.Dense(10))
    return net


def main():
    parser = argparse.ArgumentParser(description="Train a small network.")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=0.1)
    parser.add_argument("--kv-store", default="device")
    parser.add_argument("--loaders", type=int, default=0, help="processes that load batches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="where the weights are written at the end")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    mx.random.seed(asked.seed)
    np.random.seed(asked.seed)

    store = mx.kv.create(asked.kv_store)
    images, labels = teach(4096)
    share = slice(store.rank, None, store.num_workers)
    dataset = gluon.data.ArrayDataset(images[share], labels[share])
    batches = gluon.data.DataLoader(dataset, asked.batch_size, shuffle=True, num_workers=asked.loaders)

    net = network()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": asked.learning_rate}, kvstore=store)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    for epoch in range(asked.epochs):
        accuracy = mx.metric.Accuracy()
        for batch in batches:
            data, label = (array.as_in_context(mx.cpu()) for array in batch)  # loaders put them into shared memory
            with autograd.record():
                output = net(data)
                loss = loss_of(output, label)
            loss.backward()
            trainer.step(len(data) * store.num_workers)
            accuracy.update(label, output)
        logging.info("epoch %d: %s %.3f", epoch, *accuracy.get())
    if asked.save and store.rank == 0:
        net.save_parameters(asked.save)


if __name__ == "__main__":
    main()
