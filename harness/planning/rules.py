"""What no single field can tell: combinations that cannot work, refused before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from harness import checks, topologies
from harness.base.errors import InputError
from harness.gpu import pool_settings, wheels
from harness.planning import fault_rules, network, workload_rules
from harness.planning.bounds import bounds_of
from harness.planning.fault_rules import Violation
from harness.planning.workload_rules import varying
from harness.scenario import models
from harness.scenario.schema import Scenario, Target


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the scenario breaks: the path of the field and what is wrong."""
    yield from of_target(scenario.target)
    yield from workload_rules.violations(scenario)
    refused = list(_topology(scenario))
    yield from refused
    if refused:
        return
    yield from fault_rules.violations(scenario)
    yield from _expect(scenario)


def violations_between(scenario: Scenario, variants: Mapping[str, Scenario]) -> Iterator[Violation]:
    """Rules that need every arm: what is compared with what."""
    jobs = {name: bounds_of(arm) for name, arm in (variants or {checks.MAIN: scenario}).items()}
    if scenario.turns is not None:
        yield from _turns(scenario, variants)
    for check in checks.given(scenario.expect):
        judged = [job for name, job in jobs.items() if name != check.baseline]
        for message in check.refusals(judged):
            yield ("expect", check.name), message


def _turns(scenario: Scenario, variants: Mapping[str, Scenario]) -> Iterator[Violation]:
    """What lives side by side must stand still while it has no turn, and have as many turns as the others."""
    if not variants:
        yield ("turns",), "one arm has nobody to take turns with; give variants"
    for scenario_of in variants.values():
        workload = scenario_of.workload
        if scenario_of.faults:
            yield ("turns",), "faults of one arm would meet another's turn; leave turns out, or the faults"
        if workload.checkpoint is not None:
            yield ("turns",), "checkpoints are written between turns, in another's time; leave out one of both"
    if len({(one.workload.steps, one.workload.warmup) for one in variants.values()}) > 1:
        yield ("turns",), "every variant needs as many steps, and as long a warm-up, as the others"
    turn, workload = scenario.turns or 1, scenario.workload
    if workload.warmup % turn or (workload.steps or 0) % turn:
        yield ("turns",), f"steps and warmup need to be multiples of {turn}, so that every turn counts as a whole"


def of_target(target: Target) -> Iterator[Violation]:
    if target.mxnet and target.python:
        yield ("target", "python"), "give either mxnet, to install it, or python, to use what is there"
    for name, word in (("horovod", "Horovod"), ("numpy", "numpy")):
        if getattr(target, name) and target.python:
            yield ("target", name), f"python brings its own {word}; leave it out"
    try:
        pool_settings.from_environment(pool_settings.known(target.env))
    except InputError as error:
        yield ("target", "env"), str(error)
    for field in ("cuda", "nccl", "cudnn"):
        if getattr(target, field) and target.python:
            yield ("target", field), f"python brings its own {field}; leave it out"
        elif getattr(target, field) and not target.cuda:
            yield ("target", field), f"does nothing without cuda; give target.cuda: {wheels.CUDA}"
    if target.cuda and (target.mxnet or wheels.VERSIONS[-1]) not in wheels.VERSIONS:
        there = ", ".join(wheels.VERSIONS)
        yield ("target", "mxnet"), f"there is no {wheels.WHEEL} {target.mxnet}; there are {there}"
    for field, wheel, asked in (("nccl", wheels.NCCL, target.nccl), ("cudnn", wheels.CUDNN, target.cudnn)):
        if target.cuda and asked is not None and asked not in wheels.PUBLISHED[wheel]:
            yield ("target", field), f"there is no {wheel} {asked}; there are {', '.join(wheels.PUBLISHED[wheel])}"


