"""A benchmark and chaos-test harness for Apache MXNet.

What the command line can, a script or notebook can (docs/python.md shows a session):

    loaded = harness.load("scenarios/chaos/slow-worker-dist-sync.yaml", {"workload.batch_size": 64})
    finished = harness.run(loaded)
    finished.verdict.measures()

Calls raise the errors of `harness.base.errors`, print nothing and leave signal handlers alone: Ctrl-C ends a run with
KeyboardInterrupt, and nothing of it stays alive.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from harness.base.version import __version__

if TYPE_CHECKING:
    from harness.base.errors import HarnessError
    from harness.execution.request import Planned, Request
    from harness.execution.run import Run
    from harness.planning.plan import Plan
    from harness.report.notebook import Verdict
    from harness.scenario.load import LoadedScenario
    from harness.storage.run_index import Entry
    from harness.studies.calibrate import Calibrate
    from harness.studies.compare import Compare
    from harness.studies.shrink import Shrink
    from harness.studies.soak import Soak
    from harness.studies.study import Progress, Study
    from harness.studies.table import Table
    from harness.vocabulary.events import Event

    _Kind = TypeVar("_Kind", bound=Study)

__all__ = [
    "Calibrate",
    "Compare",
    "Entry",
    "Event",
    "HarnessError",
    "LoadedScenario",
    "Plan",
    "Planned",
    "Progress",
    "Run",
    "Shrink",
    "Soak",
    "Table",
    "Verdict",
    "__version__",
    "calibrate",
    "compare",
    "load",
    "plan",
    "replay",
    "resume",
    "run",
    "runs",
    "shrink",
    "soak",
    "table",
    "verdict",
]

_HOMES = {
    "Calibrate": "harness.studies.calibrate",
    "Compare": "harness.studies.compare",
    "Entry": "harness.storage.run_index",
    "Event": "harness.vocabulary.events",
    "HarnessError": "harness.base.errors",
    "LoadedScenario": "harness.scenario.load",
    "Plan": "harness.planning.plan",
    "Planned": "harness.execution.request",
    "Progress": "harness.studies.study",
    "Run": "harness.execution.run",
    "Shrink": "harness.studies.shrink",
    "Soak": "harness.studies.soak",
    "Table": "harness.studies.table",
    "Verdict": "harness.report.notebook",
}
"""Classes are imported when they are asked for: the agent, which imports this package too, has to start quickly."""

_STUDIES = ("Calibrate", "Compare", "Shrink", "Soak", "Table")
_RESULTS = Path("results")


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _ignore(news: object) -> None:
    """Listen to nothing."""


def load(path: str | Path, changes: Mapping[str, Any] | None = None) -> LoadedScenario:
    """Read a scenario and check it; ``changes`` maps dotted paths to values, as in ``{"workload.steps": 50}``.

    Raises ScenarioError with every problem and its place.
    """
    from harness.planning import validation

    return validation.load(Path(path), list((changes or {}).items()))


def plan(scenario: LoadedScenario | str | Path, mxnet: str | None = None, python: str | None = None) -> Planned:
    """Decide everything that a run will do, for an MXNet version or an interpreter that has one.

    Raises ScenarioError for a file that cannot be planned, InputError for a version that is none.
    """
    from harness.execution import request
    from harness.targets import resolve

    loaded = load(scenario) if isinstance(scenario, str | Path) else scenario
    return request.planned(loaded, resolve.settled(loaded, mxnet, python))


def run(
    scenario: Planned | LoadedScenario | str | Path,
    results: str | Path = _RESULTS,
    observe: Callable[[Event], None] = _ignore,
    note: Callable[[str], None] = _ignore,
) -> Run:
    """Run all arms of a scenario and judge them; its folder is below ``results``.

    ``observe`` gets every event as it comes, ``note`` a line now and then while a target is built. Raises InputError
    where this machine cannot run it, TargetError, AgentError or StorageError where something failed.
    """
    from harness.execution import machine
    from harness.execution.request import Planned
    from harness.targets import resolve

    planned = scenario if isinstance(scenario, Planned) else plan(scenario)
    machine.require(planned.plan)
    return _finished(planned.request(resolve.interpreters(planned.plan, note, planned.written), Path(results)), observe)


def replay(
    run: str,
    results: str | Path = _RESULTS,
    observe: Callable[[Event], None] = _ignore,
    note: Callable[[str], None] = _ignore,
) -> Run:
    """Run the plan of an earlier run again, with the program that it measured. ``run`` is an id, a part of it, or last.

    Raises RunNotFoundError, DamagedRunError where its files cannot be read, and what `run` raises.
    """
    from harness.execution import machine
    from harness.execution.request import Request
    from harness.execution.run import stored_worker
    from harness.storage import run_folder
    from harness.targets import resolve

    folder = run_folder.find(Path(results), run)
    stored = folder.plan()
    worker = stored_worker(folder, stored)
    machine.require(stored)
    interpreters = resolve.interpreters(stored, note)
    text, origin = folder.read("scenario.yaml"), {"replay_of": folder.id}
    return _finished(Request(stored, text, worker, interpreters, Path(results), origin), observe)


def _finished(asked: Request, observe: Callable[[Event], None]) -> Run:
    from dataclasses import replace

    from harness.execution.run import execute
    from harness.report.notebook import Verdict

    done = execute(asked, observe)
    return replace(done, verdict=Verdict.of(done.verdict) if done.verdict else None)


def runs(results: str | Path = _RESULTS) -> list[Entry]:
    """What can be said of each run at a glance, oldest first; StorageError when the folder cannot be read."""
    from harness.storage import run_folder, run_index

    return [run_index.entry(folder) for folder in run_folder.every(Path(results))]


def verdict(run: str, results: str | Path = _RESULTS) -> Verdict:
    """Judge a run again, from its plan and history; RunNotFoundError, DamagedRunError where that cannot be."""
    from harness.execution.run import judged
    from harness.report.notebook import Verdict
    from harness.storage import run_folder

    return Verdict.of(judged(run_folder.find(Path(results), run)))


def table(
    topologies: Iterable[str] = (),
    faults: Iterable[str] = (),
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
    most: int | None = None,
) -> Table:
    """Kill, pause, cut off and restart each process on every topology, or some; ``results`` of the study has answers.

    At most ``most`` runs at a time, else as the machine allows. Raises InputError for a word that the table lacks.
    """
    from harness.studies.table import Table

    return _performed(Table(_words(topologies), _words(faults)), results, observe, most)


def compare(
    scenario: str | Path,
    *sides: Mapping[str, Any],
    measure: str = "throughput",
    resolve: float | None = None,
    budget: float = 300.0,
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
) -> Compare:
    """Say whether sides of a scenario are faster, slower or the same as the first: ``evidence.findings()`` of it.

    Each side maps dotted paths to values, ``{}`` for the scenario as it is; ``resolve`` is a fraction, ``budget`` is in
    seconds of runs. Raises ScenarioError or InputError for what cannot be run.
    """
    import json

    from harness.studies import sides as reading
    from harness.studies.compare import Compare
    from harness.studies.finding import Question

    texts = {
        chr(ord("a") + number): [f"{path}={json.dumps(value)}" for path, value in side.items()]
        for number, side in enumerate(sides)
    }
    asked = Question(measure, resolve, budget)
    return _performed(Compare(reading.read(Path(scenario), [], texts), asked), results, observe)


def calibrate(
    scenario: str | Path,
    runs: int = 12,
    duets: int = 24,
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
) -> Calibrate:
    """Measure this machine's noise with a scenario; later verdicts into the same ``results`` rest on it."""
    from harness.studies import sides as reading
    from harness.studies.calibrate import Calibrate

    return _performed(Calibrate(reading.read(Path(scenario), [], {"a": []}), runs, duets), results, observe)


