"""The devices that a job names."""

import os

import mxnet as mx


def contexts(job):
    """``cpu(1)`` to ``mx.cpu(1)``, for each; a Horovod rank has the one of its number on its host."""
    named = [text.rstrip(")").split("(") for text in job.contexts]
    devices = [mx.Context(kind, int(number)) for kind, number in named]
    if job.loop != "horovod":
        return devices
    return [devices[int(os.environ["HOROVOD_LOCAL_RANK"]) % len(devices)]]
