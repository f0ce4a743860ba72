"""``harness run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli import _options
from harness.errors import InputError

if TYPE_CHECKING:
    from harness.plan import Plan

HELP = "run scenarios, measure and judge them"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_scenarios(parser)
    parser.add_argument("--tag", help="only scenarios with this tag")
    _options.add_changes(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import _running
    from harness.scenario.load import load

    loaded = {file: load(file, _options.changes(arguments)) for file in _options.files(arguments)}
    chosen = {file: one for file, one in loaded.items() if arguments.tag is None or arguments.tag in one.scenario.tags}
    if not chosen:
        tags = sorted({tag for one in loaded.values() for tag in one.scenario.tags})
        raise InputError(f"no scenario has the tag {arguments.tag!r}; there are {', '.join(tags) or 'none'}")
    plans = {file: (_options.plan(one, arguments), one.text) for file, one in chosen.items()}
    return _running.run_all(_possible(plans, arguments.paths), arguments.results, arguments.json)


def _possible(plans: dict[Path, tuple[Plan, str]], named: list[Path]) -> list[tuple[Plan, str]]:
    """The plans that this machine can run.

    Of scenarios found in a folder, those that it cannot run are left out; InputError for one that the user named.
    """
    from harness import machine

    found = []
    for file, (plan, text) in plans.items():
        missing = machine.unmet(plan)
        if missing is None:
            found.append((plan, text))
        elif file in named:
            raise InputError(missing)
        else:
            print(f"left out: {missing}", file=sys.stderr)
    if not found:
        raise InputError("this machine can run none of them")
    return found
