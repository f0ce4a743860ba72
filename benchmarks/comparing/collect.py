"""Pairs, single runs and whole comparisons of a case, by the commands that a user would type."""

from __future__ import annotations

import json
import sys
import tempfile
from itertools import islice
from pathlib import Path
from statistics import median

from benchmarks.comparing import cases
from benchmarks.comparing.cases import Collected, Whole
from benchmarks.comparing.command import harness
from harness.storage import calibration, history, run_folder
from harness.studies import study_folder
from harness.studies.evidence import GUARD, GUARDED
from harness.studies.pairs import seconds_of
from harness.vocabulary.events import Window

STEPS = 200
"""Of each single run that are kept."""


def collect(case: str, duets: int, runs: int, results: Path) -> None:
    """Calibrate with a case, or go on with what was stopped, and keep what it said beside what there is."""
    seed = f"seed={1000 * (1 + len(cases.files(case)))}"
    new = [cases.scenario(case), "--set", seed, "--duets", duets, "--runs", runs]
    begun = [folder.id for folder in study_folder.every(results, calibration.NAME) if _is_unfinished(folder, case)]
    asked = ["--resume", begun[-1]] if begun else new
    body = json.loads(harness("calibrate", *asked, "--json", "--results", results))
    answers = study_folder.find(results, calibration.NAME, body["study"]).answers()
    single = [run_folder.find(results, each.run) for each in answers if each.run and each.key.startswith("run")]
    told = body["duets"]
    if "same" not in told:
        raise SystemExit("stopped before there were enough pairs; the same command goes on")
    cases.keep(
        body["study"],
        Collected(
            case,
            body["machine"],
            told["seconds_each"],
            *(list(zip(told[side]["effects"], told[side]["guards"], strict=True)) for side in ("same", "planted")),
            told["planted"]["asked"],
            median(map(seconds_of, single)),
            [_steps(run.path / "history.jsonl") for run in single],
        ),
    )


def whole(case: str, count: int, planted: float, budget: str) -> None:
    """So many comparisons of a case with itself, every other one with a planted slowness, and what they answered.

    Those that are kept count; each comes with seeds of its own.
    """
    for number in range(sum(known.case == case for known in cases.whole()), count):
        burden = planted if number % 2 else 0.0
        with tempfile.TemporaryDirectory() as results:
            side = f"workload.burden={burden}" if burden else "target.env.NOBODY_READS_THIS=1"
            asked = (cases.scenario(case), "--set", f"seed={1000 * (number + 1)}", "--b", side, "--budget", budget)
            body = json.loads(harness("compare", *asked, "--json", "--results", results, whole=True))
        (answer,) = body["answers"]
        numbers = [answer.get(name) for name in ("estimate", "low", "high")]
        counted = [pair["effects"] for pair in body["pairs"] if pair["counts"] and pair["effects"]]
        effects = [tuple(each[name]["b"] for name in (GUARDED, GUARD)) for each in counted]
        found = Whole(case, burden, answer["answer"], *numbers, len(body["pairs"]), body["seconds"], effects)
        cases.keep_whole(found)
        sys.stderr.write(f"{found}\n")


def _is_unfinished(folder: study_folder.StudyFolder, case: str) -> bool:
    _, question = folder.question()
    return bool(question["name"] == case and len(folder.answers()) < question["runs"] + question["duets"])


def _steps(path: Path) -> list[float]:
    """Seconds of a run's steps beyond its warm-up, by the first worker."""
    windows = (event for event in history.read(path) if isinstance(event, Window) and event.subject == "worker/0")
    beyond = (window.seconds / window.steps for window in windows if window.first >= 30)
    return [round(seconds, 6) for seconds in islice(beyond, STEPS)]
