"""The scenarios that an upgrade is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.execution import machine, request
from harness.planning import validation
from harness.scenario.shipped import folder
from harness.studies import sides
from harness.targets import resolve


def shipped(horovod: bool = False) -> list[Path]:
    """The scenarios that are asked about where a user gives none; ``horovod``: also of two of its ranks."""
    return sorted(path for path in (folder() / "qualify").glob("*.yaml") if horovod or path.stem != "horovod")


def possible(paths: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """Of scenarios that nobody asked for by name those that this machine can run, and why it cannot run the others."""
    plans = ((path, validation.load(path, [])) for path in paths)
    unmet = {path: machine.unmet(request.planned(found, resolve.settled(found)).plan) for path, found in plans}
    return [path for path, why in unmet.items() if why is None], tuple(filter(None, unmet.values()))


def read(paths: Sequence[Path]) -> dict[str, Mapping[str, Any]]:
    """Scenario files as plain values by name, without variants; InputError or ScenarioError for what cannot be run."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        if path.stem in found:
            raise InputError(f"two scenarios are called {path.stem}; give one of them another name")
        found[path.stem] = sides.read(path, [], {"a": []}).values
    return found
