"""Find the parts of a kind: one module of a package, one class, one name; there is no list to edit."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

from harness.errors import RegistryError

Part = TypeVar("Part")


def load(package: str, base: type[Part]) -> dict[str, type[Part]]:
    """Name to class for every module of ``package``, in order of names.

    Raises RegistryError when a module defines no class of ``base`` with a ``name``, or two define the same.
    """
    root = importlib.import_module(package)
    found: dict[str, type[Part]] = {}
    for info in sorted(pkgutil.iter_modules(root.__path__), key=lambda info: info.name):
        part = _part_of(importlib.import_module(f"{package}.{info.name}"), base)
        name = part.__dict__["name"]
        if name in found:
            raise RegistryError(f"{name!r} is defined by both {found[name].__module__} and {part.__module__}")
        found[name] = part
    return found


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
