"""Run plans one after the other, with progress and a verdict each."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import psutil

from harness import run
from harness.cli import EXIT_INTERRUPTED
from harness.cli._console import Console
from harness.cli._options import EXIT_OF
from harness.judge import worst
from harness.plan import Plan
from harness.report.progress import progress
from harness.report.verdict import render
from harness.run import Request, Run
from harness.targets import resolve

SCHEMA = "harness/verdicts/1"
_LOOK_SECONDS = 0.05
_BUSY = 0.25
_SETTINGS = ("MXNET_", "OMP_", "DMLC_", "PS_", "KMP_", "HOROVOD_", "NCCL_")


def run_all(plans: list[tuple[Plan, str]], results: Path, as_json: bool) -> int:
    """Run all and return the worst exit code; stops at an interruption."""
    say = Console(stderr=True)
    requests = []
    for plan, text in plans:
        interpreter = resolve.interpreter(plan.target, lambda line: say.print(line, highlight=False))
        requests.append(run.request(plan, text, interpreter, results))
    return perform(requests, as_json)


def perform(requests: list[Request], as_json: bool) -> int:
    """Run what is asked for; see `run_all`."""
    say = Console(stderr=True)
    _warn_of_settings(say, [arm.env for request in requests for arm in request.plan.arms])
    _warn_of_company(say)
    finished: list[Run] = []
    for asked in requests:
        with progress(asked.plan, say) as observe:
            finished.append(run.execute(asked, observe))
        if finished[-1].status == "interrupted":
            break
        if not as_json:
            _show(finished[-1])
    if as_json:
        verdicts = [one.verdict.as_json() for one in finished if one.verdict]
        print(json.dumps({"schema": SCHEMA, "verdicts": verdicts}, indent=1))
    if finished[-1].status == "interrupted":
        say.print(f"interrupted; what was measured so far: harness show {finished[-1].folder.id}", highlight=False)
        return EXIT_INTERRUPTED
    return EXIT_OF[worst(one.verdict.verdict for one in finished if one.verdict)]


def _show(finished: Run) -> None:
    assert finished.verdict is not None
    console = Console()
    console.print(render(finished.verdict))
    console.print(f"run {finished.folder.id}", highlight=False, soft_wrap=True)


def _warn_of_company(say: Console) -> None:
    """Whatever else runs here is in the numbers."""
    busy = psutil.cpu_percent(interval=_LOOK_SECONDS) / 100
    if busy > _BUSY:
        say.print(
            f"{busy:.0%} of this machine's processors are busy with something else; numbers will show it",
            style="yellow",
        )


def _warn_of_settings(say: Console, planned: list[dict[str, str]]) -> None:
    """A variable of the shell counts as passed on only where every arm has the same value."""
    set_ = {name: value for name, value in os.environ.items() if name.startswith(_SETTINGS)}
    ignored = sorted(name for name, value in set_.items() if any(env.get(name) != value for env in planned))
    if ignored:
        names = ", ".join(ignored)
        say.print(f"not passed on to the run: {names}; set them in the scenario's target.env", style="yellow")
    sys.stderr.flush()
