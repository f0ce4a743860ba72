"""Variables that somebody asks for, and that nothing in their target reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError
from harness.gpu import visible
from harness.planning.plan import Arm, Plan
from harness.planning.planner import DEFAULT_ENV
from harness.scenario import models
from harness.scenario.schema import Target
from harness.targets import resolve, settings
from harness.targets.build_step import Say
from harness.targets.interpreter import Interpreter
from harness.topologies import BIGARRAY_BOUND

_PRELOADS = "LD_PRELOAD"
OF_FAMILIES = tuple(f"{family}_" for family in settings.FAMILIES)
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


def of_plan(plan: Plan, interpreters: Mapping[str, Interpreter | None]) -> dict[str, str]:
    """Of all arms, with the nearest name that is read, or ""; nothing where a target is not there yet.

    A user's own file may read what it names, but for what only libraries do.
    """
    named = (
        _only_of_mxnet(arm) - _OURS - _named_by(arm.workload.own_file) - (_OF_DRIVER if arm.gpus else set())
        for arm in plan.arms
    )
    return of_names(zip(named, (interpreters[arm.name] for arm in plan.arms), strict=True))


def of_names(asked: Iterable[tuple[Iterable[str], Interpreter | None]]) -> dict[str, str]:
    """The same for names and the interpreters that they are for, each target searched once."""
    names: dict[Interpreter, set[str]] = {}
    for wanted, interpreter in asked:
        if interpreter is not None:
            names.setdefault(interpreter, set()).update(wanted)
    return {
        name: near for interpreter, all_ in names.items() for name, near in settings.unread(all_, interpreter).items()
    }


def of_targets(targets: Sequence[Target], more: Collection[str], say: Say) -> dict[str, str]:
    """Of targets that are asked about together, and of what scenarios have besides, those that none of them reads.

    They are built for that; what one of them reads is told where what they read is compared, and so is one that cannot
    be built.
    """
    asked = {name for target in targets for name in target.env}
    preloads = any(_PRELOADS in target.env for target in targets)
    names = {name for name in asked if not preloads or name.startswith(OF_FAMILIES)} | {*more}
    names -= _OURS | _OF_DRIVER
    if not names:
        return {}
    try:
        interpreters = dict.fromkeys(resolve.interpreter(resolve.settle(each, None, None), say) for each in targets)
    except HarnessError:
        return {}
    first, *others = (settings.unread(names, interpreter) for interpreter in interpreters)
    return {name: near for name, near in first.items() if all(name in other for other in others)}


def of_values(values: Mapping[str, Any]) -> set[str]:
    """What a scenario sets for all of its arms, but for what its own files may read."""
    workload, env = values.get("workload") or {}, (values.get("target") or {}).get("env") or {}
    named = _named_by(workload.get("script") or models.file_of(workload.get("model") or ""))
    return {name for name in env if name.startswith(OF_FAMILIES) or not (_PRELOADS in env or name in named)}


def _only_of_mxnet(arm: Arm) -> set[str]:
    """Variables of an arm, but for those that a library which it preloads may read."""
    return {name for name in arm.env if _PRELOADS not in arm.env or name.startswith(OF_FAMILIES)}


def _named_by(path: str | None) -> set[str]:
    """Variables that a user's file names, of no family that libraries have."""
    from harness.scenario.own_script import names_in

    try:
        named = names_in(Path(path).read_text(errors="replace")) if path is not None else set()
    except OSError:
        return set()
    return {name for name in named if not name.startswith(OF_FAMILIES)}
