"""Batches as scripts fetch them: how many samples they have, and how faults change them."""

import copy

import numpy as np

from ..failures import CannotCommitError


def samples_of(batch, iterator):
    """Samples of a batch of a DataIter or DataLoader; 0 where nobody can say."""
    if isinstance(batch, (list, tuple)):
        return _length(batch)
    if not _is_data_batch(batch):
        return _length(batch)
    shape, whole = shape_of(batch), getattr(iterator, "batch_size", 0)
    if shape and shape[0] != whole:  # smaller, at the end, or another axis: to ask iterators takes long
        whole = shape[_axis(iterator, shape, whole)]
    rolled = getattr(iterator, "last_batch_handle", "") == "roll_over"  # then the pad is of the epoch before
    return max(0, whole - (0 if rolled else batch.pad or 0))


def _axis(iterator, shape, whole):
    """That of a batch's samples: of those that the iterator describes, the first that is as long as batches.

    Without a description the first of the array's own, where the first axis of all is longer, as that of time.
    """
    told = [tuple(each[1]) for each in getattr(iterator, "provide_data", None) or () if len(each) > 1][:1]
    if told and len(told[0]) == len(shape) and whole in told[0]:
        return told[0].index(whole)
    return shape.index(whole) if whole in shape and shape[0] > whole else 0


def _is_data_batch(batch):
    """Of a DataIter; lists and tuples, which DataLoaders give, are asked first: what they lack takes time to miss."""
    return not isinstance(batch, (list, tuple)) and hasattr(batch, "data") and hasattr(batch, "pad")


def shape_of(batch):
    """That of the first array of data; () where there is none."""
    if _is_data_batch(batch):
        batch = batch.data
    while isinstance(batch, (list, tuple)) and batch:
        batch = batch[0]
    return getattr(batch, "shape", ())


def _length(batch):
    """Of the first array of data; 0 where there is none."""
    shape = shape_of(batch)
    return shape[0] if shape else 0


class Fetched:
    """The batch that was fetched last, in the form that faults know: numpy arrays of data and labels.

    None of what is no batch of arrays: faults that only wait do not mind.
    """

    def __init__(self, mx):
        self._mx = mx
        self._now = None

    def __call__(self, step):
        return self._now

    def sized(self, step, size):
        """The same at another size: of height and width, or of the length of sequences; repeated or dropped.

        So are labels that have one for each place of a sequence.
        """
        data, labels = self._now
        if data.ndim != 4 and labels.ndim == 2 and labels.shape == data.shape[:2]:
            labels = _resized(labels, 1, size)
        for axis in _sides(data.shape):
            data = _resized(data, axis, size)
        return data, labels

    def changed(self, batch, step, batches, lead=0):
        """A batch as faults make it, and how many times as many samples it has: ``batches`` is called for it, and calls
        this object in turn. ``lead``: how many steps come before the one that trains with it.
        """
        first, others, rest = _parts(batch)
        self._now, dense = None, all(getattr(array, "stype", "default") == "default" for array in first)
        if first and dense and all(hasattr(array, "asnumpy") for array in first):
            self._now = tuple(array.asnumpy() for array in first)
            if len(first) == 1:
                self._now += (np.zeros(len(self._now[0]), "float32"),)
        made = batches(step)
        if made is self._now:
            return batch, 1
        if lead > 0:
            raise CannotCommitError(
                "the script fetches batches ahead of the steps that train with them; no step is known to have this one"
            )
        arrays = [old if new is before else self._like(old, new) for old, new, before in zip(first, made, self._now)]
        was, now = len(self._now[0]), len(made[0])
        return rest(arrays, [self._as_many(other, was, now) for other in others]), now / max(1, was)

    def _as_many(self, other, was, now):
        """What a batch has beside data and labels, as often repeated as they are."""
        shape = getattr(other, "shape", ())
        if now == was or not shape or shape[0] != was or not hasattr(other, "asnumpy"):
            return other
        return self._like(other, np.concatenate([other.asnumpy()] * (now // was)))

    def _like(self, old, value):
        kind = self._mx.nd if type(old) is self._mx.nd.NDArray else self._mx.np
        return kind.array(value, ctx=old.context, dtype=old.dtype)


def _sides(shape):
    """The axes of height and width, or of the length: before `ToTensor`, the few channels of images come last."""
    if len(shape) != 4:
        return (1,)
    return (1, 2) if shape[3] <= 4 < shape[1] else (2, 3)


def _resized(array, axis, size):
    return np.take(array, np.arange(size) * array.shape[axis] // size, axis=axis)


def _parts(batch):
    """The first array of data and, if there is one, of labels, which come last; then what else there is; and what makes
    a batch of others in their places.
    """
    if _is_data_batch(batch):
        return _of_data_batch(batch)
    if not isinstance(batch, (list, tuple)):
        return [batch], [], lambda arrays, others: arrays[0]
    places = [place for place, part in enumerate(batch) if place == 0 or hasattr(part, "asnumpy")]
    ends = [places[0], *places[1:][-1:]] if places else []
    between = [place for place in range(len(batch)) if place not in ends]
    make = list if isinstance(batch, list) else getattr(type(batch), "_make", tuple)  # a named one stays one

    def made(arrays, others):
        parts = dict(zip(ends + between, [*arrays, *others]))
        return make([parts[place] for place in range(len(batch))])

    return [batch[place] for place in ends], [batch[place] for place in between], made


def _of_data_batch(batch):
    labels = list(batch.label or [])
    more = len(batch.data) - 1

    def made(arrays, others):
        other = copy.copy(batch)
        other.data = [arrays[0], *others[:more]]
        other.label = [*arrays[1:], *others[more:]]
        if other.data[0].shape != batch.data[0].shape:  # else a Module keeps to the shapes that it is told
            _describe(other, "provide_data", other.data)
            _describe(other, "provide_label", other.label)
            if len(batch.data[0].shape) > 1 and getattr(batch, "bucket_key", None) == batch.data[0].shape[1]:
                other.bucket_key = other.data[0].shape[1]
        return other

    return [batch.data[0], *labels[:1]], [*batch.data[1:], *labels[1:]], made


def _describe(batch, name, arrays):
    """Give a batch's descriptions the shapes of its arrays."""
    told = getattr(batch, name, None)
    if told:
        setattr(batch, name, [_described(*each) for each in zip(told, arrays)])


def _described(told, array):
    if not hasattr(told, "layout"):
        return (told[0], array.shape)
    return type(told)(told.name, array.shape, told.dtype, told.layout)
