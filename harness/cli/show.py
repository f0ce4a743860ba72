"""``harness show``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "show a run: outcome, measures, receipts, verdict"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    _options.add_results(parser)
    _options.add_json(parser)
    parser.add_argument("--timeline", action="store_true", help="show what happened when: steps, faults, receipts")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw it into an SVG file")
    parser.add_argument("--png", type=Path, metavar="FILE", help="also draw the timeline into a PNG file")


def execute(arguments: argparse.Namespace) -> int:
    import sys

    from harness.base.errors import InputError
    from harness.cli import _showing
    from harness.execution.run import judged
    from harness.storage import run_folder, run_index

    folder = run_folder.find(arguments.results, arguments.run)
    known = run_index.entry(folder)
    if known.status not in ("finished", "damaged"):
        sys.stderr.write(f"harness: run {folder.id} is {known.status}{': ' if known.reason else ''}{known.reason}\n")
    for file, suffix in ((arguments.svg, ".svg"), (arguments.png, ".png")):
        if arguments.timeline and file is not None and file.suffix != suffix:
            raise InputError(f"{file} does not end in {suffix}; the ending decides on the form")
    if arguments.timeline:
        return _showing.show_timeline(folder, judged(folder), [arguments.svg, arguments.png])
    if arguments.png is not None:
        raise InputError("--png is the timeline's; give --timeline too")
    return _showing.show(judged(folder), arguments.json, arguments.svg)
