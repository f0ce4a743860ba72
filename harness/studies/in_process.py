"""Trials one after the other in this process, where nothing else may compute meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.execution import machine, request
from harness.execution.interruption import Interruption
from harness.execution.run import execute, ignore
from harness.studies import sides
from harness.studies.study import Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.targets import resolve
from harness.targets.build_step import say_nothing


def run(trials: Sequence[Trial], folder: StudyFolder, name: str, interruption: Interruption) -> Iterator[Answer]:
    """Run each; ``name`` is the scenario's. InputError where this machine cannot, KeyboardInterrupt after Ctrl-C."""
    for trial in trials:
        loaded = sides.checked(trial.text, name)
        planned = request.planned(loaded, resolve.settled(loaded))
        machine.require(planned.plan)
        found = resolve.interpreters(planned.plan, say_nothing, loaded)
        folder.store_trial(trial.key, trial.text)
        done = execute(planned.request(found, folder.results, study=folder.id), ignore, interruption)
        if done.verdict is None:
            raise KeyboardInterrupt
        yield Answer(trial.key, done.folder.id)
