"""What no single field can tell: combinations that cannot work, refused before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

from harness import checks, topologies
from harness.faults import Fault
from harness.scenario import models
from harness.scenario.document import Path_
from harness.scenario.schema import Scenario, Target, Workload

Violation = tuple[Path_, str]


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the scenario breaks: the path of the field and what is wrong."""
    yield from _target(scenario.target)
    yield from _workload(scenario.workload)
    if refusal := topologies.find(scenario.topology).refusal(scenario.topology):
        yield ("topology", refusal[0]), refusal[1]
        return
    for index, entry in enumerate(scenario.faults):
        fault: Fault = entry.fault
        for path, message in _fault(scenario, fault):
            yield ("faults", index, fault.name, *path), message
    yield from _expect(scenario)


def _target(target: Target) -> Iterator[Violation]:
    if target.mxnet and target.python:
        yield ("target", "python"), "give either mxnet, to install it, or python, to use what is there"


def _workload(workload: Workload) -> Iterator[Violation]:
    if workload.warmup >= workload.steps:
        yield ("workload", "warmup"), f"{workload.warmup} steps of warm-up leave nothing of {workload.steps} steps"
    facts = models.facts(workload.model)
    shapes: Any = workload.shapes
    if facts and shapes is not None and shapes.varies and not facts.variable:
        yield ("workload", "shapes"), f"{workload.model} takes one size only; use distribution: fixed"
    if workload.optimizer.momentum is not None and workload.optimizer.name != "sgd":
        yield ("workload", "optimizer", "momentum"), f"{workload.optimizer.name} has no momentum; leave it out"


def _fault(scenario: Scenario, fault: Fault) -> Iterator[Violation]:
    names = [role.name for role in topologies.find(scenario.topology).roles(scenario.topology)]
    of_kind = [name for name in names if name.split("/")[0] == fault.select.role]
    if not of_kind:
        yield ("select", "role"), f"there is no {fault.select.role} in this topology; there are {', '.join(names)}"
    elif fault.select.rank is None and len(of_kind) > 1:
        yield ("select",), f"say which: rank 0 to {len(of_kind) - 1}"
    elif fault.select.rank is not None and fault.select.rank >= len(of_kind):
        yield (
            ("select", "rank"),
            f"{fault.select.role} {fault.select.rank} does not exist; there are {', '.join(of_kind)}",
        )
    yield from _schedule(fault, scenario.workload.steps)


def _schedule(fault: Fault, steps: int) -> Iterator[Violation]:
    if fault.at.step is None:
        return
    last = steps - 1
    if fault.at.step > last:
        yield ("at", "step"), f"step {fault.at.step} is after the last step, {last}"
        return
    lasts = getattr(fault.duration, "steps", None)
    if lasts is not None and fault.at.step + lasts > steps:
        message = f"{lasts} steps from step {fault.at.step} go beyond the last step, {last}"
        yield ("for", "steps"), message


def _expect(scenario: Scenario) -> Iterator[Violation]:
    arms = list(scenario.variants) or [checks.CONTROL]
    for check in checks.given(scenario.expect):
        if check.baseline is not None and check.baseline not in arms:
            near = difflib.get_close_matches(check.baseline, arms, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield (
                ("expect", check.name, "versus"),
                f"{check.baseline!r} is not run; allowed are {', '.join(arms)}{hint}",
            )
        if getattr(check, "during", "all") == "fault" and not scenario.faults:
            yield ("expect", check.name, "during"), "there is no fault in this scenario"
    if checks.CONTROL in scenario.variants:
        yield ("variants", checks.CONTROL), "control is the run without faults; choose another name"
    if len(scenario.variants) == 1:
        yield ("variants",), "one variant has nothing to be compared with; give two or more, or none"
