"""The data of each step: which samples, at which size, in which form. The same seed gives the same batches."""

import io
import pkgutil

import numpy as np

from .failures import WrongAnswerError

CLASSES = 10
VOCABULARY = 256
"""Tokens of texts."""

FIELDS, IDS = 8, 8000
"""Of clicks: ids of each field, one after the other, have their own range."""

_TEXT, _SURE = 1024, 0.9
"""Tokens of a text, longer ones begin again; how often the next is the one that its teacher has for it."""


class Batches:
    """Batch ``step`` of worker ``rank`` of ``workers``: arrays ``(batch, …)`` float32 and ``(batch,)`` float32.

    One stream of samples, shuffled anew each epoch, is dealt out in turn, so that workers never share a sample within
    an epoch and a run with n workers sees the samples of a single worker with n times the batch. ``batch_sizes`` are
    those of each step, again and again; so are ``sizes``: sides, lengths, or pairs of height and width.
    """

    def __init__(self, dataset, input_kind, batch_sizes, sizes, seed, rank, workers, held_back=0, samples=512):
        images, labels = _digits() if dataset == "digits" else _TEACHERS[dataset](np.random.RandomState(seed), samples)
        trained = len(labels) - held_back
        self._images, self._labels = images[:trained], labels[:trained]
        self._held_back = images[trained:], labels[trained:]
        self._form = _FORMS[input_kind]
        self._batch_sizes, self._before = batch_sizes, np.concatenate([[0], np.cumsum(batch_sizes)]).tolist()
        self._sizes, self._seed = sizes, seed
        self._rank, self._workers = rank, workers
        self._epoch, self._shuffled = -1, None

    def __call__(self, step):
        return self.sized(step, self._sizes[step % len(self._sizes)])

    def sized(self, step, size):
        """The batch of a step at another size than its own."""
        return self._form(*self._samples(*self._span(step)), size)

    def _span(self, step):
        """Places in the stream of the samples of a step: the first, and that behind the last."""
        rounds, place = divmod(step, len(self._batch_sizes))
        count = self._batch_sizes[place]
        first = (rounds * self._before[-1] + self._before[place]) * self._workers + self._rank * count
        return first, first + count

    @property
    def count(self):
        """How many samples are trained on."""
        return len(self._labels)

    def one(self, index, size):
        """One sample and its label, in the form that the model takes."""
        data, labels = self._form(self._images[index : index + 1], self._labels[index : index + 1], size)
        return data[0], labels[0]

    def epoch(self, epoch):
        """Places in the stream of an epoch's samples, shuffled: the number of the sample, after all epochs before."""
        order = np.random.RandomState(self._seed + epoch).permutation(len(self._labels))
        return epoch * len(self._labels) + order

    def places(self, step):
        """Those of a batch."""
        first, end = self._span(step)
        found = []
        while first + len(found) < end:
            epoch, offset = divmod(first + len(found), len(self._labels))
            found.extend(self.epoch(epoch)[offset : offset + end - first - len(found)])
        return found

    def held_back(self):
        """The samples that are not trained on, at the size of the first step."""
        return self._form(*self._held_back, self._sizes[0])

    def _samples(self, first, end):
        """Samples at these positions of the stream: a view, unless they span two epochs."""
        epoch, offset = divmod(first, len(self._labels))
        self._shuffle(epoch)
        count = min(end - first, len(self._labels) - offset)
        images, labels = (array[offset : offset + count] for array in self._shuffled)
        if count == end - first:
            return images, labels
        more_images, more_labels = self._samples(first + count, end)
        return np.concatenate([images, more_images]), np.concatenate([labels, more_labels])

    def _shuffle(self, epoch):
        if epoch != self._epoch:
            order = self.epoch(epoch) - epoch * len(self._labels)
            self._epoch, self._shuffled = epoch, (self._images[order], self._labels[order])


