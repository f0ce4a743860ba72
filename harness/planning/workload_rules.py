"""What a workload may not ask for, beyond what its fields allow each by itself. Pure, but for files that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from harness.faults import DrawsSizes
from harness.planning.fault_rules import Violation
from harness.scenario import model_file, models
from harness.scenario.schema import DATASETS, Scenario, Workload
from harness.shapes import Distribution


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that its workload breaks: the path of the field and what is wrong."""
    for rule in (_script, _model_file, _amp, _dataset, _input):
        yield from rule(scenario)
    yield from _workload(scenario.workload)


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
    if any(varying(workload)):
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
        for field in varying(workload):
            yield ("workload", field), f"{model} takes one size only; use distribution: fixed"


def varying(workload: Workload) -> Iterator[str]:
    """The fields by which steps have other sizes than those before."""
    return (field for field, sizes in _distributions(workload) if sizes.refusal() is None and sizes.varies)


def _distributions(workload: Workload) -> list[tuple[str, Distribution]]:
    """Of sizes, by their fields."""
    given: Mapping[str, Distribution | None] = {"shapes": workload.shapes, "widths": workload.widths}
    return [(field, sizes) for field, sizes in given.items() if sizes is not None]
