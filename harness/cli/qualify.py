"""``harness qualify``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options, _targets

if TYPE_CHECKING:
    from harness.studies.qualify import Qualify

HELP = "say whether one MXNet may be replaced by another: go or no-go, each reason with its evidence"
SCHEMA = "harness/qualify/1"
EXIT_OF = {"go": 0, "no-go": 1, "not decided": 3}
ROWS = ("starts", "operators", "drift", "speed", "survival")
TOPOLOGIES, FAULTS = ("dist_sync", "dist_async", "horovod"), ("kill", "pause", "partition", "restart")
NONE = "none"
"""As `harness.studies.qualification` and `harness.studies.table` have them, which take long to import."""

EXIT_CODES = "exit codes: 0 go, 1 no-go, 2 a mistake in the input, 3 not decided, 130 interrupted"
_EXAMPLE = """\
Asked are: does it start and have what the old one has; does every operator mean the same; does training go where it
went, over seeds; is it as fast and as small; do jobs survive the same faults. Each is a study of its own, which goes on
where it was after Ctrl-C or a kill. SCENARIO: your own ones, also of scripts, in place of those that come with the
harness; one with faults is run in both and counts among what is to survive.

  harness qualify --from mxnet=1.8.0.post0 --to mxnet=1.9.1
  harness qualify train.yaml --from python=/opt/old/bin/python --to python=/opt/new/bin/python --row starts --row drift
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{_EXAMPLE}\n{EXIT_CODES}"
    parser.add_argument("paths", nargs="*", type=Path, metavar="SCENARIO", help="scenario files to qualify with")
    _targets.add(parser)
    help_ = f"only this question, {', '.join(ROWS)}; repeatable (starts is asked, too, where variables differ)"
    parser.add_argument("--row", action="append", choices=ROWS, metavar="NAME", help=help_)
    budget = "for each scenario's drift, of which all seeds run, and its speed, up to four times that (default: 3min)"
    parser.add_argument("--budget", type=_options.duration, metavar="TIME", help=budget)
    margin = "as fast and as small, if closer (default: 3%%)"
    parser.add_argument("--resolve", type=_options.percentage, metavar="PERCENT", help=margin)
    parser.add_argument("--seeds", type=_options.positive, metavar="N", help="of drift, at least (default: 8)")
    both = "default: two, horovod where both have it"
    columns = f"survival on this topology, {', '.join(TOPOLOGIES)}; none for SCENARIOs alone ({both})"
    parser.add_argument("--topology", action="append", choices=(*TOPOLOGIES, NONE), metavar="NAME", help=columns)
    rows = f"survival of these faults, {', '.join(FAULTS)}; repeatable (default: all but partition)"
    parser.add_argument("--fault", action="append", choices=FAULTS, metavar="NAME", help=rows)
    parser.add_argument("--only", action="append", metavar="OPERATOR", help="only this operator; may be repeated")
    accept = "a YAML list of known differences that do not count, each with name, because and, if you like, up_to: 5%%"
    parser.add_argument("--accept", type=Path, metavar="FILE", help=accept)
    help_ = "so many runs at a time, where speed does not matter (default: as the machine allows)"
    parser.add_argument("--jobs", type=_options.positive, metavar="N", help=help_)
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.report.qualify import render
    from harness.studies import accepted
    from harness.studies.qualify import Qualify

    _options.require_alone(
        arguments, "paths", "old", "new", "row", "budget", "resolve", "seeds", "topology", "fault", "only"
    )
    known = accepted.read(arguments.accept) if arguments.accept is not None else None
    study, folder = _studying.opened(Qualify, lambda: _study(arguments), arguments)
    study.folder = folder
    study.say = _say
    if known is not None:
        accepted.keep(known, folder)
    finished = _studying.run(study, folder, arguments.jobs, in_process=True)
    _studying.show(study, folder, render(study), SCHEMA, arguments.json)
    return EXIT_OF[study.word] if finished else EXIT_INTERRUPTED


def _study(arguments: argparse.Namespace) -> Qualify:
    from harness.cli._settings import warn_of_targets
    from harness.studies import upgrade_scenarios
    from harness.studies.operators import Operators
    from harness.studies.qualification import Asked
    from harness.studies.qualify import Qualify

    old, new = _targets.both(arguments)
    given: dict[str, Any] = {
        name: getattr(arguments, name) for name in ("budget", "seeds", "resolve") if getattr(arguments, name)
    }
    lists = {"rows": arguments.row, "topologies": arguments.topology, "faults": arguments.fault}
    given |= {name: tuple(dict.fromkeys(words)) for name, words in lists.items() if words}
    horovod = bool(old.horovod and new.horovod)
    if horovod:
        given.setdefault("topologies", TOPOLOGIES)
    if old.env != new.env and "rows" in given:  # is it read at all?
        given["rows"] = tuple(row for row in ROWS if row in (*given["rows"], ROWS[0]))
    if NONE in given.get("topologies", ()):
        given["topologies"] = ()
    if arguments.seeds is not None and arguments.seeds < 4:
        raise InputError(f"--seeds {arguments.seeds}: fewer than 4 have no interval; give more")
    paths, left_out = (
        (arguments.paths, ()) if arguments.paths else upgrade_scenarios.possible(upgrade_scenarios.shipped(horovod))
    )
    scenarios, only = upgrade_scenarios.read(paths), tuple(arguments.only or ())
    operators = Operators(old, new, only)
    operators.say = _say
    operators.require_known()
    study = Qualify(Asked(old, new, scenarios, operators=only, left_out=left_out, **given))
    warn_of_targets((old, new), scenarios.values())
    return study


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
