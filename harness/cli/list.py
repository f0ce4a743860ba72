"""``harness list``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "list runs, newest first"
EXIT_CODES = "exit codes: 0 listed, 2 a mistake in the input, 130 interrupted"
WORDS = ("pass", "fail", "invalid", "unknown", "running", "interrupted", "aborted", "lost", "damaged")
OUTCOMES = ("completed", "crashed", "hung", "diverged", "refused", "interrupted", "aborted", "stopped")
IN_A_FILE = 20
"""Runs that are shown where the output is no terminal, which has no height to fit."""
_OTHER_LINES = 6


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="only runs with this in the name of their scenario")
    parser.add_argument("--verdict", choices=WORDS, help="only with this verdict, or what became of them instead")
    parser.add_argument("--outcome", choices=OUTCOMES, help="only where an arm ended so")
    since = "only those of the last 2d (days), 3h or 30min, or since a day as 2026-11-01"
    parser.add_argument("--since", type=_options.since, metavar="WHEN", help=since)
    claim = parser.add_argument("--claim", metavar="ID", help="only those whose scenario tests this claim, as K1")
    _options.complete_claims(claim)
    parser.add_argument("--mxnet", metavar="VERSION", dest="of_mxnet", help="only with this version, as 1.9 or 1.9.1")
    parser.add_argument("--all", action="store_true", help="all of them, not as many as fit")
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json

    from harness.cli._console import Console
    from harness.report.runs import lines_each, render
    from harness.storage.run_filter import RunFilter, newest

    words = ("name", "verdict", "outcome", "since", "claim")
    asked = RunFilter(**{word: getattr(arguments, word) for word in words}, mxnet=arguments.of_mxnet)
    entries = [entry for _, entry in newest(arguments.results, asked)]
    if arguments.json:
        print(json.dumps({"schema": "harness/runs/2", "runs": [vars(entry) for entry in entries]}, indent=1))
        return 0
    if not entries:
        print(_nothing(arguments, asked == RunFilter()))
        return 0
    console = Console()
    fit = max(1, (console.height - _OTHER_LINES) // lines_each(console.width)) if console.is_terminal else IN_A_FILE
    shown = entries if arguments.all else entries[:fit]
    console.print(render(shown, console.width))
    if len(shown) < len(entries):
        print(f"{len(entries) - len(shown)} more; --all shows them")
    return 0


def _nothing(arguments: argparse.Namespace, everything: bool) -> str:
    from harness.cli import _defaults

    where = _defaults.option(arguments.results)
    if everything:
        return f"no runs in {arguments.results.absolute()} yet; start one with `harness run SCENARIO{where}`"
    return f"no such runs in {arguments.results}; `harness list{where}` shows what is there"
