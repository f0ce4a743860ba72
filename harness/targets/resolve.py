"""A scenario's target to an interpreter."""

from __future__ import annotations

from harness.base.errors import InputError
from harness.scenario.schema import Target
from harness.targets import environment
from harness.targets.environment import Say
from harness.targets.interpreter import Interpreter, on_disk


def settle(target: Target, mxnet: str | None, python: str | None, horovod: bool = False) -> Target:
    """The target with the command line's choice over the scenario's, and default versions where neither chose.

    ``horovod`` tells whether the scenario uses it. InputError when the version is none.
    """
    chosen = _chosen(target, mxnet, python)
    if horovod and chosen.python is None and chosen.horovod is None:
        return chosen.model_copy(update={"horovod": environment.DEFAULT_HOROVOD})
    return chosen


def _chosen(target: Target, mxnet: str | None, python: str | None) -> Target:
    if python and mxnet:
        raise InputError(f"give mxnet {mxnet!r} or python {python!r}, not both: that python has its own mxnet")
    if python:
        return target.model_copy(update={"mxnet": None, "horovod": None, "python": python})
    if mxnet:
        try:
            Target(mxnet=mxnet)
        except ValueError as error:
            raise InputError(f"{mxnet!r} is not a version; write it as in 1.9.1") from error
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
    assert target.mxnet is not None
    built = environment.built(environment.recipe(target.mxnet, target.horovod))
    return built.interpreter if built else None


def interpreter(target: Target, say: Say) -> Interpreter:
    """Find or build it; TargetError when that fails."""
    if target.python:
        return on_disk(target.python)
    assert target.mxnet is not None
    return environment.ensure(environment.recipe(target.mxnet, target.horovod), say).interpreter
