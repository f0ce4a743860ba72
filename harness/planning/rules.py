"""What no single field can tell: combinations that cannot work, refused before anything starts."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from harness import checks, topologies
from harness.base.errors import InputError
from harness.faults import DrawsSizes
from harness.gpu import pool_settings, wheels
from harness.planning import fault_rules, network
from harness.planning.bounds import bounds_of
from harness.planning.fault_rules import Violation
from harness.scenario import model_file, models
from harness.scenario.schema import DATASETS, Scenario, Target, Workload
from harness.shapes import Distribution


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the scenario breaks: the path of the field and what is wrong."""
    yield from of_target(scenario.target)
    yield from _script(scenario)
    yield from _model_file(scenario)
    yield from _amp(scenario)
    yield from _dataset(scenario)
    yield from _input(scenario)
    yield from _workload(scenario.workload)
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
    for field in _varying(workload):
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


def _script(scenario: Scenario) -> Iterator[Violation]:
    """Its file has to be there; and where something is to happen at a step, the number of steps."""
    workload = scenario.workload
    if workload.script is None:
        return
    if not Path(workload.script).is_absolute() or not _is(workload.script, Path.is_file):
        yield ("workload", "script"), f"{workload.script} is not a file"
    if workload.folder is not None and not _is(workload.folder, Path.is_dir):
        yield ("workload", "folder"), f"{workload.folder} is not a folder"
    folder = Path(workload.folder or Path(workload.script).parent)
    if workload.scratch and (folder == Path("/") or folder.is_relative_to("/proc") or folder.is_relative_to("/sys")):
        yield ("workload", "scratch"), f"the script runs in {folder}, of which no layer can be made; give a folder"
    if any("\0" in argument for argument in workload.args):
        yield ("workload", "args"), "no argument of a process has a byte 0 in it"
    if workload.checkpoint is not None and "\0" in (workload.checkpoint.files or ""):
        yield ("workload", "checkpoint", "files"), "no file's name has a byte 0 in it"
    for name in sorted(
        scenario.topology.model_fields_set & {"loop", "parallelism", "update_on_kvstore", "compression"}
    ):
        yield ("topology", name), "the script decides that; leave it out"
    if workload.steps is None and scenario.faults:
        yield ("workload",), "faults need to know of the steps; give steps, after which the script is stopped"
    if workload.steps is None and scenario.turns is not None:
        yield ("workload",), "turns need to know of the steps; give steps, after which the script is stopped"


def _is(path: str, kind: Callable[[Path], bool]) -> bool:
    """Whether something of that kind is there; a name may be none that a file can have."""
    try:
        return kind(Path(path))
    except (OSError, ValueError):
        return False


def _dataset(scenario: Scenario) -> Iterator[Violation]:
    workload, facts = scenario.workload, scenario.workload.facts
    if workload.script is not None:
        return
    if "samples" in workload.model_fields_set:
        if facts.own_batches:
            yield ("workload", "samples"), "the model's file has batches of its own; leave it out"
        elif (workload.dataset or DATASETS[facts.input][0]) == "digits":
            yield ("workload", "samples"), "there are 1,797 digits, always; it is for data that is drawn, as synthetic"
    if workload.dataset is None:
        return
    if facts.own_batches:
        yield ("workload", "dataset"), "the model's file has batches of its own; leave it out"
    elif workload.dataset not in DATASETS[facts.input]:
        able = " or ".join(DATASETS[facts.input])
        yield ("workload", "dataset"), f"{workload.model or 'the oracle'} takes {facts.input}; use {able}"


def _input(scenario: Scenario) -> Iterator[Violation]:
    """A loader brings one size, of samples that are ours."""
    workload, asked = scenario.workload, scenario.workload.input
    if asked is None:
        return
    path = "workload", "input"
    if workload.training != "gluon" or scenario.topology.parallelism == "model":
        yield path, "loaders are for the network that Gluon trains; leave it out"
    if workload.facts.own_batches:
        yield path, "the model's file has batches of its own; leave it out"
    if any(_varying(workload)):
        yield path, "a loader brings one size; use distribution: fixed"
    if workload.widths is not None:
        yield path, "a loader brings images as high as they are wide; leave out widths"
    if any(isinstance(entry.fault, DrawsSizes) for entry in scenario.faults):
        yield path, "a loader brings one size, and a fault asks for others; leave out one of both"
    only = {"threads": "data_loader", "pin_memory": "data_loader"}
    for field in sorted(asked.model_fields_set & only.keys()):
        if asked.by != only[field]:
            yield (*path, field), f"is a DataLoader's, not of {asked.by}; leave it out"
    if asked.by == "ndarray_iter" and (given := sorted(asked.model_fields_set & {"workers", "prefetch"})):
        yield (*path, given[0]), "NDArrayIter has all in memory and nothing to prepare; leave it out"
    if asked.by == "record_iter" and workload.facts.input != "image":
        yield (*path, "by"), f"record_iter brings images, and {workload.model} takes {workload.facts.input}"
    if asked.preprocessing != "none" and workload.facts.input not in ("image", "sequence"):
        yield (*path, "preprocessing"), f"is for images, and {workload.model} takes {workload.facts.input}"


