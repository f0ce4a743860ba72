"""``harness validate``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "check scenario files without running them"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_scenarios(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    import sys

    from harness.base.errors import ScenarioError
    from harness.cli._console import Console
    from harness.cli._settings import warn_of_unread
    from harness.planning.validation import load
    from harness.targets import resolve

    problems = []
    files = _options.files(arguments)
    for file in files:
        try:
            loaded = load(file)
        except ScenarioError as error:
            problems += error.problems
        else:
            names = {name for arm in loaded.arms.values() for name in arm.target.env}
            target = resolve.settle(loaded.scenario.target, None, None, loaded.uses_horovod)
            warn_of_unread(Console(stderr=True), names, resolve.present(target) if names else None)
            if not arguments.json:
                print(f"{file}: ok")
    if arguments.json:
        rows = [{"place": problem.place, "message": problem.message} for problem in problems]
        print(json.dumps({"schema": "harness/problems/1", "files": len(files), "problems": rows}, indent=1))
    else:
        for problem in problems:
            print(problem, file=sys.stderr)
    return 2 if problems else 0
