"""``harness show``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "show a run: outcome, measures, receipts, verdict"
EXIT_CODES = (
    "exit codes: 0 shown, whatever the verdict (`harness judge` has it), 2 a mistake in the input, 130 interrupted"
)


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    _options.add_results(parser)
    _options.add_json(parser)
    parser.add_argument("--timeline", action="store_true", help="show what happened when: steps, faults, receipts")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw what is shown into an SVG file")
    parser.add_argument("--png", type=Path, metavar="FILE", help="also draw the timeline into a PNG file")


def execute(arguments: argparse.Namespace) -> int:
    import sys

    from harness.base.errors import InputError
    from harness.cli import _defaults, _finding, _showing
    from harness.execution.run import judged
    from harness.storage import run_index
    from harness.studies import study_folder

    folder = _finding.run(arguments.results, arguments.run)
    known = run_index.entry(folder)
    if known.status not in ("finished", "damaged"):
        sys.stderr.write(f"harness: run {folder.id} is {known.status}{': ' if known.reason else ''}{known.reason}\n")
    study, results = study_folder.that_made(folder), folder.path.parent.parent
    if study and study_folder.has(results, study):
        where = _defaults.option(results)
        sys.stderr.write(f"harness: one run of the study {study}; harness report {study}{where} makes a page of all\n")
    for file, suffix in ((arguments.svg, ".svg"), (arguments.png, ".png")):
        if file is not None and file.suffix != suffix:
            raise InputError(f"{file} does not end in {suffix}; the ending decides on the form")
    verdict = judged(folder)
    if arguments.timeline:
        _showing.show_timeline(folder, verdict, [arguments.svg, arguments.png])
        return 0
    if arguments.png is not None:
        _showing.draw_timeline(folder, verdict, [arguments.png])
    _showing.show(folder, verdict, arguments.json, arguments.svg)
    return 0
