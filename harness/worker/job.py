"""What one role has to do, read from the stored plan."""

import json
from types import SimpleNamespace


def load(path, arm_name):
    """The workload of one arm of the plan at ``path``, nested objects as attributes."""
    return _as_object(_arm(path, arm_name)["workload"])


def schedule(path, arm_name, role):
    """The faults of one role: number to ``(name, parameters, sizes)``."""
    own = [fault for fault in _arm(path, arm_name)["schedule"] if fault["subject"] == role]
    return {fault["fault"]: (*next(iter(fault["entry"].items())), fault["sizes"]) for fault in own}


def _arm(path, name):
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    for arm in plan["arms"]:
        if arm["name"] == name:
            return arm
    raise SystemExit("plan %s has no arm %r" % (path, name))


def _as_object(value):
    """Objects become namespaces, except ``optimizer.parameters``-like maps, which mxnet takes as a dict."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _as_object(item) for key, item in value.items()})
    return value
