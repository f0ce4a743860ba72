"""``harness doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.machine import Ability

HELP = "say what this machine lets scenarios do, and how to enable what is missing"
EXIT_MISSING = 1


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from harness import machine

    found = machine.abilities()
    if arguments.json:
        print(json.dumps({"schema": "harness/doctor/1", "abilities": [asdict(one) for one in found]}, indent=1))
    else:
        _show(found)
    return 0 if all(one.there or one.optional for one in found) else EXIT_MISSING


def _show(abilities: Sequence[Ability]) -> None:
    """A row each; what is missing says how to get it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from harness.cli._console import Console

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("what", "here", "found", "needed for"):
        table.add_column(column, overflow="fold")
    for ability in abilities:
        word = Text("yes", "green") if ability.there else Text("no", "dim" if ability.optional else "bold red")
        remedy = "" if ability.there or not ability.remedy else f"; {ability.remedy}"
        table.add_row(ability.name, word, Text(ability.why + remedy), Text(ability.serves))
    Console().print(table)
