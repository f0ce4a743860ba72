"""Checkpoints on disk: parameters, what the optimizer holds, step and random state. Written by worker 0, read by all.

A file is one line of JSON, with the SHA-256 of what follows, and a pickle of arrays and bytes. It is written beside its
place and then renamed, so that under its name there is never half of one.
"""

import hashlib
import json
import os
import pickle
import time

import mxnet as mx
import numpy as np

FOLDER = "checkpoints"
SUFFIX = ".checkpoint"


class DamagedError(Exception):
    """A checkpoint that cannot be used, with the reason."""


def write(training, job, step, half_way):
    """Save the state after ``step`` steps; the fields of the event. ``half_way`` is called with half of it written."""
    began = time.monotonic()
    event = {"step": step, "sha256": "", "missing": "", "failure": ""}
    state, event["missing"] = _state(training, job, step)
    body = pickle.dumps(state, protocol=4)
    event["sha256"] = hashlib.sha256(body).hexdigest()
    try:
        _store(step, json.dumps({"step": step, "sha256": event["sha256"]}).encode() + b"\n" + body, half_way)
        _forget(job.checkpoint.keep)
    except OSError as error:
        event["failure"] = os.strerror(error.errno)
    event["seconds"] = round(time.monotonic() - began, 6)
    return event


def _state(training, job, step):
    reseed(job, step)
    trained, fixed = training.parameters(training.contexts[0])
    arrays = {name: array.asnumpy() for name, array in trained + fixed}
    states, missing = training.optimizer_states()
    return {"step": step, "arrays": arrays, "optimizer": states, "random": np.random.get_state()}, missing


def reseed(job, step):
    """MXNet's random state can be set but not read, so that it is set at every checkpoint, written or loaded."""
    mx.random.seed((job.seed + step) % (1 << 31))


def _store(step, data, half_way):
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, "%010d%s" % (step, SUFFIX))
    beside = path + ".part"
    try:
        with open(beside, "wb") as file:
            file.write(data[: len(data) // 2])
            file.flush()
            half_way()
            file.write(data[len(data) // 2 :])
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise


def _forget(keep):
    for name in names()[keep:]:
        os.unlink(os.path.join(FOLDER, name))


def names():
    """Names of checkpoints, newest first; one that was never finished has another ending."""
    try:
        listed = os.listdir(FOLDER)
    except OSError:
        return []
    return sorted((name for name in listed if name.endswith(SUFFIX)), reverse=True)


def newest():
    """The state of the newest good checkpoint, or None, and why newer ones were rejected."""
    rejected = []
    for name in names():
        try:
            return _load(os.path.join(FOLDER, name)), rejected
        except DamagedError as error:
            rejected.append("%s: %s" % (name, error))
    return None, rejected


def _load(path):
    try:
        with open(path, "rb") as file:
            head, _, body = file.read().partition(b"\n")
    except OSError as error:  # another worker may have just deleted it
        raise DamagedError(os.strerror(error.errno)) from error
    try:
        wanted = json.loads(head.decode())["sha256"]
    except (ValueError, KeyError) as error:
        raise DamagedError("its first line is damaged") from error
    if hashlib.sha256(body).hexdigest() != wanted:
        raise DamagedError("its SHA-256 is not the one that it was written with")
    return pickle.loads(body)


def restore(training, job, state):
    """Set parameters, optimizer and random state to those of a checkpoint."""
    training.load(state["arrays"], state["optimizer"])
    np.random.set_state(state["random"])
    reseed(job, state["step"])
