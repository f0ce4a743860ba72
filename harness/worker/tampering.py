"""Faults that a worker commits itself when it is told to: on batches, gradients and updates. Each is accounted for."""

import hashlib
import time

import numpy as np

_TENSOR = ("nan", "inf", "bit_flip", "scale", "stale")


class Tampering:
    """What is in force, by number of the fault. A healthy worker has none, and pays nothing."""

    def __init__(self, job, channel, schedule):
        self._job, self._channel, self._schedule = job, channel, schedule
        self._active = {}
        self._remembered = {}
        self._remembers = any(name == "stale" for name, _, _ in schedule.values())

    def begin(self, number, step):
        """Commit a fault from this step on."""
        name, parameters, _ = self._schedule[number]
        if name == "exit":
            raise RuntimeError("the harness was asked to let the training script fail before step %d" % step)
        self._active[number] = self._schedule[number]
        if name == "uneven_shard" and parameters.get("steps"):
            before, self._job.steps = self._job.steps, self._job.steps + parameters["steps"]
            self._tell(number, step, "steps", str(before), str(self._job.steps), "%d steps more" % parameters["steps"])

    def end(self, number):
        """No more of it; one that another process was told of is not known here."""
        self._active.pop(number, None)

    def _in_force(self, *names):
        return [(number, *fault) for number, fault in self._active.items() if fault[0] in names]

    def interrupts_checkpoint(self):
        """Whether a checkpoint is to stay half written."""
        return bool(self._in_force("checkpoint_kill"))

    def batch(self, batches, step):
        """The batch of a step, as it is or as a fault makes it."""
        for _, _, parameters, _ in self._in_force("slow_input"):
            time.sleep(_seconds(parameters["by"]))
        data, labels = batches(step)
        for number, name, parameters, sizes in self._in_force("uneven_shard", "shape_shift", "corrupt_batch"):
            before, was = _sha256(data, labels), data.shape
            if name == "uneven_shard" and parameters.get("batch"):
                data, labels = _more(data, parameters["batch"]), _more(labels, parameters["batch"])
            elif name == "shape_shift":
                data, labels = batches.sized(step, sizes[step % len(sizes)])
            elif name == "corrupt_batch":
                data, labels = _corrupted(parameters.get("how", "noise"), data, labels, self._job.seed + step)
            else:
                continue
            detail = "%s became %s" % (was, data.shape) if was != data.shape else "other values"
            self._tell(number, step, "batch", before, _sha256(data, labels), detail)
        return data, labels

    def gradients(self, training, step):
        """Change gradients before they are shared."""
        for number, name, parameters, _ in self._in_force(*_TENSOR):
            self._tensor(training, step, number, name, parameters)
        if self._remembers:
            self._remembered = {name: [one.asnumpy() for one in arrays] for name, arrays in training.gradients()}

    def _tensor(self, training, step, number, name, parameters):
        wanted = parameters.get("parameter")
        hit = [(key, arrays) for key, arrays in training.gradients() if wanted is None or wanted in key]
        if not hit:
            known = ", ".join(key for key, _ in training.gradients())
            raise SystemExit("no parameter has %r in its name; there are %s" % (wanted, known))
        for key, arrays in hit if name == "stale" and wanted is None else hit[:1]:
            for copy, array in enumerate(arrays):
                was = array.asnumpy()
                value, detail = self._changed(name, parameters, was, key, copy)
                array[:] = value
                found = array.asnumpy()
                self._tell(number, step, "gradient of %s" % key, _sha256(was), _sha256(found), detail)

    def _changed(self, name, parameters, was, key, copy):
        if name == "stale":
            return self._remembered[key][copy], "that of the step before"
        if name == "scale":
            return was * np.float32(parameters["factor"]), "times %g" % parameters["factor"]
        value = was.copy()
        flat = value.reshape(-1)
        element = min(parameters.get("element", 0), flat.size - 1)
        old = flat[element]
        if name == "bit_flip":
            flat.view(np.uint32)[element] ^= np.uint32(1 << parameters["bit"])
        else:
            flat[element] = {"nan": np.nan, "inf": np.inf}[name]
        return value, "element %d of %d from %.6g to %.6g" % (element, flat.size, old, flat[element])

    def update(self, training, step):
        """Update the weights, unless a fault leaves that out."""
        dropped = self._in_force("drop")
        before = _weights(training) if dropped else ""
        if not dropped:
            training.update()
        for number, _, _, _ in dropped:
            self._tell(number, step, "weights", before, _weights(training), "no update")

    def _tell(self, number, step, what, before, after, detail):
        self._channel.emit("tampered", fault=number, step=step, what=what, before=before, after=after, detail=detail)


def _seconds(text):
    return float(text.rstrip("s"))


def _more(array, times):
    return np.concatenate([array] * times)


def _corrupted(how, data, labels, seed):
    random = np.random.RandomState(seed)
    if how == "labels":
        return data, labels[np.roll(np.arange(len(labels)), 1)]
    values = {"noise": random.uniform(size=data.shape), "zeros": 0.0, "nan": np.nan}[how]
    return np.zeros_like(data) + np.asarray(values, dtype="float32"), labels


def _weights(training):
    trained, _ = training.parameters(training.contexts[0])
    return _sha256(*(array.asnumpy() for _, array in trained))


def _sha256(*arrays):
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