def shrink(
    run: str,
    arm: str | None = None,
    changes: Mapping[str, Any] | None = None,
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
) -> Shrink:
    """Find the fewest and shortest faults that still make a run end as it did: ``smallest`` and ``text`` of the study.

    ``changes`` are those that the run was loaded with. Raises InputError where there is nothing to shrink.
    """
    import json

    from harness.studies.shrink import Shrink

    texts = [f"{path}={json.dumps(value)}" for path, value in (changes or {}).items()]
    return _performed(Shrink(Path(results), run, arm, texts), results, observe)


def soak(
    seeds: Iterable[int],
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
    most: int | None = None,
) -> Soak:
    """Run and replay a random schedule for each seed; what did not hold is in ``wrong`` of the study."""
    from harness.studies.soak import Soak

    return _performed(Soak(Path(results), list(seeds)), results, observe, most)


def resume(
    study: str,
    results: str | Path = _RESULTS,
    observe: Callable[[Progress], None] = _ignore,
    most: int | None = None,
) -> Study:
    """Go on with a study that was interrupted or killed: its id, a part of it that only one has, or last.

    Raises RunNotFoundError where there is none, InputError where another process runs it.
    """
    from harness.studies import study_folder
    from harness.studies.study import perform, reopened

    folder = study_folder.find(Path(results), "", study)
    name, _ = folder.question()
    kept: Study = reopened(__getattr__(name.capitalize() if name.capitalize() in _STUDIES else "Table"), folder)
    with folder.lock():
        perform(kept, folder, observe, most=most)
    return kept


def _words(words: Iterable[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _performed(
    study: _Kind, results: str | Path, observe: Callable[[Progress], None], most: int | None = None
) -> _Kind:
    from harness.studies import study_folder
    from harness.studies.study import perform

    folder = study_folder.create(Path(results), study.name, study.question)
    with folder.lock():
        perform(study, folder, observe, most=most)
    return study
