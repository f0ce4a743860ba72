"""``harness table``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.table import Cell, Result

HELP = "run every fault on every topology and show what MXNet does"
SCHEMA = "harness/table/1"


def configure(parser: argparse.ArgumentParser) -> None:
    from harness import table

    parser.add_argument(
        "--topology", action="append", choices=table.topologies(), help="only this column; may be repeated"
    )
    parser.add_argument("--fault", action="append", choices=table.faults(), help="only these rows; may be repeated")
    parser.add_argument(
        "--jobs", type=_positive, metavar="N", help="so many runs at a time (default: as the machine allows)"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write it into a Markdown file")
    _options.add_results(parser)
    _options.add_json(parser)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of runs; give 1 or more")
    return int(text)


def execute(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from harness import table
    from harness.cli import EXIT_INTERRUPTED
    from harness.cli._console import Console
    from harness.report.table import markdown, render
    from harness.store import storage_error

    wanted = table.cells(arguments.topology or table.topologies(), arguments.fault or table.faults())
    results = _run(wanted, arguments)
    if arguments.markdown is not None:
        try:
            arguments.markdown.write_text(markdown(results))
        except OSError as error:
            raise storage_error(error, arguments.markdown) from error
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "cells": [asdict(one) for one in results]}, indent=1))
    else:
        Console().print(render(results))
    if len(results) < len(wanted):
        return EXIT_INTERRUPTED
    return 3 if any(one.outcome == table.FAILED for one in results) else 0


def _run(wanted: list[Cell], arguments: argparse.Namespace) -> list[Result]:
    """What was found, in the order of the cells; fewer when it was interrupted."""
    import sys
    import tempfile
    import time

    from harness import batch, table

    found: dict[int, Result] = {}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{cell.name}.yaml" for cell in wanted]
        for cell, file in zip(wanted, files, strict=True):
            file.write_text(cell.text)
        try:
            for done in batch.run_all(
                "run", [str(file) for file in files], ["--results", str(arguments.results)], arguments.jobs
            ):
                cell = wanted[done.number]
                one = table.failed(cell, done.failure) if done.verdict is None else table.result(cell, done.verdict)
                found[done.number] = one
                said = f"{one.topology}, {one.fault}: {table.words(one, None)}"
                print(f"{len(found)}/{len(wanted)} after {time.monotonic() - began:.0f} s: {said}", file=sys.stderr)
        except KeyboardInterrupt:
            print("interrupted; the table holds what was done so far", file=sys.stderr)
    return [found[number] for number in sorted(found)]
