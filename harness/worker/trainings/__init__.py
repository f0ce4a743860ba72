"""What a worker trains: one file each, found by the plan's ``training``. A step is ``compute`` and ``update``.

Each file holds a class ``Training(job, rank, report)`` with ``contexts``, ``batches``, ``rank``, and the methods of
`harness/worker/trainings/gluon.py`. ``report(kind, **fields)`` writes an event. Nothing in them knows about faults.
"""

import importlib

import mxnet as mx
import numpy as np

from .. import inputs
from ..batches import CLASSES, VOCABULARY, Batches, OwnBatches


def find(job):
    """The class of the training that a job asks for; ModuleNotFoundError when there is none of that name."""
    return importlib.import_module("." + job.training, __name__).Training


def seed(job):
    """Set MXNet's and numpy's random state: the same initial weights in every worker, and again next time."""
    mx.random.seed(job.seed)
    np.random.seed(job.seed)


def batches(job, model, rank):
    """The share of the data of worker ``rank``, in the form that the model takes, or from its own source."""
    if model.batches is not None:
        return OwnBatches(model.batches, _batch_sizes(job), _sizes(job), job.seed, rank, job.workers)
    share = _batch_sizes(job), _sizes(job), job.seed, rank, job.workers
    dealt = Batches(job.dataset, model.input, *share, held_back=job.held_back, samples=job.samples)
    if job.input is None:
        return dealt
    return inputs.find(job.input, dealt, job.sizes[0], rank, job.workers, job.batch_size, job.seed)


def _sizes(job):
    return list(zip(job.sizes, job.widths)) if job.widths else job.sizes


def _batch_sizes(job):
    return job.batch_sizes or [job.batch_size]


def outputs(model):
    """How many a network has to tell apart."""
    return VOCABULARY if model.input == "tokens" else CLASSES
