"""A study that is killed goes on where it was; its folder holds what was asked, every answer and what it comes to."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from harness.base.errors import DamagedRunError, InputError, RunNotFoundError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.studies import study as study_module
from harness.studies import study_folder
from harness.studies.study import Progress, Study, Trial, perform, recall, reopened
from harness.studies.study_folder import Answer, StudyFolder


class Doubling(Study):
    """Trials 1, 2, 4 … up to a limit, each known only when the one before has its answer; no real runs."""

    name: ClassVar[str] = "doubling"

    def __init__(self, limit: int, killed_at: int = 0, failure: str = "") -> None:
        self._limit, self._killed_at, self._failure = limit, killed_at, failure
        self._answered: list[int] = []
        self.ran: list[str] = []

    @property
    def question(self) -> Mapping[str, Any]:
        return {"limit": self._limit}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Doubling:
        return cls(question["limit"])

    def wanted(self) -> Sequence[Trial]:
        following = 2 * self._answered[-1] if self._answered else 1
        return [Trial(str(following), "title: q")] if following <= self._limit else []

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        self._answered.append(int(key))
        return f"{key}, failure {failure!r}"

    @property
    def in_words(self) -> str:
        return f"{len(self._answered)} answers"

    def summary(self) -> Mapping[str, Any]:
        return {"answered": self._answered}

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        for trial in trials:
            if int(trial.key) == self._killed_at:
                raise KeyboardInterrupt
            self.ran.append(trial.key)
            yield Answer(trial.key, "", self._failure)


def _summary(folder: StudyFolder) -> Any:
    summary = json.loads((folder.path / "summary.json").read_text())
    assert summary.pop("in_words") == f"{len(summary['answered'])} answers"
    return summary


def test_it_runs_what_is_wanted_until_it_is_enough(tmp_path: Path) -> None:
    study, news = Doubling(5, failure="no"), []
    folder = study_folder.create(tmp_path, study.name, study.question)
    perform(study, folder, lambda progress: news.append(progress.news))
    assert study.ran == ["1", "2", "4"]
    assert news == ["1, failure 'no'", "2, failure 'no'", "4, failure 'no'"]
    assert _summary(folder) == {"answered": [1, 2, 4]}


def test_an_interrupted_one_goes_on_where_it_was(tmp_path: Path) -> None:
    study = Doubling(9, killed_at=4)
    folder = study_folder.create(tmp_path, study.name, study.question)
    with pytest.raises(KeyboardInterrupt):
        perform(study, folder, lambda progress: None)
    assert _summary(folder) == {"answered": [1, 2]}
    there = study_folder.find(tmp_path, "doubling", "last")
    again = reopened(Doubling, there)
    perform(again, there, lambda progress: None)
    assert again.ran == ["4", "8"]
    assert _summary(folder) == {"answered": [1, 2, 4, 8]}


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    study = Doubling(2, failure="exit status 143: ended by a signal")
    folder = study_folder.create(tmp_path, study.name, study.question)
    perform(study, folder, lambda progress: None)
    shown, unseen = Doubling(2), Doubling(2)
    assert (recall(shown, folder, to_show=True), shown.in_words) == (0, "2 answers")
    assert (recall(unseen, folder), unseen.in_words) == (0, "0 answers")
    again = Doubling(2)
    perform(again, folder, lambda progress: None)
    assert again.ran == ["1", "2"]
    once_more = Doubling(2)
    perform(once_more, folder, lambda progress: None)
    assert once_more.ran == []


def test_when_it_is_over_what_still_runs_need_not_end(tmp_path: Path) -> None:
    class Enough(Doubling):
        def wanted(self) -> Sequence[Trial]:
            return [] if self.over else [Trial(key, "title: q") for key in "1248"]

        @property
        def over(self) -> bool:
            return len(self._answered) == 2

    study = Enough(8)
    perform(study, study_folder.create(tmp_path, study.name, {}), lambda progress: None)
    assert study.ran == ["1", "2"]


def test_a_key_counts_once(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "doubling", {})
    for _ in range(2):
        folder.append(Answer("1", ""))
    study = Doubling(1)
    perform(study, folder, lambda progress: None)
    assert _summary(folder) == {"answered": [1]}


def test_a_run_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it was written under another key."""
    folder = study_folder.create(tmp_path, "doubling", {})
    for key in ("1", "2"):
        folder.append(Answer(key, "one"))
    monkeypatch.setattr(study_module, "_verdict", lambda _, answer: None)
    assert study_module.recall(Doubling(3), folder) == 1


