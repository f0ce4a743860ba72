"""What one role has to do, read from the stored plan."""

import json
from types import SimpleNamespace


def load(path, arm_name):
    """The workload of one arm of the plan at ``path``, nested objects as attributes."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    for arm in plan["arms"]:
        if arm["name"] == arm_name:
            return _as_object(arm["workload"])
    raise SystemExit("plan %s has no arm %r" % (path, arm_name))


def _as_object(value):
    """Objects become namespaces, except ``optimizer.parameters``-like maps, which mxnet takes as a dict."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: _as_object(item) for key, item in value.items()})
    return value
