"""Which names of MXNet and Horovod a script uses, and how it calls them: read from its text, nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.base.errors import InputError

PACKAGES = ("mxnet", "horovod")


@dataclass(frozen=True)
class Used:
    """A dotted name and where it stands; of a call the names of arguments, and how many have none.

    ``keywords`` None: it is not called there, or with ``*`` or ``**``, so that nobody can say.
    """

    name: str
    place: str
    keywords: tuple[str, ...] | None = None
    places: int = 0


def used_by(script: Path) -> list[Used]:
    """Of a script, and of modules beside it that it imports; InputError where it cannot be read.

    Names in a ``try`` that goes on where they are missing are left out: there is another way.
    """
    found: list[Used] = []
    waiting, seen = [script], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        tree = _tree(file)
        modules, roots = [*_modules(tree)], dict(_roots(tree))
        found += sorted(_used(_unguarded(tree), roots, file.name), key=lambda each: each.place)
        waiting += [beside for module in modules for beside in _beside(script.parent, module)]
    return found


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{file} is no Python: {error}") from error


_MISSING = {"ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "Exception", "BaseException"}
"""What is raised where a name is missing, or refuses what it is given."""


class _Unguarded(ast.NodeTransformer):
    """Leaves out what may fail where the script goes on by another way then."""

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        another_way = any(_is_for_missing(each) and not _leaves(each) for each in node.handlers)
        return [*node.orelse, *node.finalbody] if another_way else node


def _is_for_missing(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or ast.unparse(kind).rpartition(".")[2] in _MISSING for kind in kinds)


def _leaves(handler: ast.ExceptHandler) -> bool:
    """Whether it ends by an error or the script's end."""
    last = handler.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return ast.unparse(last.value.func) in ("sys.exit", "exit", "quit", "os._exit")
    return isinstance(last, ast.Raise)


def _unguarded(tree: ast.Module) -> ast.Module:
    _Unguarded().visit(tree)
    return tree


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inside = f"{node.module}." if node.module else ""
            yield from (node.module or "", *(f"{inside}{alias.name}" for alias in node.names))


def _beside(folder: Path, module: str) -> Iterator[Path]:
    place = folder.joinpath(*filter(None, module.split(".")))
    yield from (path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file())


def _used(tree: ast.Module, roots: Mapping[str, str], file: str) -> Iterator[Used]:
    """The longest name at each place; what is imported by its name counts, too."""
    for taken in _imports_from(tree):
        for alias in taken.names:
            if alias.name != "*":
                yield Used(f"{taken.module}.{alias.name}", f"{file}:{taken.lineno}")
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in inner:
            name = _dotted(node, roots)
            if name is not None and "." in name:
                yield _called(name, f"{file}:{node.lineno}", calls.get(id(node)))


def _roots(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What names stand for, anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] in PACKAGES:
                    yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
    for node in _imports_from(tree):
        yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def _imports_from(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] in PACKAGES:
            yield node


def _dotted(node: ast.expr, roots: Mapping[str, str]) -> str | None:
    if isinstance(node, ast.Name):
        return roots.get(node.id)
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value, roots)
        return None if before is None else f"{before}.{node.attr}"
    return None


def _called(name: str, place: str, call: ast.Call | None) -> Used:
    if call is None or any(keyword.arg is None for keyword in call.keywords):
        return Used(name, place)
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return Used(name, place)
    return Used(name, place, tuple(keyword.arg or "" for keyword in call.keywords), len(call.args))


def names(used: Sequence[Used]) -> list[str]:
    """Each once, in order."""
    return list(dict.fromkeys(each.name for each in used))
