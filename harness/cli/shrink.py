"""``harness shrink``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "find the fewest and shortest faults that still make a run end as it did"
EXIT_UNRELIABLE = 3


def configure(parser: argparse.ArgumentParser) -> None:
    _options.complete_runs(parser.add_argument("run", nargs="?", metavar="RUN", help=_options.RUN))
    parser.add_argument("--arm", metavar="NAME", help="which arm (default: the first that did not complete)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the scenario goes (default: NAME-shrunk.yaml, here)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="the same changes as the run was made with, if any",
    )
    _options.add_resume(parser)
    _options.add_results(parser)


def execute(arguments: argparse.Namespace) -> int:
    import shlex
    import sys

    from harness.base.errors import InputError
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.cli._console import Console
    from harness.cli._settings import warn_of_unread
    from harness.storage.run_folder import storage_error
    from harness.studies.shrink import Shrink
    from harness.targets import resolve

    if (arguments.run is None) == (arguments.resume is None):
        raise InputError("give the run to shrink, or --resume and a study")
    _options.require_alone(arguments, "arm", "set")
    make = lambda: Shrink(arguments.results, arguments.run, arguments.arm, arguments.set)  # noqa: E731
    study, folder = _studying.opened(Shrink, make, arguments)
    found = resolve.interpreters(study.plan, lambda line: print(line, file=sys.stderr))
    warn_of_unread(Console(stderr=True), study.plan, found)
    sys.stderr.write(f"it ended in {study.outcome} with {len(study.entries)} faults; every trial is a run\n")
    again = f"harness shrink --resume {folder.id} --output {shlex.quote(str(arguments.output))}"
    finished = _studying.run(study, folder, in_process=True, again=again if arguments.output else "")
    sys.stderr.write(f"{study.conclusion}\n")
    if finished and not study.reliable:
        return EXIT_UNRELIABLE
    output = arguments.output or Path(f"{study.plan.scenario}-shrunk.yaml")
    try:
        output.write_text(study.text(study.smallest))
    except OSError as error:
        raise storage_error(error, output) from error
    print(output)
    return 0 if finished else EXIT_INTERRUPTED