def test_a_run_that_was_damaged_or_says_nothing_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = study_folder.create(tmp_path, "doubling", {})
    for key, run in (("1", "damaged"), ("2", "doubtful"), ("4", "good")):
        folder.append(Answer(key, run))

    def found(folder: StudyFolder, answer: Answer) -> Any:
        if answer.run == "damaged":
            raise DamagedRunError("its status does not say")
        return answer.run

    class Doubting(Doubling):
        def counts(self, verdict: Any) -> bool:
            return bool(verdict == "good")

    monkeypatch.setattr("harness.studies.study._verdict", found)
    study = Doubting(4)
    study._answered = [0]
    monkeypatch.setattr(Doubting, "wanted", lambda self: [])
    perform(study, folder, lambda progress: None)
    assert study._answered == [0, 4]


def test_half_an_answer_is_none(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "doubling", {})
    folder.append(Answer("1", "", "no run"))
    with open(folder.path / "answers.jsonl", "ab") as file:
        file.write(b'{"key": "2", "ru')
    assert [answer.key for answer in folder.answers()] == ["1"]
    folder.append(Answer("2", "", "no run"))
    assert [answer.key for answer in folder.answers()] == ["1", "2"]
    (folder.path / "answers.jsonl").unlink()
    (folder.path / "answers.jsonl").mkdir()
    with pytest.raises(DamagedRunError, match=r"answers\.jsonl cannot be read"):
        folder.answers()
    (folder.path / "answers.jsonl").rmdir()
    (folder.path / "answers.jsonl").write_text('{"key": "1", "run": "", "failure": ""}\n{}\n')
    with pytest.raises(DamagedRunError, match=r"answers\.jsonl:2: cannot be read"):
        folder.answers()


def test_two_at_a_time_are_refused(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "doubling", {})
    with folder.lock(), pytest.raises(InputError, match="is being run by another process"), folder.lock():
        pass
    with pytest.raises(BlockingIOError, match="a full pipe"), folder.lock():
        raise BlockingIOError("a full pipe")


def test_they_are_found_by_kind_and_part_of_the_id(tmp_path: Path) -> None:
    for kind in ("table", "table", "soak"):
        study_folder.create(tmp_path, kind, {})
    tables = [path.name for path in sorted((tmp_path / "studies").iterdir()) if "table" in path.name]
    assert study_folder.find(tmp_path, "table", "last").id == tables[-1]
    assert study_folder.find(tmp_path, "table", tables[0]).id == tables[0]
    assert study_folder.find(tmp_path, "soak", "soak").id.endswith("-soak")
    assert study_folder.find(tmp_path, "table", "table").id == tables[-1]
    path = str(tmp_path / "studies" / tables[0])
    assert study_folder.find(tmp_path / "elsewhere", "table", path).id == tables[0]
    for wanted in ("nonsense", tables[0][:15], ""):
        with pytest.raises(RunNotFoundError, match="is not one table study"):
            study_folder.find(tmp_path, "table", wanted)


def test_progress_tells_the_time_left_where_the_total_is_known() -> None:
    assert str(Progress(3, 12, 60.0, 180.0, "so")) == "3/12 after 60 s, about 180 s left: so"
    assert str(Progress(3, None, 60.0, None, "so")) == "3 after 60 s: so"


@pytest.mark.parametrize("body", ["[1]", '"x"', "{}", '{"in_words": 5}', '{"in_words": ["a"]}', "{"])
def test_a_damaged_summary_is_told_of_its_study_alone(body: str, tmp_path: Path) -> None:
    folders = [study_folder.create(tmp_path, "doubling", {}) for _ in range(2)]
    (folders[0].path / "summary.json").write_text(body)
    told = [study_folder.entry(folder) for folder in folders]
    assert [entry.kind for entry in told] == [study_folder.DAMAGED, "doubling"]
    assert "summary.json" in told[0].in_words


@pytest.mark.parametrize(
    "stored",
    [
        "null",
        "[]",
        "{}",
        '{"name": "doubling"}',
        '{"name": "doubling", "question": {}}',
        '{"name": "x", "question": {"limit": 1}}',
    ],
)
def test_a_question_that_is_none_is_an_error(stored: str, tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "doubling", {"limit": 2})
    (folder.path / "question.json").write_text(stored)
    with pytest.raises(DamagedRunError, match=r"question\.json"):
        reopened(Doubling, folder)


def test_an_answer_whose_run_was_deleted_is_asked_for_again(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "doubling", {"limit": 2})
    folder.append(Answer("1", "20260101T000000-gone-000000"))
    study = Doubling(1)
    perform(study, folder, lambda progress: None)
    assert study.ran == ["1"]
