"""``harness studies``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "list the studies there are: comparisons, qualifications, bisections, calibrations, tables, and others"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from rich import box
    from rich.table import Table
    from rich.text import Text

    from harness.cli import _defaults
    from harness.cli._console import Console
    from harness.studies import study_folder

    entries = [study_folder.entry(folder) for folder in study_folder.every(arguments.results)]
    if arguments.json:
        print(json.dumps({"schema": "harness/studies/1", "studies": [vars(entry) for entry in entries]}, indent=1))
        return 0
    if not entries:
        print(f"there are no studies in {arguments.results}")
        return 0
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("study", "answers", "what it comes to"):
        table.add_column(column, overflow="fold")
    for entry in entries:
        table.add_row(Text(entry.id), str(entry.answers), Text(entry.in_words))
    Console().print(table)
    readable = [entry for entry in entries if entry.kind != study_folder.DAMAGED]
    if not readable:
        return 0
    last, where = readable[-1], _defaults.option(arguments.results)
    whole = study_folder.whole_of(arguments.results, last.id)
    kind, id_ = (whole.question()[0], whole.id) if whole is not None else (last.kind, last.id)
    how = f"nightly show {id_}" if kind == "nightly" else f"{kind} --resume {id_}{where}"
    print(f"go on with one, or show it again, as in: harness {how}")
    return 0
