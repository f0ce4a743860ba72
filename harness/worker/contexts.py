"""The devices that a job names."""

import mxnet as mx


def contexts(job):
    """``cpu(1)`` to ``mx.cpu(1)``, for each."""
    named = [text.rstrip(")").split("(") for text in job.contexts]
    return [mx.Context(kind, int(number)) for kind, number in named]
