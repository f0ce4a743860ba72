"""``harness pin``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "keep a run from being pruned"
EXIT_CODES = "exit codes: 0 done, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    parser.add_argument("--off", action="store_true", help="let it be pruned again")
    _options.add_results(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.storage import run_folder
    from harness.studies import pruning

    folder = run_folder.find(arguments.results, arguments.run)
    pruning.pin(folder, not arguments.off)
    print(f"{folder.id} {'may be pruned' if arguments.off else 'is pinned'}")
    return 0
