"""What a target's own optimizers and schedules of learning rates take: read from its sources, nothing is imported.

Names are as ``mx.optimizer.create`` finds them: those of registered classes, in lower case.
"""

from __future__ import annotations

import ast
import difflib
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from harness.base.errors import InputError, ScenarioError
from harness.base.process import answer
from harness.planning.plan import Arm, Plan
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Optimizer
from harness.targets.interpreter import Interpreter

_WHERE = "from importlib.util import find_spec; print(find_spec('mxnet').submodule_search_locations[0])"
_PATIENCE_SECONDS = 30.0
_SCHEDULER = "Scheduler"
_TESTS = "Test"
"""An optimizer that MXNet tests itself with."""

_NOT_GIVEN = {"rescale_grad", "param_idx2name", "sym", "param_dict", "lr_scheduler", "base_lr"}
"""Arguments that the loop sets, or another field."""


@dataclass(frozen=True)
class Signature:
    """Names of the arguments that a scenario may give, and of those that it must."""

    taken: frozenset[str]
    needed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Signatures:
    """By name."""

    optimizers: Mapping[str, Signature]
    schedules: Mapping[str, Signature]


@dataclass(frozen=True)
class Refusal:
    """Why something is not to be had, and of which field of an optimizer."""

    field: tuple[str, ...]
    why: str

    def error(self, arm: Arm, written: LoadedScenario | None) -> InputError:
        """The same with its place, where the scenario is there as it is written."""
        path, why = ("workload", "optimizer", *self.field), f"{self.why} ({arm.target})"
        if written is None:
            return InputError(f"{'.'.join(path)}: {why}")
        return ScenarioError([written.problem(arm.of if arm.of in written.variants else "", path, why)])


def require(plan: Plan, interpreters: Mapping[str, Interpreter | None], written: LoadedScenario | None = None) -> None:
    """InputError where an arm's optimizer, or its schedule, is none of its target's, or has other arguments.

    What a target does not tell of is left to MXNet.
    """
    for arm in plan.arms:
        interpreter, optimizer = interpreters[arm.name], arm.workload.optimizer
        if interpreter is None or not optimizer.is_particular or arm.workload.script is not None:
            continue
        known = of(interpreter.python)
        if known is not None and (refused := refusal(optimizer, known)) is not None:
            raise refused.error(arm, written)


def refusal(optimizer: Optimizer, known: Signatures) -> Refusal | None:
    """Of an optimizer, or of its schedule; None where nothing is refused."""
    refused = _refusal((), optimizer.name, optimizer.arguments, known.optimizers)
    if refused is not None or not optimizer.schedule:
        return refused
    return _refusal(("schedule",), optimizer.schedule.name, optimizer.schedule.arguments, known.schedules)


def _refusal(
    field: tuple[str, ...], name: str, given: Mapping[str, object], known: Mapping[str, Signature]
) -> Refusal | None:
    if name not in known:
        why = f"there is no {name!r}; allowed are {', '.join(sorted(known))}{_meant(name, known)}"
        return Refusal((*field, "name"), why)
    signature = known[name]
    for argument in sorted(set(given) - signature.taken):
        takes = ", ".join(sorted(signature.taken))
        why = f"{name} has no such argument; it takes {takes}{_meant(argument, signature.taken)}"
        return Refusal((*field, argument), why)
    missing = sorted(signature.needed - set(given))
    return Refusal(field, f"{name} needs {', '.join(missing)}") if missing else None


def _meant(name: str, known: Mapping[str, object] | frozenset[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


@cache
def of(python: Path) -> Signatures | None:
    """Those of the MXNet that an interpreter finds; None where it finds none."""
    try:
        told = answer([str(python), "-I", "-c", _WHERE], _PATIENCE_SECONDS, os.environ)
        told.check_returncode()
        return read(Path(told.stdout.strip()))
    except (OSError, SyntaxError, ValueError, subprocess.SubprocessError):
        return None


def read(package: Path) -> Signatures:
    """Those of the MXNet in a folder."""
    optimizers = _classes(sorted((package / "optimizer").glob("*.py")))
    schedules = _classes([package / "lr_scheduler.py"])
    return Signatures(
        {
            name.lower(): _signature(name, optimizers)
            for name, node in optimizers.items()
            if _is_registered(node) and name != _TESTS
        },
        {
            name.removesuffix(_SCHEDULER).lower(): _signature(name, schedules)
            for name, node in schedules.items()
            if name.endswith(_SCHEDULER) and list(_bases(node))
        },
    )


def _classes(files: Sequence[Path]) -> dict[str, ast.ClassDef]:
    nodes = (node for file in files for node in ast.parse(file.read_bytes()).body)
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


def _is_registered(node: ast.ClassDef) -> bool:
    return any(ast.unparse(decorator).rpartition(".")[2] == "register" for decorator in node.decorator_list)


def _bases(node: ast.ClassDef) -> Iterator[str]:
    """Names of classes that it is made from."""
    return (name for name in (ast.unparse(base).rpartition(".")[2] for base in node.bases) if name != "object")


def _signature(name: str, classes: Mapping[str, ast.ClassDef]) -> Signature:
    """Its own arguments and, where it passes on what it does not know, those of what it is made from."""
    node = classes.get(name)
    if node is None:
        return Signature(frozenset())
    made = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if made is None:
        above = [_signature(base, classes) for base in _bases(node)]
        return above[0] if above else Signature(frozenset())
    own = [argument.arg for argument in made.args.args[1:]]
    needed = own[: len(own) - len(made.args.defaults)]
    more = [_signature(base, classes).taken for base in _bases(node)] if made.args.kwarg is not None else []
    return Signature(frozenset(own).union(*more) - _NOT_GIVEN, frozenset(needed) - _NOT_GIVEN)
