"""Words about environment variables that do nothing."""

from __future__ import annotations

from collections.abc import Collection

from harness.cli._console import Console
from harness.planning.plan import Plan
from harness.planning.planner import DEFAULT_ENV
from harness.targets.interpreter import Interpreter
from harness.targets.settings import unread
from harness.topologies import BIGARRAY_BOUND


def chosen(plan: Plan) -> set[str]:
    """The variables that a scenario sets, in any arm."""
    return {name for arm in plan.arms for name in arm.env} - {*DEFAULT_ENV, BIGARRAY_BOUND}


def warn_of_unread(say: Console, names: Collection[str], interpreter: Interpreter | None) -> None:
    """Say which names nothing in the target reads; nothing where it is not there yet, or cannot be searched."""
    for name, near in unread(names, interpreter).items() if interpreter and names else ():
        meant = f"; did you mean {near}?" if near else ""
        say.print(f"{name} does nothing: no library of the target reads it{meant}", style="yellow", soft_wrap=True)
