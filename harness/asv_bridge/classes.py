"""A benchmark class for every scenario with the tag ``asv``; its tracked numbers all come from one run.

asv takes less as better and compares by ratio: seconds a sample are tracked, not samples a second, and memory growth,
which lies about zero, is not. So does drift: it is told as its size beside 1.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.asv_bridge import tracking
from harness.asv_bridge.nights import NIGHT_VARIABLE
from harness.base.errors import InputError
from harness.planning.plan import VERSION
from harness.planning.planner import make
from harness.planning.validation import load
from harness.scenario.load import LoadedScenario

TAG = "asv"
TIMEOUT_SECONDS = 7200
_TRACKED = (
    ("seconds_per_sample", "seconds"),
    ("peak_memory", "bytes"),
    ("held_memory", "bytes"),
    ("final_loss", "loss"),
)


def generate(folder: Path) -> dict[str, type]:
    """Make a class for every scenario with the tag ``asv`` below ``folder``, by name; InputError for two alike."""
    classes: dict[str, type] = {}
    for loaded in filter(None, map(_loaded, sorted(folder.rglob("*.yaml")))):
        if TAG in loaded.scenario.tags:
            name = class_name(loaded.name) or f"Scenario{hashlib.sha256(loaded.name.encode()).hexdigest()[:8]}"
            if name in classes:
                raise InputError(f"two scenarios for asv are called {loaded.name}, or nearly; rename one of them")
            classes[name] = _class(name, loaded)
    return classes


def _loaded(path: Path) -> LoadedScenario | None:
    """A night has said itself what is wrong with a scenario, and has no numbers of it."""
    try:
        return load(path)
    except InputError:
        if NIGHT_VARIABLE in os.environ:
            return None
        raise


def class_name(name: str) -> str:
    """What asv calls a scenario; "" where nothing of its name is left."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))


def _class(name: str, loaded: LoadedScenario) -> type:
    arms = _arms(loaded)
    methods = {f"track_{name}": _tracker(loaded, name, unit) for name, unit in _TRACKED}
    methods["track_verdict"] = _tracker(loaded, "verdict", "checks not passed")
    if len(arms) > 1:
        methods["track_drift"] = _tracker(loaded, "drift", "1 is none")
    parameters = {"params": [arms], "param_names": ["arm"]}
    common = {"timeout": TIMEOUT_SECONDS, "__doc__": loaded.scenario.title}
    return type(name, (), {**methods, **parameters, **common})


def _arms(loaded: LoadedScenario) -> list[str]:
    targets = {name: arm.target for name, arm in loaded.arms.items()}
    plan = make(loaded, targets, "")
    return list(dict.fromkeys(arm.of for arm in plan.arms if not plan.only_beside(arm)))


def _tracker(loaded: LoadedScenario, quantity: str, unit: str) -> Callable[..., Any]:
    def track(self: object, arm: str) -> dict[str, Any] | float:
        if quantity == "verdict":
            return tracking.not_passed(loaded, arm)
        return tracking.samples(loaded, arm, quantity)

    text = "" if NIGHT_VARIABLE in os.environ else loaded.text  # the ledger knows which nights had another
    what = f"{quantity}, {unit}" if quantity == "drift" else quantity  # it was told from 0 before
    content = f"{VERSION}\n{what}\n{text}"
    attributes = {
        "__name__": f"track_{quantity}",
        "unit": unit,
        "version": hashlib.sha256(content.encode()).hexdigest(),
        "pretty_source": loaded.text,
        "pretty_name": f"{loaded.name}: {quantity.replace('_', ' ')}",
    }
    for name, value in attributes.items():
        setattr(track, name, value)
    return track
