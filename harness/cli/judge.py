"""``harness judge``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "judge a run again, from its history, and store the verdict"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.base.errors import InputError
    from harness.cli import _finding, _showing
    from harness.execution.run import judged
    from harness.storage import run_index

    folder = _finding.run(arguments.results, arguments.run)
    if run_index.entry(folder).status == "running":
        raise InputError(f"run {folder.id} is running; judge it when it has ended")
    verdict = judged(folder)
    folder.write_json("verdict.json", verdict.as_json())
    return _showing.show(folder, verdict, arguments.json)
