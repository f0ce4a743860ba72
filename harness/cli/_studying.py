"""Run a study with progress, in a folder of its own, or go on with one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar

from rich.console import RenderableType

from harness.cli import _defaults
from harness.cli._console import Console
from harness.cli._settings import warn_of_shell, warn_of_unread, warn_of_workloads
from harness.execution import machine, request
from harness.execution.interruption import Interruption
from harness.scenario.load import LoadedScenario
from harness.studies import study_folder
from harness.studies.study import Progress, Study, perform, reopened
from harness.studies.study_folder import StudyFolder
from harness.targets import resolve
from harness.targets.interpreter import require_mxnet

Kind = TypeVar("Kind", bound=Study)


def opened(kind: type[Kind], make: Callable[[], Kind], arguments: argparse.Namespace) -> tuple[Kind, StudyFolder]:
    """The study that is asked for, or the one to go on with, and its folder."""
    results: Path = arguments.results
    if arguments.resume is not None:
        folder = study_folder.find(results, kind.name, arguments.resume)
        return reopened(kind, folder), folder
    study = make()
    return study, study_folder.create(results, kind.name, study.question)


def prepare(loaded: LoadedScenario) -> dict[str, str]:
    """Build a scenario's targets, and say which variables do nothing; InputError where nothing could be trained here.

    Returns these variables, with the nearest name that is read, or "".
    """
    say = Console(stderr=True)
    plan = request.planned(loaded, resolve.settled(loaded)).plan
    machine.require(plan)
    warn_of_shell(say, plan.arms)
    found = resolve.interpreters(plan, lambda line: say.print(line, highlight=False))
    for arm in plan.arms:
        if arm.target.python is not None:
            require_mxnet(found[arm.name].python, arm.env)
    warn_of_workloads(say, plan)
    return warn_of_unread(say, plan, found)


def run(study: Study, folder: StudyFolder, most: int | None = None, in_process: bool = False, again: str = "") -> bool:
    """Run all that is wanted and say how far it is; whether it came to its end. Ctrl-C and SIGTERM end it in order.

    ``again``: what goes on with it, where that is not its own verb with ``--resume``.
    """
    news: list[Progress] = []
    # Runs in this process end in order by themselves; where others run, a request to stop ends the waiting for them.
    watched = Interruption().watched() if in_process else nullcontext(Interruption())

    def say(progress: Progress) -> None:
        news.append(progress)
        _say(progress)

    try:
        with folder.lock(), watched as interruption:
            perform(study, folder, say, interruption, most)
    except KeyboardInterrupt:
        where = _defaults.option(folder.results)
        again = again or f"harness {study.name} --resume {folder.id}"
        sys.stderr.write(f"interrupted; go on with: {again}{where}\n")
        return False
    if not news:
        sys.stderr.write("nothing is left to run: this is what there is\n")
    return True


def show(study: Study, folder: StudyFolder, text: RenderableType, schema: str, as_json: bool) -> None:
    """Print what it comes to, for people or, with the form's name, for scripts."""
    if as_json:
        print(json.dumps({"schema": schema, "study": folder.id, **study.summary()}, indent=1))
        return
    Console().print(text)
    print(f"study {folder.id}")


def _say(progress: Progress) -> None:
    sys.stderr.write(f"{progress}\n")
    sys.stderr.flush()