def _topology(scenario: Scenario) -> Iterator[Violation]:
    spec = scenario.topology
    for path, message in topologies.refusals(spec):
        yield ("topology", *path), message
    if spec.network is not None:
        names = topologies.find(spec).names(spec)
        for path, message in network.violations(spec.network, names):
            yield ("topology", "network", *path), message
    own = scenario.workload.script is None
    if own:
        yield from _batch_size(scenario)
    for name in sorted(topologies.variables(spec) & set(scenario.target.env)):
        yield ("target", "env", name), "is set by the topology; give it there"
    if scenario.workload.amp is not None and scenario.workload.amp.loss_scaling and spec.loop == "push_pull":
        yield ("workload", "amp"), "loss_scaling is gluon.Trainer's; give loop: trainer"
    if scenario.workload.training == "oracle":
        yield from _oracle(scenario)
    elif own and spec.parallelism == "model":
        yield from _model_parallel(scenario)


def _batch_size(scenario: Scenario) -> Iterator[Violation]:
    """What is split over contexts has to be so many times as many; what is divided by one number cannot vary."""
    spec, asked = scenario.topology, scenario.workload.batch_size
    path = "workload", "batch_size"
    if isinstance(asked, int):
        if topologies.find(spec).exchange(spec).splits_batches and asked % len(spec.contexts):
            yield path, f"{asked} samples cannot be split over {len(spec.contexts)} contexts"
        return
    if (why := asked.refusal()) is not None:
        yield path, why
    elif asked.varies and len(spec.contexts) > 1:
        yield path, f"varies, and is split over {len(spec.contexts)} contexts; give one context, or one size"
    elif asked.varies and scenario.workload.training != "gluon":
        yield path, f"varies, which the {scenario.workload.training} does not know; give a number"
    elif asked.varies and spec.loop == "push_pull":
        yield path, "varies, and the optimizer on the kvstore divides by one number; give loop: trainer, or one size"
    elif asked.varies and spec.kvstore.startswith("dist") and spec.update_on_kvstore is not False:
        why = "where servers update, MXNet's Trainer takes one batch size (_check_and_rescale_grad)"
        yield path, f"varies, and {why}; give update_on_kvstore: false with dist_sync, or one size"
    elif asked.varies and scenario.workload.input is not None:
        yield path, "varies, and a loader brings one size; give a number"


def _model_parallel(scenario: Scenario) -> Iterator[Violation]:
    """The network is cut into stages and bound as a symbol, which not all can do."""
    workload = scenario.workload
    if workload.facts.stages < len(scenario.topology.contexts):
        able = ", ".join(name for name, stages in models.stages().items() if stages > 1)
        yield (
            ("topology", "contexts"),
            f"{workload.model} has {workload.facts.stages} stages for {len(scenario.topology.contexts)} contexts; "
            f"models that can be cut are {able}",
        )
    if workload.amp is not None:
        yield ("workload", "amp"), "is not supported with parallelism: model"
    if workload.held_back:
        yield ("workload", "held_back"), "is not supported with parallelism: model"
    for field in varying(workload):
        yield ("workload", field), "parallelism: model binds one size; use distribution: fixed"


def _oracle(scenario: Scenario) -> Iterator[Violation]:
    """What makes its weights known in closed form."""
    workload, sgd = scenario.workload, scenario.workload.optimizer
    if sgd.is_particular or sgd.name != "sgd" or sgd.momentum or sgd.wd:
        yield ("workload", "optimizer"), "the oracle knows the weights of plain sgd only; leave it out"
    if workload.amp is not None:
        yield ("workload", "amp"), "the oracle has no operators to run in it; leave it out"
    if scenario.topology.parallelism == "model":
        yield ("topology", "parallelism"), "the oracle has no network to cut"


_OF_WHOLE = ("agreement", "gpus", "memory", "updates")
"""Checks that compare what is only there, or only alike, at the end of training."""


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
        ends = getattr(scenario.expect.outcome, "is_", None)
        if check.baseline is not None and check.name in _OF_WHOLE and ends not in (None, "completed"):
            yield ("expect", check.name, "versus"), f"jobs that train to their end are compared, and {ends} is expected"
        if check.baseline == checks.CONTROL and not scenario.control:
            yield ("expect", check.name, "versus"), "control: false runs no control; leave it out"
    if checks.CONTROL in scenario.variants:
        yield ("variants", checks.CONTROL), "control is the run without faults; choose another name"
    if len(scenario.variants) == 1:
        yield ("variants",), "one variant has nothing to be compared with; give two or more, or none"
