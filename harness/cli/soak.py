"""``harness soak``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "run random schedules of faults, replay each, and say where the harness breaks its promises"
SCHEMA = "harness/soak/1"
EXIT_BROKEN = 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=_options.positive, metavar="N", help="seeds 0 to N-1 (default: 20)")
    parser.add_argument("--seed", type=int, action="append", metavar="N", help="only this seed; may be repeated")
    parser.add_argument(
        "--jobs", type=_options.positive, metavar="N", help="so many runs at a time (default: as the machine allows)"
    )
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    import sys

    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.studies.soak import Soak

    _options.require_alone(arguments, "runs", "seed")
    make = lambda: Soak(arguments.results, arguments.seed or range(arguments.runs or 20))  # noqa: E731
    study, folder = _studying.opened(Soak, make, arguments)
    if not _studying.run(study, folder, arguments.jobs):
        return EXIT_INTERRUPTED
    if left := study.processes_left():
        study.wrong.append(f"processes are left: {', '.join(map(str, left))}")
        folder.write_summary(study.summary())
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "study": folder.id, **study.summary()}, indent=1))
    else:
        print(f"{folder.id}: {study.total} runs and replays, {len(study.wrong) or 'nothing'} wrong")
    for wrong in study.wrong:
        sys.stderr.write(f"wrong: {wrong}\n")
    return EXIT_BROKEN if study.wrong else 0
