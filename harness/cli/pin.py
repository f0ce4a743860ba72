"""``harness pin``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "keep a run or a study from being pruned"
EXIT_CODES = "exit codes: 0 done, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    help_ = f"{_options.RUN}; of studies alike"
    _options.complete_runs(parser.add_argument("run", metavar="RUN", help=help_), "runs", "studies")
    parser.add_argument("--off", action="store_true", help="let it be pruned again")
    _options.add_results(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import _finding
    from harness.studies import pruning

    folder = _finding.found(arguments.results, arguments.run)
    pruning.pin(folder.path, not arguments.off)
    print(f"{folder.id} {'may be pruned' if arguments.off else 'is pinned'}")
    return 0
