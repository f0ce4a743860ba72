"""What the mutants came to: ``python -m tests.mutants``, after ``mutmut run``. Exit status 1 below the limit.

A mutant that a test times out on is killed, too; one that no test runs has survived. Survivors are listed with the
reason, where one is known: those of `EQUIVALENT` cannot be told from the original, others differ in the words of a
sentence only, or at one value of a comparison only. They count as survivors all the same.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LIMIT = 0.9
KILLED = ("killed", "timeout", "suspicious", "segfault")
EQUIVALENT = {
    "x_entry_model": "it runs when modules are imported, before a mutant is chosen",
    "ǁfinish": "nobody asks for a phase by name but for the two that wait and are in force",
}
WORDS, BOUNDARY = "the words of a sentence", "one value of a comparison, as where times are equal"
_CLOSED = {ast.LtE: ast.Lt, ast.GtE: ast.Gt}


def main() -> int:
    """Print the share that was killed, and who survived, by function, with a reason where one is known."""
    command = [str(Path(sys.executable).with_name("mutmut")), "results", "--all", "true"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    fates = dict(re.findall(r"^\s*(\S+): ([\w ]+)$", "\n".join(lines), re.M))
    killed = sum(fate in KILLED for fate in fates.values())
    survivors = Counter((_function(name), _reason(name)) for name, fate in fates.items() if fate not in KILLED)
    for (name, reason), count in survivors.most_common():
        sys.stdout.write(f"{count:4} {name}{'  ' + reason if reason else ''}\n")
    reasons = Counter(reason for (_, reason), count in survivors.items() for _ in range(count))
    sys.stdout.writelines(f"{count:4} {reason or 'no reason known'}\n" for reason, count in reasons.most_common())
    share = killed / max(1, len(fates))
    sys.stdout.write(f"{killed} of {len(fates)} mutants were killed: {share:.1%}; {LIMIT:.0%} are asked\n")
    return int(share < LIMIT)


def _function(mutant: str) -> str:
    return re.sub(r"__mutmut_\d+$", "", mutant)


def _reason(mutant: str) -> str:
    module, _, name = mutant.rpartition(".")
    known = next((why for part, why in EQUIVALENT.items() if part in name), "")
    functions = _functions(module)
    original, changed = functions.get(f"{_function(name)}__mutmut_orig"), functions.get(name)
    if known or original is None or changed is None:
        return known
    if _Plain(words=True).of(original) == _Plain(words=True).of(changed):
        return WORDS
    return BOUNDARY if _Plain(words=False).of(original) == _Plain(words=False).of(changed) else ""


@cache
def _functions(module: str) -> Mapping[str, ast.FunctionDef]:
    """All functions of a module with its mutants, by name."""
    source = Path("mutants", *module.split(".")).with_suffix(".py")
    if not source.exists():
        source = source.with_suffix("") / "__init__.py"
    nodes = ast.walk(ast.parse(source.read_text()))
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}


class _Plain(ast.NodeTransformer):
    """A function without its name, and without its ``words``, or else without the boundaries of its comparisons."""

    def __init__(self, words: bool) -> None:
        self._words = words

    def of(self, function: ast.FunctionDef) -> str:
        body = ast.Module([self.visit(statement) for statement in ast.parse(ast.unparse(function)).body[0].body], [])
        return ast.dump(body)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if self._words and isinstance(node.value, str) and " " in node.value else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if not self._words:
            node.ops = [_CLOSED.get(type(operator), type(operator))() for operator in node.ops]
        return self.generic_visit(node)


if __name__ == "__main__":
    sys.exit(main())
