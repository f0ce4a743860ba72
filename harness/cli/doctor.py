"""``harness doctor``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.execution.machine import Capability

HELP = "say what this machine lets scenarios do, and how to enable what is missing"
EXIT_CODES = "exit codes: 0 all is there that scenarios need, 1 something is missing, 130 interrupted"
EXIT_MISSING = 1


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from harness.execution import machine

    capabilities = machine.capabilities()
    if arguments.json:
        print(
            json.dumps(
                {"schema": "harness/doctor/2", "capabilities": [asdict(capability) for capability in capabilities]},
                indent=1,
            )
        )
    else:
        _show(capabilities)
    return 0 if all(capability.there or capability.optional for capability in capabilities) else EXIT_MISSING


def _show(capabilities: Sequence[Capability]) -> None:
    """A row each; what is missing says how to get it."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from harness.cli._console import Console

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("what", "here", "found", "needed for"):
        table.add_column(column, overflow="fold")
    for capability in capabilities:
        word = Text("yes", "green") if capability.there else Text("no", "dim" if capability.optional else "bold red")
        remedy = "" if capability.there or not capability.remedy else f"; {capability.remedy}"
        table.add_row(capability.name, word, Text(capability.why + remedy), Text(capability.serves))
    Console().print(table)
