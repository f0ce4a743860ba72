"""Batches as MXNet's own loaders bring them, of samples that are prepared one by one; and how long each was waited for.

Faults and checkpoints ask for the batch of a step: who asks for another than the next one starts the loader anew.
"""

import atexit
import os
import tempfile
import time

import mxnet as mx
import numpy as np

from .png import png

SHIFT = 8
"""A sample is shifted by up to this part of its side, in either direction."""


def find(asked, batches, size, rank, workers, batch_size, seed):
    """The batches of a worker by the loader that is asked for; ``batches`` knows the samples and their order."""
    kind = {"ndarray_iter": _Arrays, "data_loader": _Loader, "record_iter": _Records}[asked.by]
    return _Loaded(kind(asked, batches, size, rank, workers, batch_size, seed), batches, rank)


class _Loaded:
    """Batch ``step``, and what `Steps` reports of each: its samples and the seconds that were waited for it."""

    def __init__(self, source, batches, rank):
        self._source, self._batches, self._rank = source, batches, rank
        self._next, self._iterator = None, None
        self._waited, self._longer = [], 0.0

    def wait_longer(self, seconds):
        """The next batch comes later than the loader has it."""
        self._longer += seconds

    def __call__(self, step):
        began, self._longer = time.monotonic() - self._longer, 0.0
        if step != self._next:
            self._iterator = self._source.begin(step)
        data, labels = next(self._iterator)
        self._next = step + 1
        self._waited.append(round(time.monotonic() - began, 7))
        return data, labels

    def sized(self, step, size):
        """Nothing but one size comes by a loader; the rules refuse faults that ask for others."""
        raise ValueError("a loader brings one size; asked for %d" % size)

    def held_back(self):
        """As without a loader: these are not trained on."""
        return self._batches.held_back()

    def waits(self):
        """Seconds of each batch since the last time."""
        waited, self._waited = self._waited, []
        return waited


class _Prepared:
    """Samples of a stream, each as the model takes it, at one size, prepared when it is asked for or beforehand.

    What is prepared beforehand is drawn once; otherwise anew in every epoch.
    """

    def __init__(self, asked, batches, size, seed):
        self._batches, self._size, self._seed = batches, size, seed
        self._how = asked.preprocessing
        self._done = {}
        if self._how == "offline":
            self._done = {index: self._prepare(index, 0) for index in range(batches.count)}

    def __len__(self):
        return self._batches.count

    def __getitem__(self, place):
        """The sample at a place of the stream, epochs one after the other."""
        epoch, index = divmod(int(place), self._batches.count)
        if self._done:
            return self._done[index]
        return self._prepare(index, epoch) if self._how == "online" else self._batches.one(index, self._size)

    def _prepare(self, index, epoch):
        """Shifted and mirrored by chance, mean and deviation made 0 and 1."""
        data, label = self._batches.one(index, self._size)
        random = np.random.RandomState((self._seed + 7919 * epoch + index) % (1 << 32))
        most = max(1, self._size // SHIFT)
        data = np.roll(data, tuple(random.randint(-most, most + 1, size=2)), axis=(-2, -1))
        if random.randint(2):
            data = data[..., ::-1]
        return np.ascontiguousarray((data - data.mean()) / (data.std() + 1e-6), dtype="float32"), label


class _Loader:
    """`gluon.data.DataLoader`, whose sampler deals out the stream as the other workers' do."""

    def __init__(self, asked, batches, size, rank, workers, batch_size, seed):
        self._asked, self._batches = asked, batches
        self._samples = _Prepared(asked, batches, size, seed)

    def begin(self, step):
        asked = self._asked
        more = {} if asked.prefetch is None else {"prefetch": asked.prefetch}
        return iter(
            mx.gluon.data.DataLoader(
                self._samples,
                batch_sampler=_Sampler(self._batches, step),
                num_workers=asked.workers,
                thread_pool=asked.threads,
                pin_memory=asked.pin_memory,
                **more,
            )
        )


class _Sampler:
    """Places in the stream of each batch from a step on, without end."""

    def __init__(self, batches, step):
        self._batches, self._step = batches, step

    def __iter__(self):
        step = self._step
        while True:
            yield self._batches.places(step)
            step += 1


class _Arrays:
    """`mx.io.NDArrayIter` over this worker's part of each epoch, which is prepared when the epoch begins."""

    def __init__(self, asked, batches, size, rank, workers, batch_size, seed):
        self._batches, self._batch_size = batches, batch_size
        self._rank, self._workers = rank, workers
        self._samples = _Prepared(asked, batches, size, seed)
        self._steps = max(1, len(self._samples) // workers // batch_size)

    def begin(self, step):
        epoch, skipped = divmod(step, self._steps)
        while True:
            share = self._batches.epoch(epoch)[self._rank :: self._workers]
            share = np.resize(share, max(len(share), self._batch_size))
            data, labels = (np.stack(parts) for parts in zip(*(self._samples[place] for place in share)))
            iterator = mx.io.NDArrayIter(data, labels, self._batch_size)
            for number, batch in zip(range(self._steps), iterator):
                if number >= skipped:
                    yield batch.data[0], batch.label[0]
            epoch, skipped = epoch + 1, 0


class _Records:
    """`mx.io.ImageRecordIter` over a file of PNGs that is written before the first step."""

    def __init__(self, asked, batches, size, rank, workers, batch_size, seed):
        samples = _Prepared(asked, batches, size, seed)
        beforehand = asked.preprocessing == "offline"
        self._path = _written(
            (samples[index] if beforehand else batches.one(index, size)) for index in range(len(samples))
        )
        data = batches.one(0, size)[0]
        most = max(1, size // SHIFT)
        self._given = {
            "path_imgrec": self._path,
            "data_shape": data.shape,
            "batch_size": batch_size,
            "part_index": rank,
            "num_parts": workers,
            "shuffle": True,
            "seed": seed % (1 << 31),
            "preprocess_threads": max(1, asked.workers),
            "scale": 1.0 / 255,
            "verbose": False,
        }
        if asked.prefetch is not None:
            self._given["prefetch_buffer"] = asked.prefetch
        if asked.preprocessing == "online":
            self._given.update(rand_crop=True, rand_mirror=True, pad=most, fill_value=0)

    def begin(self, step):
        skipped, iterator = step, mx.io.ImageRecordIter(**self._given)
        while True:
            for batch in iterator:
                if skipped:
                    skipped -= 1
                else:
                    yield batch.data[0], batch.label[0]
            iterator.reset()


def _written(samples):
    """A RecordIO file of PNGs, which is removed in the end."""
    descriptor, path = tempfile.mkstemp(suffix=".rec")
    os.close(descriptor)
    own = os.getpid()
    atexit.register(lambda: os.path.exists(path) and os.getpid() == own and os.remove(path))
    records = mx.recordio.MXRecordIO(path, "w")
    for number, (data, label) in enumerate(samples):
        low, high = data.min(), data.max()
        pixels = ((data - low) / (high - low or 1) * 255).astype("uint8")
        records.write(mx.recordio.pack(mx.recordio.IRHeader(0, float(label), number, 0), png(pixels)))
    records.close()
    return path
