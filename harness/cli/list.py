"""``harness list``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "list the runs there are"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.cli._console import Console
    from harness.report.runs import render
    from harness.storage import run_folder, run_index

    entries = [run_index.entry(folder) for folder in run_folder.every(arguments.results)]
    if arguments.json:
        print(json.dumps({"schema": "harness/runs/1", "runs": [vars(entry) for entry in entries]}, indent=1))
    else:
        Console().print(render(entries))
    return 0
