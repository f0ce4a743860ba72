"""``harness run``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.execution.request import Planned

HELP = "run scenarios, measure and judge them"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_scenarios(parser)
    parser.add_argument("--tag", help="only scenarios with this tag")
    _options.add_repeat(parser)
    _options.add_changes(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.execution.disturbance import Disturbance

    disturbance = Disturbance()
    from harness.cli import _running
    from harness.planning.validation import load

    loaded = {file: load(file, _options.changes(arguments)) for file in _options.files(arguments)}
    tagged = {file: scenario for file, scenario in loaded.items() if arguments.tag in (None, *scenario.scenario.tags)}
    if not tagged:
        tags = sorted({tag for scenario in loaded.values() for tag in scenario.scenario.tags})
        raise InputError(f"no scenario has the tag {arguments.tag!r}; there are {', '.join(tags) or 'none'}")
    planned = {file: _options.planned(scenario, arguments) for file, scenario in tagged.items()}
    return _running.run_all(_possible(planned, arguments.paths), arguments.results, arguments.json, disturbance)


def _possible(planned: dict[Path, Planned], named: list[Path]) -> list[Planned]:
    """The scenarios that this machine can run.

    Of those found in a folder, the ones that it cannot run are left out; InputError for one that the user named.
    """
    from harness.execution import machine

    possible = []
    for file, scenario in planned.items():
        missing = machine.unmet(scenario.plan)
        if missing is None:
            possible.append(scenario)
        elif file in named:
            raise InputError(missing)
        else:
            print(f"left out: {missing}", file=sys.stderr)
    if not possible:
        raise InputError("this machine can run none of them")
    return possible
