"""``harness plan``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "show what a scenario would run, without running it"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="SCENARIO", help="a scenario file")
    _options.add_repeat(parser)
    _options.add_changes(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.cli._console import Console
    from harness.cli._settings import warn_of_no_control, warn_of_unread, warn_of_workloads
    from harness.execution import machine
    from harness.planning.validation import load
    from harness.report.plan import render
    from harness.targets import resolve, signatures

    written = load(arguments.path, _options.changes(arguments))
    plan = _options.planned(written, arguments).plan
    present = {arm.name: resolve.present(arm.target) for arm in plan.arms}
    signatures.require(plan, present, written)
    warn_of_unread(Console(stderr=True), plan, present)
    warn_of_workloads(Console(stderr=True), plan)
    warn_of_no_control(Console(stderr=True), plan)
    built = {name: interpreter for name, interpreter in present.items() if interpreter is not None}
    if why := machine.unmet(plan) or (machine.unfit(plan, built) if len(built) == len(present) else None):
        Console(stderr=True).print(f"it would not run here: {why}", style="yellow", soft_wrap=True)
    if arguments.json:
        print(json.dumps({"schema": "harness/plan/3", "hash": plan.hash, "plan": json.loads(plan.text())}, indent=1))
    else:
        Console().print(render(plan))
    return 0