class OwnBatches:
    """Batches of a user's function, the same for the same step, whoever asks and how often."""

    def __init__(self, function, batch_sizes, sizes, seed, rank, workers):
        self._function, self._batch_sizes, self._sizes, self._seed = function, batch_sizes, sizes, seed
        self._rank, self._workers = rank, workers

    def __call__(self, step):
        return self.sized(step, self._sizes[step % len(self._sizes)])

    def sized(self, step, size):
        """The batch of a step at another size than its own."""
        count = self._batch_sizes[step % len(self._batch_sizes)]
        made = self._function(
            step=step, batch_size=count, size=size, seed=self._seed, rank=self._rank, workers=self._workers
        )
        problem = _problem(made, count)
        if problem is not None:
            raise WrongAnswerError("batches returned " + problem, self._function)
        return made


def _problem(made, count):
    """What is wrong with a batch that was to have so many samples; None where nothing is."""
    if not isinstance(made, tuple) or len(made) != 2:
        return "%s; it must return two numpy arrays" % type(made).__name__
    data, labels = made
    if not isinstance(data, np.ndarray) or not isinstance(labels, np.ndarray):
        return "a %s and a %s; it must return two numpy arrays" % (type(data).__name__, type(labels).__name__)
    if not len(data) == len(labels) == count:
        return "%d samples and %d labels; %d were asked for" % (len(data), len(labels), count)
    return None


def _digits():
    with np.load(io.BytesIO(pkgutil.get_data(__package__, "data/digits.npz") or b"")) as stored:
        images, labels = stored["images"], stored["labels"]
    return (images[:, None] / 16.0).astype("float32"), labels.astype("float32")


def _images_of(random, samples):
    """Noise in three channels; its class is the template that it is most like."""
    images = random.uniform(size=(samples, 3, 8, 8)).astype("float32")
    templates = random.normal(size=(images[0].size, CLASSES))
    return images, (images.reshape(samples, -1) - 0.5).dot(templates).argmax(axis=1).astype("float32")


def _texts_of(random, samples):
    """Tokens, most of which follow from the one before; what follows from each is drawn once."""
    following = random.permutation(VOCABULARY)
    tokens = random.randint(0, VOCABULARY, size=(samples, _TEXT))
    sure = random.uniform(size=tokens.shape) < _SURE
    for place in range(1, _TEXT):
        tokens[:, place] = np.where(sure[:, place], following[tokens[:, place - 1]], tokens[:, place])
    return tokens.astype("float32"), np.zeros(samples, "float32")


def _clicks_of(random, samples):
    """Ids, few of them frequent, whose hidden weights together make a click or none."""
    ranks = np.minimum(random.zipf(1.5, size=(samples, FIELDS)), IDS // FIELDS) - 1
    ids = ranks + np.arange(FIELDS) * (IDS // FIELDS)
    return ids.astype("float32"), (random.normal(size=IDS)[ids].sum(axis=1) > 0).astype("float32")


_TEACHERS = {"synthetic": _images_of, "text": _texts_of, "clicks": _clicks_of}


def _image(images, size):
    """(n, c, 8, 8) to (n, c, size, size), or (height, width) in place of size; each pixel repeated or dropped."""
    height, width = size if isinstance(size, tuple) else (size, size)
    if images.shape[2:] == (height, width):
        return images
    return images[:, :, _nearest(images.shape[2], height)][:, :, :, _nearest(images.shape[3], width)]


def _flat(images, size):
    resized = _image(images, size)
    return resized.reshape(len(resized), -1)


def _sequence(images, size):
    """(n, c, 8, 8) to (n, size, 8c): rows of pixels in reading order, repeated or dropped to the asked length."""
    rows = images.transpose(0, 2, 1, 3).reshape(len(images), images.shape[2], -1)
    return rows[:, _nearest(rows.shape[1], size)]


def _tokens(texts, _, size):
    """(n, size) tokens, and the same a place later."""
    places = np.arange(size + 1) % texts.shape[1]
    return texts[:, places[:-1]], texts[:, places[1:]]


def _nearest(have, want):
    return (np.arange(want) * have) // want


_FORMS = {
    "image": lambda images, labels, size: (_image(images, size), labels),
    "flat": lambda images, labels, size: (_flat(images, size), labels),
    "sequence": lambda images, labels, size: (_sequence(images, size), labels),
    "ids": lambda ids, labels, size: (ids[:, _nearest(FIELDS, size)], labels),
    "tokens": _tokens,
}
"""Samples and labels to data and labels of a size."""
