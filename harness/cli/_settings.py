"""Words about settings that do nothing, or more than one may think."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from harness.checks import MAIN
from harness.cli._console import Console
from harness.gpu import visible
from harness.planning.plan import Arm, Plan
from harness.planning.planner import DEFAULT_ENV
from harness.scenario import model_file, models
from harness.targets.interpreter import Interpreter
from harness.targets.settings import FAMILIES, does_nothing, unread
from harness.topologies import BIGARRAY_BOUND

_SETTINGS = tuple(f"{family}_" for family in FAMILIES)
_OF_DRIVER = {
    f"CUDA_{name}"
    for name in (
        *("VISIBLE_DEVICES", "DEVICE_ORDER", "MANAGED_FORCE_DEVICE_ALLOC", "DEVICE_MAX_CONNECTIONS", "AUTO_BOOST"),
        *("CACHE_DISABLE", "CACHE_PATH", "CACHE_MAXSIZE", "FORCE_PTX_JIT", "DISABLE_PTX_JIT", "FORCE_JIT"),
        *("DISABLE_JIT", "LAUNCH_BLOCKING", "SCALE_LAUNCH_QUEUES", "MODULE_LOADING", "MODULE_DATA_LOADING"),
        *("ENABLE_COREDUMP_ON_EXCEPTION", "MPS_PIPE_DIRECTORY", "MPS_LOG_DIRECTORY", "MPS_ACTIVE_THREAD_PERCENTAGE"),
    )
}
"""What CUDA's driver reads ("CUDA Environment Variables"), which is no library of a target and may not be here."""

_OURS = {*DEFAULT_ENV, BIGARRAY_BOUND, visible.ORDER}


def warn_of_unread(say: Console, plan: Plan, interpreters: Mapping[str, Interpreter | None]) -> dict[str, str]:
    """Say which variables of an arm nothing in its target reads; nothing where a target is not there yet.

    Returns them, with the nearest name that is read, or "". A user's own file may read what it names, but for what only
    libraries do.
    """
    named = (
        _only_of_mxnet(arm) - _OURS - _named_by(arm.workload.own_file) - (_OF_DRIVER if arm.gpus else set())
        for arm in plan.arms
    )
    return warn_of_names(say, zip(named, (interpreters[arm.name] for arm in plan.arms), strict=True))


def _only_of_mxnet(arm: Arm) -> set[str]:
    """Variables of an arm, but for those that a library which it preloads may read."""
    return {name for name in arm.env if "LD_PRELOAD" not in arm.env or name.startswith(_SETTINGS)}


def _named_by(path: str | None) -> set[str]:
    """Variables that a user's file names, of no family that libraries have."""
    from harness.scenario.own_script import names_in

    try:
        named = names_in(Path(path).read_text(errors="replace")) if path is not None else set()
    except OSError:
        return set()
    return {name for name in named if not name.startswith(_SETTINGS)}


def warn_of_names(say: Console, asked: Iterable[tuple[Iterable[str], Interpreter | None]]) -> dict[str, str]:
    """The same for names and the interpreters that they are for, each target searched once."""
    names: dict[Interpreter, set[str]] = {}
    for wanted, interpreter in asked:
        if interpreter is not None:
            names.setdefault(interpreter, set()).update(wanted)
    found = {name: near for interpreter, all_ in names.items() for name, near in unread(all_, interpreter).items()}
    for name, near in found.items():
        say.print(does_nothing(name, near), style="yellow", soft_wrap=True)
    return found


def warn_of_shell(say: Console, arms: Sequence[Arm]) -> None:
    """A variable of the shell counts as passed on only where every arm has the same value."""
    from harness.scenario.own_script import asked_of_the_shell

    set_ = {name: value for name, value in os.environ.items() if name.startswith(_SETTINGS)}
    for path in {arm.workload.script.path for arm in arms if arm.workload.script is not None}:
        with suppress(OSError):
            set_ |= asked_of_the_shell(Path(path).read_text(errors="replace"), os.environ)
    ignored = sorted(name for name, value in set_.items() if any(arm.env.get(name) != value for arm in arms))
    if ignored:
        names = ", ".join(ignored)
        say.print(f"not passed on to the run: {names}; set them in the scenario's target.env", style="yellow")
    sys.stderr.flush()


def warn_of_workloads(say: Console, plan: Plan) -> None:
    """Lists of operators for AMP do not add to MXNet's own; a metric asks for samples that nobody trained with."""
    for file in dict.fromkeys(arm.workload.model for arm in plan.arms if not arm.workload.held_back):
        _warn_of_metric(say, models.file_of(file))
    amps = [arm.workload.amp for arm in plan.arms if arm.workload.amp is not None]
    for name in dict.fromkeys(name for amp in amps for name in amp.replaced):
        say.print(f"workload.amp.{name} replaces MXNet's own list; it adds nothing to it", style="yellow")


def _warn_of_metric(say: Console, path: str | None) -> None:
    if path is None or "metric" not in (known := model_file.read(path)).functions:
        return
    instead = "; batches has none of these" if known.facts.own_batches else ""
    say.print(
        f"metric of {Path(path).name} does nothing without workload.held_back, samples of the dataset that are kept "
        f"from training{instead}",
        style="yellow",
        soft_wrap=True,
    )


def warn_of_no_control(say: Console, plan: Plan) -> None:
    """A script with faults has nothing beside it to look at, unless what it writes has a place of its own."""
    scripts = [arm.workload.script for arm in plan.arms if arm.of == MAIN and arm.schedule]
    if any(script is not None and not script.scratch for script in scripts) and len({arm.of for arm in plan.arms}) == 1:
        say.print(
            "no control is run beside this script, which would write over what the job writes; give workload.scratch: "
            "true, or name control in a check",
            style="yellow",
            soft_wrap=True,
        )