def _amp(scenario: Scenario) -> Iterator[Violation]:
    amp, contexts = scenario.workload.amp, scenario.topology.contexts
    if amp is not None and amp.dtype == "float16" and any(context.startswith("cpu") for context in contexts):
        yield (
            ("workload", "amp"),
            f"float16 needs GPUs, and contexts are {', '.join(contexts)}, where MXNet says «FP16 gemm on cpu not "
            "implemented!» (src/operator/linalg_impl.h); use bfloat16",
        )
    if amp is not None and (both := sorted(set(amp.target_precision_ops or ()) & set(amp.fp32_ops or ()))):
        yield (
            ("workload", "amp"),
            f"{both[0]} is in target_precision_ops and in fp32_ops; it can run in one of them only",
        )


def _model_file(scenario: Scenario) -> Iterator[Violation]:
    """A network of the user's own."""
    workload = scenario.workload
    file = models.file_of(workload.model or "")
    if file is None:
        return
    function = str(workload.model).rpartition(":")[2]
    if (why := model_file.read(file).refusal(function, workload.model_args)) is not None:
        yield ("workload", "model"), why
    if scenario.topology.parallelism == "model":
        yield ("topology", "parallelism"), "networks from files are not supported; use data"
    if workload.facts.own_batches and workload.held_back:
        yield (
            ("workload", "held_back"),
            f"no batch of {file} can be held back; leave it out",
        )


def _model_arguments(workload: Workload) -> Iterator[Violation]:
    """They are those of the function that builds the network."""
    if not workload.model_args:
        return
    if workload.model is None:
        yield ("workload", "model_args"), "there is no model; leave it out"
        return
    known = models.arguments(workload.model)
    for name in () if known is None else sorted(set(workload.model_args) - known):
        yield ("workload", "model_args", name), f"is no argument of {workload.model}; {_allowed(known)}"


def _allowed(known: frozenset[str] | None) -> str:
    return f"allowed are {', '.join(sorted(known))}" if known else "it has none"


def _workload(workload: Workload) -> Iterator[Violation]:
    yield from _model_arguments(workload)
    if workload.steps is not None and workload.warmup >= workload.steps:
        yield ("workload", "warmup"), f"{workload.warmup} steps of warm-up leave nothing of {workload.steps} steps"
    if workload.optimizer.momentum is not None and workload.optimizer.name == "adam":
        yield ("workload", "optimizer", "momentum"), f"{workload.optimizer.name} has no momentum; leave it out"
    drawn = workload.dataset not in (None, "digits") or workload.facts.input in ("tokens", "ids")
    if drawn and workload.held_back >= workload.samples:
        held = f"{workload.held_back} of {workload.samples} samples leave none to train on"
        yield ("workload", "held_back"), held
    if workload.held_back and workload.training != "gluon":
        yield ("workload", "held_back"), "only networks that gluon trains can be examined; leave it out"
    yield from _sizes(workload)


def _sizes(workload: Workload) -> Iterator[Violation]:
    model = workload.model or f"the {workload.training}"
    if workload.widths is not None and (workload.facts.input != "image" or workload.model is None):
        yield ("workload", "widths"), f"are of images, which {model} does not take; leave them out"
    for field, sizes in _distributions(workload):
        if (why := sizes.refusal()) is not None:
            yield ("workload", field), why
        elif (smallest := sizes.padded(sizes.extremes()[0])) < workload.facts.smallest:
            yield ("workload", field), f"{model} needs a size of {workload.facts.smallest} or more, not {smallest}"
    if not workload.facts.variable:
        for field in _varying(workload):
            yield ("workload", field), f"{model} takes one size only; use distribution: fixed"


def _varying(workload: Workload) -> Iterator[str]:
    """The fields by which steps have other sizes than those before."""
    return (field for field, sizes in _distributions(workload) if sizes.refusal() is None and sizes.varies)


def _distributions(workload: Workload) -> list[tuple[str, Distribution]]:
    """Of sizes, by their fields."""
    given: Mapping[str, Distribution | None] = {"shapes": workload.shapes, "widths": workload.widths}
    return [(field, sizes) for field, sizes in given.items() if sizes is not None]


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
