"""``harness table``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.studies.table import Table

HELP = "show what becomes of a job whose processes are killed, paused, cut off or restarted, on each topology"
SCHEMA = "harness/table/2"
EXIT_CODES = (
    "exit codes: 0 the table is there, whatever died, 1 without any fault it does not train, 2 a mistake in the input, "
    "3 a run has no verdict, 130 interrupted"
)


def configure(parser: argparse.ArgumentParser) -> None:
    columns, rows = "dist_sync, dist_async or horovod", "kill, pause, partition or restart"
    help_ = f"only this column, {columns}; repeatable"
    topology = parser.add_argument("--topology", action="append", metavar="NAME", help=help_)
    _options.complete(topology, lambda: _known()[0])
    help_ = "a training script of your own, in place of ours; its arguments follow `--`, with {kvstore} in them"
    parser.add_argument("--script", type=Path, metavar="SCRIPT", help=help_)
    parser.set_defaults(script_arguments=[])
    fault = parser.add_argument("--fault", action="append", metavar="NAME", help=f"only these rows, {rows}; repeatable")
    _options.complete(fault, lambda: _known()[1])
    parser.add_argument(
        "--jobs", type=_options.positive, metavar="N", help="so many runs at a time (default: as the machine allows)"
    )
    _options.add_changes(parser)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write it into a Markdown file")
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def _known() -> tuple[Iterable[str], Iterable[str]]:
    """The words for columns and rows."""
    from harness.studies.table import FAULTS, TOPOLOGIES

    return TOPOLOGIES, FAULTS


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.cli._console import Console
    from harness.report.table import evidence, markdown, render
    from harness.storage.run_folder import storage_error
    from harness.studies import table
    from harness.studies.table import Table

    _options.require_alone(arguments, "topology", "fault", "script", "set", "mxnet", "python", "cuda")
    study, folder = _studying.opened(Table, lambda: _study(arguments), arguments)
    finished = _studying.run(study, folder, arguments.jobs)
    if arguments.markdown is not None:
        try:
            arguments.markdown.write_text(markdown(study.results))
        except OSError as error:
            raise storage_error(error, arguments.markdown) from error
    if arguments.json:
        print(json.dumps({"schema": SCHEMA, "study": folder.id, **study.summary()}, indent=1))
    else:
        console = Console()
        console.print(render(study.results))
        for line in evidence(study.results):
            console.print(line, soft_wrap=True)
        print(f"study {folder.id}: {study.what}")
    if not finished:
        return EXIT_INTERRUPTED
    if any(result.outcome == table.FAILED for result in study.results):
        return 3
    if study.broken:
        told = ", ".join(study.broken)
        sys.stderr.write(f"harness: without any fault it does not train on {told}; faults there were left out\n")
        return 1
    return 0


def _study(arguments: argparse.Namespace) -> Table:
    """The study that is asked for; its targets are built before its first run."""
    from harness.cli import _studying
    from harness.studies import sides
    from harness.studies.table import HEALTHY, Table

    study = Table(*_asked(arguments), _options.all_changes(arguments))
    for trial in study.wanted():
        if trial.key.endswith(HEALTHY):
            _studying.prepare(sides.checked(trial.text, trial.key))
    return study


def _asked(arguments: argparse.Namespace) -> tuple[list[str], list[str], Mapping[str, Any], Mapping[str, str]]:
    """Columns, rows, workload and variables; a script's columns are those of kvstores, unless somebody says."""
    from harness.execution import machine
    from harness.scenario.own_script import asked_of_the_shell
    from harness.studies.table import OURS

    rows = arguments.fault or []
    if arguments.script is None:
        if arguments.script_arguments:
            raise InputError("arguments after -- are those of a script; give --script")
        return arguments.topology or [], rows, OURS, {}
    if not arguments.script.is_file():
        raise InputError(f"{arguments.script} is not a file")
    script = {"script": str(arguments.script.absolute()), "args": arguments.script_arguments, "folder": str(Path.cwd())}
    if machine.namespaces().there:  # else what one run leaves is there for the next
        script["scratch"] = True
    else:
        sys.stderr.write("harness: each run writes to this folder, and finds what others left; see harness doctor\n")
    text = arguments.script.read_text(errors="replace")
    columns = arguments.topology or _named(arguments.script_arguments, text)
    return columns, rows, script, asked_of_the_shell(text, os.environ)


def _named(script_arguments: Sequence[str], text: str) -> list[str]:
    """Horovod, where a script imports it; the kvstores that its arguments name; else both that have servers."""
    if re.search(r"^\s*(import|from) horovod", text, re.MULTILINE):
        return ["horovod"]
    both = ["dist_sync", "dist_async"]
    return [each for each in both if each in script_arguments] or both
