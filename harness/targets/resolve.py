"""A scenario's target to an interpreter."""

from __future__ import annotations

from collections.abc import Mapping

from harness.base.errors import InputError
from harness.gpu import wheels
from harness.planning.plan import Plan
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Target
from harness.targets import environment, horovod_wheel, other_nccl, signatures
from harness.targets.build_step import Say
from harness.targets.environment import Recipe
from harness.targets.interpreter import Interpreter, on_disk

_BUILT = ("mxnet", "horovod", "numpy", "cuda", "nccl", "cudnn")
"""Fields of what the harness builds; an interpreter brings its own."""


def settle(target: Target, mxnet: str | None, python: str | None, horovod: bool = False) -> Target:
    """The target with the command line's choice over the scenario's, and default versions where neither chose.

    ``horovod`` tells whether the scenario uses it. InputError when the version is none.
    """
    chosen = _chosen(target, mxnet, python)
    if horovod and chosen.python is None and chosen.horovod is None:
        return chosen.model_copy(update={"horovod": horovod_wheel.DEFAULT})
    return chosen


def settled(
    loaded: LoadedScenario, mxnet: str | None = None, python: str | None = None, env: Mapping[str, str] | None = None
) -> dict[str, Target]:
    """The target of each arm that a scenario describes, by name.

    The choice of the command line, and variables ``env``, come before the scenario's; what a variant says of its own
    comes before them.
    """
    return {name: _of_arm(loaded, arm.target, mxnet, python, env or {}) for name, arm in loaded.arms.items()}


def _of_arm(
    loaded: LoadedScenario, target: Target, mxnet: str | None, python: str | None, env: Mapping[str, str]
) -> Target:
    base = loaded.scenario.target
    own = {name: value for name, value in target.env.items() if base.env.get(name) != value}
    if target.model_copy(update={"env": {}}) != base.model_copy(update={"env": {}}):
        mxnet = python = None
    chosen = settle(target, mxnet, python, loaded.uses_horovod)
    return chosen.model_copy(update={"env": {**target.env, **env, **own}})


def _chosen(target: Target, mxnet: str | None, python: str | None) -> Target:
    if python and mxnet:
        raise InputError(f"give mxnet {mxnet!r} or python {python!r}, not both: that python has its own mxnet")
    if python:
        return target.model_copy(update={**dict.fromkeys(_BUILT), "python": python})
    if mxnet:
        try:
            Target(mxnet=mxnet)
        except ValueError as error:
            raise InputError(f"{mxnet!r} is not a version; write it as in 1.9.1") from error
        if target.cuda and mxnet not in wheels.VERSIONS:
            raise InputError(f"there is no {wheels.WHEEL} {mxnet}; there are {', '.join(wheels.VERSIONS)}")
        return target.model_copy(update={"mxnet": mxnet, "python": None})
    if target.python or target.mxnet:
        return target
    return target.model_copy(update={"mxnet": environment.DEFAULT_MXNET})


def present(target: Target) -> Interpreter | None:
    """The interpreter of a target, if it is there; nothing is built."""
    if target.python:
        try:
            return on_disk(target.python)
        except InputError:
            return None
    built = environment.built(recipe(target))
    return built.interpreter if built else None


def recipe(target: Target) -> Recipe:
    """What a target that the harness builds is made of."""
    assert target.mxnet is not None
    return environment.recipe(target.mxnet, target.horovod, target.cuda, target.nccl, target.cudnn, target.numpy)


def interpreters(plan: Plan, say: Say, written: LoadedScenario | None = None) -> dict[str, Interpreter]:
    """That of each arm of a plan, found or built; ``written`` tells where what it asks for stands.

    TargetError when that fails, InputError when one has not the optimizer that is asked for.
    """
    found: dict[str, Interpreter] = {}
    for arm in plan.arms:
        known = next(
            (found[other.name] for other in plan.arms if other.name in found and other.target == arm.target), None
        )
        found[arm.name] = known or interpreter(arm.target, say)
        other_nccl.ensure(arm, say)
    signatures.require(plan, found, written)
    return found


def interpreter(target: Target, say: Say) -> Interpreter:
    """Find or build it; TargetError when that fails."""
    if target.python:
        return on_disk(target.python)
    return environment.ensure(recipe(target), say).interpreter
