"""``harness bisect``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options, _targets
from harness.cli.compare import MEASURES

if TYPE_CHECKING:
    from harness.scenario.schema import Target
    from harness.studies.bisect import Bisect

HELP = "find the first MXNet that fails a scenario, is slower or worse, or changes an operator"
SCHEMA = "harness/bisect/1"
EXIT_CODES = "exit codes: 0 found, 2 a mistake in the input, 3 not found, or not for sure, 130 interrupted"
_EXAMPLE = """\
By halves, over MXNet's released versions between the two, or the targets that --between names. Without --measure the
verdict of SCENARIO decides: a target shows it where all of --repeat runs fail, and does not where all pass. What ends
now so, now so, or does not start, is passed over, and named.

  harness bisect --operator gluon.loss.KLDivLoss --good 1.8.0.post0 --bad 1.9.1
  harness bisect SCENARIO --good 1.7.0.post2 --bad 1.9.1 --repeat 5
  harness bisect SCENARIO --measure throughput --good python=/opt/a --between python=/opt/b --bad python=/opt/c
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{_EXAMPLE}\n{EXIT_CODES}"
    parser.add_argument("path", nargs="?", type=Path, metavar="SCENARIO", help="a scenario file")
    _targets.add(parser, "--good", "--bad")
    between = (
        "a target between them, in order, as 1.9.0 or mxnet=1.9.0,env.A=1; repeatable (default: released versions)"
    )
    parser.add_argument("--between", action="append", metavar="CHANGE", help=between)
    parser.add_argument("--operator", metavar="NAME", help="what `harness operators --only NAME` says")
    decides = "what decides, beside the good one, as in harness compare"
    _options.complete(
        parser.add_argument("--measure", choices=MEASURES, metavar="NAME", help=decides), lambda: MEASURES
    )
    parser.add_argument("--repeat", type=_options.positive, metavar="N", help="runs of each for a verdict (default: 3)")
    margin = "of a measure: the same, if closer"
    parser.add_argument("--resolve", type=_options.percentage, metavar="PERCENT", help=margin)
    budget = "of a measure, for each target (default: 3min)"
    parser.add_argument("--budget", type=_options.duration, metavar="TIME", help=budget)
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.report.bisect import render
    from harness.studies.bisect import Bisect

    asked = ("path", "old", "new", "between", "operator", "measure", "repeat", "resolve", "budget")
    _options.require_alone(arguments, *asked)
    study, folder = _studying.opened(Bisect, lambda: _study(arguments), arguments)
    study.folder = folder
    study.say = lambda line: print(line, file=sys.stderr, flush=True)
    finished = _studying.run(study, folder, in_process=True)
    _studying.show(study, folder, render(study), SCHEMA, arguments.json)
    if not finished:
        return EXIT_INTERRUPTED
    return 0 if study.is_found else 3


def _study(arguments: argparse.Namespace) -> Bisect:
    from harness.cli._settings import warn_of_targets
    from harness.studies import sides
    from harness.studies.bisect import Asked, Bisect

    if (arguments.path is None) == (arguments.operator is None):
        raise InputError("give a scenario, or --operator NAME")
    if arguments.operator is not None and arguments.measure is not None:
        raise InputError("an operator has no measure; leave --measure out")
    if arguments.measure is None and "budget" in getattr(arguments, "of_settings", ()):
        arguments.budget = None
    if arguments.measure is None and (arguments.resolve or arguments.budget):
        raise InputError("--resolve and --budget are of a measure; give --measure")
    good, bad = _targets.both(arguments, "--good", "--bad")
    given = {"times": arguments.repeat, "resolve": arguments.resolve, "budget": arguments.budget}
    named: dict[str, Any] = {"operator": arguments.operator or "", "measure": arguments.measure or ""}
    named |= {name: value for name, value in given.items() if value}
    if arguments.path is not None:
        named |= {"name": arguments.path.stem, "values": sides.whole(arguments.path)}
    between = _between(arguments, good, bad)
    study = Bisect(Asked((good, *between, bad), **named))
    of_between = ({"target": {"env": target.env}} for target in between)
    warn_of_targets((good, bad), [named.get("values", {}), *of_between])
    return study


def _between(arguments: argparse.Namespace, good: Target, bad: Target) -> list[Target]:
    from harness.studies.bisect import RELEASED

    if arguments.between:
        return [_targets.read("--between", each.split(",")) for each in arguments.between]
    if good.mxnet is None or bad.mxnet is None:
        raise InputError("between interpreters nobody knows what there is; give --between python=PATH, in order")
    if (same := good.model_copy(update={"mxnet": bad.mxnet})) != bad:
        raise InputError(
            f"{same} and {bad} differ in more than mxnet: what the rest does would be blamed on the first wheel; "
            "give --between, in order"
        )
    ends = [_order(each.mxnet or "") for each in (good, bad)]
    if ends[0] >= ends[1]:
        raise InputError(f"--good {good.mxnet} is not older than --bad {bad.mxnet}; give --between, in order")
    names = [name for name in RELEASED if ends[0] < _order(name) < ends[1]]
    return [bad.model_copy(update={"mxnet": name}) for name in names]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.replace("post", "").split(".") if part.isdecimal())
