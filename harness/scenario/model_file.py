"""A file of the user's with a function that builds a network: what it says at its top, read and not run.

It may have, beside the function: ``INPUT`` (`FORMS`: that of the harness's data), ``SIZE``, ``SMALLEST``,
``VARIABLE``, ``loss(outputs, labels)``, ``metric(outputs, labels)`` (how many samples are right) and
``batches(step, batch_size, size, seed, rank, workers)``, which returns two numpy arrays: its own data.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.base import registry
from harness.scenario.model_facts import ModelFacts

FORMS = ("image", "flat", "sequence", "tokens", "ids")
BATCHES = ("step", "batch_size", "size", "seed", "rank", "workers")
_DEFAULTS: dict[str, Any] = {"INPUT": "image", "SIZE": 8, "SMALLEST": 1, "VARIABLE": True}


@dataclass(frozen=True)
class ModelFile:
    """Names that are defined at its top, and what is known of its model; or, in ``problem``, why it cannot be used."""

    path: str
    names: frozenset[str]
    facts: ModelFacts
    problem: str | None = None
    functions: Mapping[str, ast.arguments] = field(default_factory=dict, compare=False)

    def arguments(self, function: str) -> frozenset[str] | None:
        """Names by which it can be asked for another network; None where it takes what Python will tell only."""
        found = self.functions.get(function)
        if found is None or found.kwarg is not None:
            return None
        return frozenset(one.arg for one in (*found.args, *found.kwonlyargs)) - {"classes"}

    def refusal(self, function: str, given: Collection[str] = ()) -> str | None:
        """Why the model that a function of it builds, from arguments of these names, cannot be trained."""
        if self.problem is not None:
            return self.problem
        if function not in self.names:
            return f"{self.path} has no function {function} at its top"
        if function in self.functions and (more := _needed(self.functions[function]) - {"classes", *given}):
            return f"{self.path}: {function} asks for {', '.join(sorted(more))}; give that in workload.model_args"
        if "batches" in self.functions and not _takes(self.functions["batches"], BATCHES):
            return f"{self.path}: batches has to take {', '.join(BATCHES)}, and nothing else"
        return None


def read(path: str) -> ModelFile:
    """What a file says; what is wrong with it is in its ``problem``."""
    try:
        tree = ast.parse(Path(path).read_bytes(), path)
    except OSError as error:
        return _unusable(path, f"{path} cannot be read: {(error.strerror or str(error)).lower()}")
    except (SyntaxError, ValueError) as error:
        where = f"{path}:{error.lineno}:{error.offset}" if isinstance(error, SyntaxError) else path
        return _unusable(path, f"{where}: {getattr(error, 'msg', error)}")
    names, found = registry.defined_in(tree), _constants(tree)
    if hidden := sorted((names & set(_DEFAULTS)) - set(found)):
        return _unusable(
            path, f"{path}: {hidden[0]} has to be written out, as in {hidden[0]} = {_DEFAULTS[hidden[0]]!r}"
        )
    constants = {**_DEFAULTS, **found}
    if (why := _wrong(path, constants)) is not None:
        return _unusable(path, why)
    functions = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    facts = ModelFacts(
        size=constants["SIZE"],
        variable=constants["VARIABLE"],
        smallest=constants["SMALLEST"],
        own_batches="batches" in names,
        input=constants["INPUT"],
    )
    return ModelFile(path, names, facts, functions=functions)


def _unusable(path: str, why: str) -> ModelFile:
    return ModelFile(path, frozenset(), ModelFacts(8, True, 1), why)


def _wrong(path: str, constants: dict[str, Any]) -> str | None:
    """Of the constants, the first that is none of what is allowed."""
    if constants["INPUT"] not in FORMS:
        return f"{path}: INPUT is {constants['INPUT']!r}; allowed are {', '.join(FORMS)}"
    for name in ("SIZE", "SMALLEST"):
        value = constants[name]
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            return f"{path}: {name} is {value!r}; allowed are whole numbers from 1"
    if not isinstance(constants["VARIABLE"], bool):
        return f"{path}: VARIABLE is {constants['VARIABLE']!r}; allowed are True and False"
    if constants["SIZE"] < constants["SMALLEST"]:
        return f"{path}: SIZE is {constants['SIZE']}, below SMALLEST, {constants['SMALLEST']}"
    return None


def _needed(arguments: ast.arguments) -> set[str]:
    """Names of arguments that have to be given."""
    positional = [*arguments.posonlyargs, *arguments.args]
    without = positional[: len(positional) - len(arguments.defaults)]
    named = (one for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if default is None)
    return {argument.arg for argument in (*without, *named)}


def _takes(arguments: ast.arguments, names: Sequence[str]) -> bool:
    """Whether these can be given by name, and no other has to be."""
    known = {argument.arg for argument in (*arguments.args, *arguments.kwonlyargs)}
    return (arguments.kwarg is not None or set(names) <= known) and _needed(arguments) <= set(names)


def _constants(tree: ast.Module) -> dict[str, Any]:
    """Those of its constants that are ours and written out."""
    found = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
            continue
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            if isinstance(target, ast.Name) and target.id in _DEFAULTS:
                found[target.id] = _literal(node.value)
    return found


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)
