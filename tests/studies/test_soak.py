"""What a soak calls wrong."""

from __future__ import annotations

from pathlib import Path

from harness.judging.verdict import Verdict
from harness.planning.validation import checked
from harness.scenario import load
from harness.storage import run_folder
from harness.studies.soak import Soak
from harness.vocabulary import events
from harness.vocabulary.events import Injected, Outcome
from tests.checks.arms import arm


def _verdict(results: Path, step: int, outcome: Outcome = "completed") -> Verdict:
    folder = run_folder.create(results, "random", "abc")
    folder.write("history.jsonl", events.encode(Injected(1.0, "main", "worker/1", 0, step)))
    return Verdict(folder.id, "q", "pass", "so", [], [arm(outcome=outcome)], [], [], {})


def test_every_schedule_can_be_planned() -> None:
    for trial in Soak(Path(), range(10)).wanted():
        assert checked(load.parse(trial.text, trial.key)).scenario.faults


def test_runs_come_first_and_replays_of_those_with_a_verdict_after_them(tmp_path: Path) -> None:
    study = Soak(tmp_path, [4, 5])
    assert [trial.key for trial in study.wanted()] == ["run-4", "run-5"]
    verdict = _verdict(tmp_path, 30)
    assert study.add("run-4", verdict, "") == "run-4: completed, 0 of 0 faults proven"
    study.add("run-5", None, "exit status 3: oops")
    (again,) = study.wanted()
    assert (again.key, again.replay) == ("replay-4", verdict.run)
    study.add("replay-4", _verdict(tmp_path, 30), "")
    assert study.wanted() == []
    assert study.wrong == ["run-5: exit status 3: oops"]


def test_a_replay_with_other_faults_or_another_outcome_is_wrong(tmp_path: Path) -> None:
    study = Soak(tmp_path, [1])
    study.add("run-1", _verdict(tmp_path, 30), "")
    study.add("replay-1", _verdict(tmp_path, 31), "")
    assert study.wrong == ["seed 1: ('completed', [(0, 30)]) became ('completed', [(0, 31)])"]


def test_a_job_that_never_trained_is_wrong(tmp_path: Path) -> None:
    study = Soak(tmp_path, [1])
    study.add("run-1", _verdict(tmp_path, 30, outcome="refused"), "")
    assert study.wrong == ["run-1: so"]
