"""Run plans one after the other, with progress and a verdict each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness.checks import worst
from harness.cli import EXIT_INTERRUPTED, _defaults, heed_ctrl_c
from harness.cli._console import Console
from harness.cli._options import EXIT_OF
from harness.cli._settings import warn_of_no_control, warn_of_shell, warn_of_unread, warn_of_workloads
from harness.execution import machine
from harness.execution.disturbance import Disturbance
from harness.execution.interruption import Interruption
from harness.execution.request import Planned, Request
from harness.execution.run import Run, execute
from harness.report.claims import words
from harness.report.progress import progress
from harness.report.verdict import render
from harness.storage import run_index
from harness.targets import resolve

SCHEMA = "harness/verdicts/2"
BUSY = 0.25
"""Share of all processors that others use, beyond which we warn."""


def run_all(planned: Sequence[Planned], results: Path, as_json: bool, disturbance: Disturbance) -> int:
    """Run all and return the worst exit code; stops at an interruption."""
    say = Console(stderr=True)
    requests = []
    for scenario in planned:
        note = partial(say.print, highlight=False)
        interpreters = resolve.interpreters(scenario.plan, note, scenario.written)
        requests.append(scenario.request(interpreters, results))
    return perform(requests, as_json, disturbance)


def perform(requests: Sequence[Request], as_json: bool, disturbance: Disturbance) -> int:
    """Run what is asked for; see `run_all`."""
    say = Console(stderr=True)
    warn_of_shell(say, [arm for request in requests for arm in request.plan.arms])
    for asked in requests:
        warn_of_unread(say, asked.plan, asked.interpreters)
        warn_of_workloads(say, asked.plan)
        warn_of_no_control(say, asked.plan)
        for doubt in machine.doubts(asked.plan, asked.interpreters):
            say.print(doubt, style="yellow", soft_wrap=True)
    _warn_of_company(say, disturbance)
    finished: list[Run] = []
    for asked in requests:
        with progress(asked.plan, say) as observe, Interruption().watched() as interruption:
            heed_ctrl_c()
            finished.append(execute(asked, observe, interruption))
        if finished[-1].status == "interrupted":
            break
        if not as_json:
            _show(finished[-1])
    verdicts = [run.verdict for run in finished if run.verdict]
    if as_json:
        print(json.dumps({"schema": SCHEMA, "verdicts": [verdict.as_json() for verdict in verdicts]}, indent=1))
    if finished[-1].status == "interrupted":
        say.print(f"interrupted; what was measured so far: {show(finished[-1])}", highlight=False, soft_wrap=True)
        return EXIT_INTERRUPTED
    return EXIT_OF[worst([verdict.verdict for verdict in verdicts])]


def one(planned: Planned, results: Path) -> Run:
    """Run one that a verb is about to make something of; its verdict is not shown."""
    say = Console(stderr=True)
    machine.require(planned.plan)
    found = resolve.interpreters(planned.plan, partial(say.print, highlight=False), planned.written)
    warn_of_shell(say, planned.plan.arms)
    warn_of_unread(say, planned.plan, found)
    with progress(planned.plan, say) as observe, Interruption().watched() as interruption:
        return execute(planned.request(found, results), observe, interruption)


def show(finished: Run) -> str:
    """The command that shows a run again, from here."""
    return f"harness show {_defaults.run(finished.folder.path)}"


def _show(finished: Run) -> None:
    assert finished.verdict is not None
    console = Console()
    console.print(render(finished.verdict, words(run_index.claims(finished.folder))))
    console.print(f"run {finished.folder.id}", highlight=False, soft_wrap=True)


def _warn_of_company(say: Console, disturbance: Disturbance) -> None:
    """Whatever else runs here is in the numbers."""
    share = disturbance.facts()["used_by_others"]
    if share > BUSY:
        say.print(
            f"{share:.0%} of this machine's processors are busy with something else; numbers will show it",
            style="yellow",
        )
