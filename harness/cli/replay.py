"""``harness replay``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "run the plan of an earlier run again, with the program that it measured"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import sys

    from harness.base import sources
    from harness.execution.disturbance import Disturbance

    disturbance = Disturbance()
    from harness.cli import _finding, _running
    from harness.execution import machine
    from harness.execution.request import Request
    from harness.execution.run import stored_worker
    from harness.targets import resolve

    folder = _finding.run(arguments.results, arguments.run)
    plan = folder.plan()
    worker = stored_worker(folder, plan)
    machine.require(plan)
    if plan.harness != sources.digest():
        print("the plan was made by another harness; what happens is decided by this one", file=sys.stderr)
    interpreters = resolve.interpreters(plan, lambda line: print(line, file=sys.stderr))
    text = folder.read("scenario.yaml")
    asked = Request(plan, text, worker, interpreters, arguments.results, {"replay_of": folder.id})
    return _running.perform([asked], arguments.json, disturbance)
