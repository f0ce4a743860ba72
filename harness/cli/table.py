"""``harness table``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "show what becomes of a job whose processes are killed, paused, cut off or restarted, on each topology"
SCHEMA = "harness/table/2"


def configure(parser: argparse.ArgumentParser) -> None:
    columns, rows = "dist_sync, dist_async or horovod", "kill, pause, partition or restart"
    parser.add_argument("--topology", action="append", metavar="NAME", help=f"only this column, {columns}; repeatable")
    parser.add_argument("--fault", action="append", metavar="NAME", help=f"only these rows, {rows}; repeatable")
    parser.add_argument(
        "--jobs", type=_options.positive, metavar="N", help="so many runs at a time (default: as the machine allows)"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write it into a Markdown file")
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.cli._console import Console
    from harness.report.table import markdown, render
    from harness.storage.run_folder import storage_error
    from harness.studies import table
    from harness.studies.table import Table

    _options.require_alone(arguments, "topology", "fault")
    make = lambda: Table(arguments.topology or (), arguments.fault or ())  # noqa: E731
    study, folder = _studying.opened(Table, make, arguments)
    finished = _studying.run(study, folder, arguments.jobs)
    if arguments.markdown is not None:
        try:
            arguments.markdown.write_text(markdown(study.results))
        except OSError as error:
            raise storage_error(error, arguments.markdown) from error
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "study": folder.id, **study.summary()}, indent=1))
    else:
        Console().print(render(study.results))
    if not finished:
        return EXIT_INTERRUPTED
    return 3 if any(result.outcome == table.FAILED for result in study.results) else 0
