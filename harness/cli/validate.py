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
    from harness.cli._settings import warn_of_names
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
            targets = [target for target in resolve.settled(loaded).values() if target.env]
            warn_of_names(Console(stderr=True), ((target.env, resolve.present(target)) for target in targets))
            if not arguments.json:
                print(f"{file}: ok")
    if arguments.json:
        rows = [{"place": problem.place, "message": problem.message} for problem in problems]
        print(json.dumps({"schema": "harness/problems/1", "files": len(files), "problems": rows}, indent=1))
    else:
        for problem in problems:
            print(problem, file=sys.stderr)
    return 2 if problems else 0
