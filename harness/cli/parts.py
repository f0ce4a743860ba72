"""``harness parts``."""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.cli import _options

HELP = "list faults, topologies, shapes, models, measures and checks, or say which fields one of them takes"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind",
        nargs="*",
        metavar="KIND",
        help="faults, topologies, shapes, models, measures or checks; or one part, as in slow_input",
    )
    parser.add_argument(
        "--write",
        action="append",
        type=Path,
        metavar="FILE",
        help="bring the marked lists of a Markdown page up to date",
    )
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.base.errors import InputError
    from harness.cli._console import Console
    from harness.report.parts import KINDS, detail, fields, parts, render, updated

    kinds = arguments.kind or KINDS
    for page in arguments.write or ():
        try:
            page.write_text(updated(page.read_text()))
        except (OSError, UnicodeDecodeError, InputError) as error:
            raise InputError(f"{page} cannot be brought up to date: {error}") from error
    if arguments.json:
        listed = {kind: [vars(part) for part in parts(kind)] for kind in kinds if kind in KINDS}
        named = {
            name: {kind: [vars(field) for field in taken] for kind, taken in fields(name).items()}
            for name in kinds
            if name not in KINDS
        }
        told = {"schema": "harness/parts/1", "parts": listed, **({"fields": named} if named else {})}
        print(json.dumps(told, indent=1))
    elif not arguments.write:
        for kind in kinds:
            Console().print(render(kind) if kind in KINDS else detail(kind))
    return 0
