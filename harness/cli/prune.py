"""``harness prune``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.studies.pruning import Unit

HELP = "say which runs, studies or targets are older or more than you want to keep, and with --yes remove them"
_SHOWN = 5
EXIT_CODES = "exit codes: 0 done, or said what would be; 2 a mistake in the input; 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    older = "what is older (of targets: unused for longer), as 30d, 12h"
    parser.add_argument("--older", type=_options.age, metavar="AGE", help=older)
    parser.add_argument(
        "--keep", type=_options.number, metavar="N", help="all but the newest N; what is kept anyway pushes none out"
    )
    parser.add_argument(
        "--size",
        type=_options.size,
        metavar="SIZE",
        help="the oldest, until the rest takes no more, as 2GB; what is kept anyway does not count",
    )
    parser.add_argument(
        "--targets", action="store_true", help="prune the environments that the harness built, not runs"
    )
    parser.add_argument("--yes", action="store_true", help="remove it; without, nothing is removed")
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    import time

    from harness.studies import pruning

    units = _targets() if arguments.targets else pruning.units(arguments.results)
    limits = pruning.Limits(arguments.older, arguments.keep, arguments.size)
    going = pruning.chosen(units, limits, time.time())
    if arguments.yes:
        going = _removed(going, arguments)
    if arguments.json:
        rows = [{"name": unit.name, "bytes": unit.bytes, "goes": unit in going, "kept": unit.kept} for unit in units]
        print(
            json.dumps({"schema": "harness/prune/1", "removed": arguments.yes and bool(going), "units": rows}, indent=1)
        )
    else:
        _tell(units, going, arguments)
    return 0


def _removed(going: Sequence[Unit], arguments: argparse.Namespace) -> list[Unit]:
    """Remove them; those that are gone. Some may have to stay by now."""
    from harness.studies import pruning
    from harness.targets import environment

    if arguments.targets:
        for unit in going:
            environment.remove(unit.paths[0].name)
        return list(going)
    pruning.clear(arguments.results)
    gone = []
    for unit in going:
        if why := pruning.remove(arguments.results, unit):
            sys.stderr.write(f"{unit.name} stays: {why}\n")
        else:
            gone.append(unit)
    return gone


def _targets() -> list[Unit]:
    """Targets; one that processes run from must stay."""
    from harness.studies import pruning
    from harness.studies.pruning import Unit
    from harness.targets import environment

    return [
        Unit(
            target.recipe.name,
            (target.path,),
            target.path.stat().st_mtime,
            pruning.size(target.path),
            "processes run from it" if environment.is_running(target) else "",
        )
        for target in environment.every()
    ]


def _tell(units: Sequence[Unit], going: Sequence[Unit], arguments: argparse.Namespace) -> None:
    from harness.base.units import bytes_text

    for unit in going:
        runs = f" and its {len(unit.paths) - 1} runs" if len(unit.paths) > 1 else ""
        print(f"{unit.name}{runs}  {bytes_text(unit.bytes)}")
    what = "targets" if arguments.targets else "studies and runs"
    total = bytes_text(sum(unit.bytes for unit in units))
    freed = bytes_text(sum(unit.bytes for unit in going))
    kept = [f"{unit.name} ({unit.kept})" for unit in units if unit.kept]
    if kept:
        more = f", and {len(kept) - _SHOWN} more" if len(kept) > _SHOWN else ""
        print(f"kept whatever is asked: {', '.join(kept[:_SHOWN])}{more}")
    if (arguments.older, arguments.keep, arguments.size) == (None, None, None):
        print(f"{len(units)} {what} take {total}; say what may go with --older, --keep or --size")
    elif arguments.yes:
        print(f"removed {len(going)} of {len(units)} {what}, {freed} of {total}")
    else:
        print(f"{len(going)} of {len(units)} {what} would go, {freed} of {total}; --yes removes them")
