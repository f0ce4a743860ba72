"""What no single field can tell: combinations that cannot work, refused before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from harness import checks, network, topologies
from harness.scenario import fault_rules, models
from harness.scenario.document import Path_
from harness.scenario.schema import Scenario, Target, Workload
from harness.shapes import Distribution
from harness.statistics.compare import MIN_PAIRS, MIN_SAMPLES

Violation = tuple[Path_, str]


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the scenario breaks: the path of the field and what is wrong."""
    yield from _target(scenario.target)
    yield from _workload(scenario.workload)
    refused = list(_topology(scenario))
    yield from refused
    if refused:
        return
    yield from fault_rules.violations(scenario)
    yield from _expect(scenario)


def violations_between(scenario: Scenario, variants: dict[str, Scenario]) -> Iterator[Violation]:
    """Rules that need every arm: what is compared with what."""
    arms = variants or {checks.MAIN: scenario}
    for check in checks.given(scenario.expect):
        judged = [one for name, one in arms.items() if name != check.baseline]
        for message in _impossible(check, judged):
            yield ("expect", check.name), message


def _target(target: Target) -> Iterator[Violation]:
    if target.mxnet and target.python:
        yield ("target", "python"), "give either mxnet, to install it, or python, to use what is there"
    if target.horovod and target.python:
        yield ("target", "horovod"), "python brings its own Horovod; leave it out"


def _topology(scenario: Scenario) -> Iterator[Violation]:
    spec = scenario.topology
    for field, message in topologies.refusals(spec):
        yield ("topology", field), message
    if spec.network is not None:
        names = topologies.find(spec).names(spec)
        for path, message in network.violations(spec.network, names):
            yield ("topology", "network", *path), message
    if spec.splits_batches and scenario.workload.batch_size % len(spec.contexts):
        count = len(spec.contexts)
        yield (
            ("workload", "batch_size"),
            f"{scenario.workload.batch_size} samples cannot be split over {count} contexts",
        )
    for name in sorted(topologies.variables(spec) & set(scenario.target.env)):
        yield ("target", "env", name), "is set by the topology; give it there"
    if scenario.workload.amp is not None and scenario.workload.amp.loss_scaling and spec.loop == "push_pull":
        yield ("workload", "amp"), "loss_scaling is gluon.Trainer's; give loop: trainer"
    if scenario.workload.model == "oracle":
        yield from _oracle(scenario)
    if spec.parallelism == "model":
        yield from _model_parallel(scenario)


def _model_parallel(scenario: Scenario) -> Iterator[Violation]:
    """The network is cut into stages and bound as a symbol, which not all can do."""
    workload = scenario.workload
    facts = models.facts(workload.model)
    if facts is not None and facts.stages < len(scenario.topology.contexts):
        able = ", ".join(name for name, stages in models.stages().items() if stages > 1)
        yield (
            ("topology", "contexts"),
            f"{workload.model} has {facts.stages} stages for {len(scenario.topology.contexts)} contexts; "
            f"models that can be cut are {able}",
        )
    if workload.amp is not None:
        yield ("workload", "amp"), "is not supported with parallelism: model"
    shapes = _distribution(workload)
    if shapes is not None and shapes.varies:
        yield ("workload", "shapes"), "parallelism: model binds one size; use distribution: fixed"


def _workload(workload: Workload) -> Iterator[Violation]:
    if workload.warmup >= workload.steps:
        yield ("workload", "warmup"), f"{workload.warmup} steps of warm-up leave nothing of {workload.steps} steps"
    if workload.optimizer.momentum is not None and workload.optimizer.name != "sgd":
        yield ("workload", "optimizer", "momentum"), f"{workload.optimizer.name} has no momentum; leave it out"
    facts, shapes = models.facts(workload.model), _distribution(workload)
    if facts is None or shapes is None:
        return
    if shapes.varies and not facts.variable:
        yield ("workload", "shapes"), f"{workload.model} takes one size only; use distribution: fixed"
    smallest = min(shapes.sizes(0, 1)) if not shapes.varies else shapes.draw(0.0)
    if smallest < facts.smallest:
        yield ("workload", "shapes"), f"{workload.model} needs a size of {facts.smallest} or more, not {smallest}"


def _oracle(scenario: Scenario) -> Iterator[Violation]:
    """What makes its weights known in closed form."""
    workload, sgd = scenario.workload, scenario.workload.optimizer
    if sgd.name != "sgd" or sgd.momentum or sgd.wd:
        yield ("workload", "optimizer"), "the oracle knows the weights of plain sgd only; leave it out"
    if workload.amp is not None:
        yield ("workload", "amp"), "the oracle has no operators to run in it; leave it out"
    if scenario.topology.parallelism == "model":
        yield ("topology", "parallelism"), "the oracle has no network to cut"


def _distribution(workload: Workload) -> Distribution | None:
    shapes: Distribution | None = workload.shapes
    return shapes


def _expect(scenario: Scenario) -> Iterator[Violation]:
    arms = list(scenario.variants) or [checks.CONTROL]
    for check in checks.given(scenario.expect):
        if check.baseline is not None and check.baseline not in arms:
            near = difflib.get_close_matches(check.baseline, arms, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"{check.baseline!r} is not run; allowed are {', '.join(arms)}{hint}"
            yield ("expect", check.name, "versus"), message
        if check.baseline == checks.CONTROL and not scenario.faults and not scenario.variants:
            yield ("expect", check.name, "versus"), "without faults, control is the same job; use variants to compare"
    if checks.CONTROL in scenario.variants:
        yield ("variants", checks.CONTROL), "control is the run without faults; choose another name"
    if len(scenario.variants) == 1:
        yield ("variants",), "one variant has nothing to be compared with; give two or more, or none"


def _impossible(check: checks.Check, arms: list[Scenario]) -> Iterator[str]:
    """Why a check can never be judged on these arms."""
    if getattr(check, "during", "all") == "fault" and not all(arm.faults for arm in arms):
        yield "during: fault needs a fault in every arm that is judged"
    if check.name == "agreement" and any(_copies(arm) < 2 for arm in arms):
        yield "one worker with one copy of the weights has nobody to agree with"
    if check.name == "updates" and any(arm.workload.model != "oracle" for arm in arms):
        yield "updates are counted by the oracle; give workload.model: oracle"
    if check.name == "utilisation" and not all(arm.workload.phases for arm in arms):
        yield "utilisation needs workload.phases: true"
    if getattr(check, "beyond_live_at_most", None) is not None and any(arm.workload.memory != "live" for arm in arms):
        yield "beyond_live_at_most needs workload.memory: live"
    if check.name == "throughput" and min(_windows(arm.workload) for arm in arms) < MIN_SAMPLES:
        yield f"throughput needs {MIN_SAMPLES} windows after the warm-up; give more steps or a smaller window"
    if check.name == "drift" and min(arm.workload.steps for arm in arms) < checks.TAIL * MIN_PAIRS:
        yield f"drift needs {checks.TAIL * MIN_PAIRS} steps, of which the last fifth is compared"


def _copies(scenario: Scenario) -> int:
    """Copies of the weights that training keeps alike."""
    spec = scenario.topology
    return spec.trainers * (len(spec.contexts) if spec.splits_batches else 1)


def _windows(workload: Workload) -> int:
    return (workload.steps - workload.warmup) // workload.window
