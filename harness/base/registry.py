"""Find the parts of a kind: one module of a package, one class, one name; there is no list to edit.

Parts of other distributions are found by entry points, whose group is the package's name: ``harness.faults`` and so on
(https://packaging.python.org/en/latest/specifications/entry-points/).
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from harness.base.errors import RegistryError

Part = TypeVar("Part")


@cache
def load(package: str, base: type[Part]) -> dict[str, type[Part]]:
    """Name to class: those of each module of ``package`` in order of names, then those of entry points.

    Raises RegistryError when a module defines no class of ``base`` with a ``name``, when two define the same, or when
    an entry point cannot be loaded.
    """
    parts: dict[str, type[Part]] = {}
    for part in (*_own(package, base), *_others(package, base)):
        name = part.__dict__["name"]
        if name in parts:
            raise RegistryError(f"{name!r} is defined by both {parts[name].__module__} and {part.__module__}")
        parts[name] = part
    return parts


def _own(package: str, base: type[Part]) -> Iterator[type[Part]]:
    root = importlib.import_module(package)
    for info in sorted(pkgutil.iter_modules(root.__path__), key=lambda info: info.name):
        yield _part_of(importlib.import_module(f"{package}.{info.name}"), base)


def _part_of(module: ModuleType, base: type[Part]) -> type[Part]:
    parts = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, base) and value.__module__ == module.__name__
    ]
    named = [part for part in parts if isinstance(part.__dict__.get("name"), str)]
    if len(named) != 1:
        raise RegistryError(f"{module.__name__} must define one {base.__name__} with a name, it has {len(named)}")
    return named[0]


def _others(package: str, base: type[Part]) -> Iterator[type[Part]]:
    for point in _points(package):
        try:
            part = point.load()
        except (Exception, SystemExit) as error:  # whatever a foreign module raises, it is that module's
            why = " ".join(f"{type(error).__name__}: {error}".split())
            raise RegistryError(f"entry point {_described(point)} cannot be loaded: {why}") from error
        if not (isinstance(part, type) and issubclass(part, base) and isinstance(part.__dict__.get("name"), str)):
            raise RegistryError(f"entry point {_described(point)} is not a {base.__name__} with a name")
        yield part


def modules(package: str) -> dict[str, str]:
    """Name to dotted name of every module of ``package`` and of every entry point of its group; none is imported.

    For parts that are read or run elsewhere: the files of the measured program, and of the agent.
    """
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec is not None else None
    names = {info.name: f"{package}.{info.name}" for info in pkgutil.iter_modules(folders or [])}
    for point in _points(package):
        if point.name in names:
            raise RegistryError(f"{point.name!r} is defined by both {names[point.name]} and {point.module}")
        names[point.name] = point.module
    return dict(sorted(names.items()))


def source(module: str) -> Path:
    """The file of a module, which is not imported (packages around it are); RegistryError when there is none."""
    try:
        spec = importlib.util.find_spec(module)
    except ImportError as error:
        raise RegistryError(f"{module} cannot be found: {error}") from error
    if spec is None or spec.origin is None:
        raise RegistryError(f"{module} is not a file")
    return Path(spec.origin)


def require_class(module: str, name: str) -> None:
    """RegistryError unless a module's file, which is not run, has something of that name at its top."""
    file = source(module)
    try:
        tree = ast.parse(file.read_text())
    except (OSError, SyntaxError, ValueError) as error:
        raise RegistryError(f"{module} cannot be read: {error}") from error
    if name not in defined_in(tree):
        raise RegistryError(f"{module} defines no class {name} ({file})")


def defined_in(tree: ast.Module) -> frozenset[str]:
    """Names that a module has at its top."""
    defined = {getattr(node, "name", "") for node in tree.body}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            defined |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            parts = (name for target in targets for name in ast.walk(target))
            defined |= {name.id for name in parts if isinstance(name, ast.Name)}
    return frozenset(defined)


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in order of names."""
    return tuple(sorted(_installed().select(group=group), key=lambda point: point.name))


@cache
def _installed() -> Any:
    """All entry points there are, which takes some 10 ms to find out; their type depends on Python's version."""
    return entry_points()


def _described(point: EntryPoint) -> str:
    return f"{point.name} = {point.value} of {point.dist.name if point.dist else 'nobody'}"
