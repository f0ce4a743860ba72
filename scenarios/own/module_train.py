"""A plain script of the Module API, which knows nothing of the harness: sequences of several lengths, in buckets.

python module_train.py --epochs 1
"""

import argparse
import logging

import mxnet as mx
import numpy as np

WORDS, CLASSES, LENGTHS = 50, 4, (8, 16, 32)


class Sequences(mx.io.DataIter):
    """Batches of one length each; the class of a sequence is that of its commonest kind of word."""

    def __init__(self, batches, batch_size, seed):
        super().__init__(batch_size)
        self.default_bucket_key = max(LENGTHS)
        random = np.random.RandomState(seed)
        self._batches = [self._batch(random, LENGTHS[number % len(LENGTHS)]) for number in range(batches)]
        self._at = 0

    def _batch(self, random, length):
        words = random.randint(0, WORDS, (self.batch_size, length))
        counts = np.stack([(words % CLASSES == kind).sum(axis=1) for kind in range(CLASSES)])
        data, label = mx.nd.array(words), mx.nd.array(counts.argmax(axis=0))
        return mx.io.DataBatch(
            [data],
            [label],
            pad=0,
            bucket_key=length,
            provide_data=self._described(length),
            provide_label=self.provide_label,
        )

    def _described(self, length):
        return [mx.io.DataDesc("data", (self.batch_size, length))]

    @property
    def provide_data(self):
        return self._described(self.default_bucket_key)

    @property
    def provide_label(self):
        return [mx.io.DataDesc("softmax_label", (self.batch_size,))]

    def reset(self):
        self._at = 0

    def next(self):
        if self._at == len(self._batches):
            raise StopIteration
        self._at += 1
        return self._batches[self._at - 1]


def symbol_of(length):
    """A mean of word vectors, and a layer on top."""
    words = mx.sym.Embedding(mx.sym.Variable("data"), input_dim=WORDS, output_dim=16, name="words")
    hidden = mx.sym.FullyConnected(mx.sym.mean(words, axis=1), num_hidden=CLASSES, name="classes")
    return mx.sym.SoftmaxOutput(hidden, name="softmax"), ("data",), ("softmax_label",)


def main():
    parser = argparse.ArgumentParser(description="Train on sequences in buckets.")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--kv-store", default="local")
    parser.add_argument("--save", help="prefix of the checkpoint that is written at the end")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    mx.random.seed(1)
    np.random.seed(1)

    module = mx.mod.BucketingModule(symbol_of, default_bucket_key=max(LENGTHS))
    module.fit(
        Sequences(asked.batches, asked.batch_size, seed=3),
        num_epoch=asked.epochs,
        eval_metric="accuracy",
        kvstore=asked.kv_store,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.01},
        initializer=mx.init.Xavier(),
    )
    if asked.save:
        module.save_checkpoint(asked.save, asked.epochs)


if __name__ == "__main__":
    main()
