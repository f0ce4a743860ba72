"""``harness calibrate``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.studies.calibrate import Calibrate

HELP = "measure this machine's noise with a scenario: later verdicts here rest on it, and what comparisons see is told"
SCHEMA = "harness/calibration/1"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", nargs="?", type=Path, metavar="SCENARIO", help="a scenario file without faults")
    runs, duets = "whole runs, one after the other (default: 12)", "duets of it with itself (default: 24)"
    parser.add_argument("--runs", type=_options.positive, metavar="N", help=runs)
    parser.add_argument("--duets", type=_options.positive, metavar="N", help=duets)
    planted = "plant a slowness of that much, and measure as finely (default: 1%%)"
    parser.add_argument("--resolve", type=_options.percentage, metavar="PERCENT", help=planted)
    _options.add_changes(parser)
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.base.errors import InputError
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.report.calibration import render
    from harness.studies.calibrate import Calibrate

    _options.require_alone(arguments, "path", "runs", "duets", "resolve", "set", "mxnet", "cuda", "python")
    if arguments.resume is None and arguments.path is None:
        raise InputError("give a scenario to run again and again, or --resume ID")
    study, folder = _studying.opened(Calibrate, lambda: _study(arguments), arguments)
    finished = _studying.run(study, folder, in_process=True)
    _studying.show(study, folder, render(study), SCHEMA, arguments.json)
    if not finished:
        return EXIT_INTERRUPTED
    return 3 if study.failures else 0


def _study(arguments: argparse.Namespace) -> Calibrate:
    """The study that is asked for; its target is built before its first run."""
    from harness.base.errors import InputError
    from harness.cli import _studying
    from harness.studies import pairs, sides
    from harness.studies.calibrate import LEAST_DUETS, LEAST_RUNS, Calibrate

    scenario = sides.read(arguments.path, _options.all_changes(arguments), {"a": []})
    if scenario.has_faults:
        raise InputError(f"{arguments.path} has faults; give a scenario without, whose runs are to be alike")
    if scenario.has_checkpoints:
        raise InputError(f"{arguments.path} writes checkpoints, between turns of others; give a scenario without")
    study = Calibrate(scenario, arguments.runs or 12, arguments.duets or 24, arguments.resolve or pairs.RESOLVE)
    _studying.prepare(sides.checked(study.wanted()[0].text, scenario.name))
    for what, given, least in (("runs", arguments.runs, LEAST_RUNS), ("duets", arguments.duets, LEAST_DUETS)):
        if given is not None and given < least:
            print(f"--{what} {given}: too few to tell anything by them, which takes {least}", file=sys.stderr)
    return study
