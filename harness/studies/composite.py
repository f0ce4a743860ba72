"""A study whose trials are studies, each with a folder of its own beside it: what was begun goes on where it was."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence

from harness.base.errors import HarnessError
from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.scenario.schema import Target
from harness.studies import software, study_folder
from harness.studies.compare import Compare
from harness.studies.operators import Operators
from harness.studies.study import Study, Trial, perform, recall, reopened
from harness.studies.study_folder import PARTS, Answer, StudyFolder
from harness.targets.build_step import say_nothing


def _is_whole(kind: type[Study], folder: StudyFolder) -> bool:
    """Whether what is kept of a study is its answer: trials that failed are not, and will be tried again."""
    again = reopened(kind, folder)
    again.folder = folder
    recall(again, folder)
    return not again.wanted()


class Composite(Study):
    """``parts``: those that are through; ``failures``: why others cannot be asked. ``say`` hears how far they are.

    ``targets``: what must be the same from the first part to the last.
    """

    def __init__(self) -> None:
        self.parts: dict[str, Study] = {}
        self.targets: Sequence[Target] = ()
        self.failures: dict[str, str] = {}
        self.say: Callable[[str], None] = say_nothing

    @property
    @abstractmethod
    def keys(self) -> Sequence[str]:
        """Of every part that there may be."""

    @abstractmethod
    def made(self, key: str) -> Study:
        """A part as it begins."""

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """One part after the other, and why one cannot be asked; InputError where a target is not what it was."""
        software.require_unchanged(self.targets, folder)
        for trial in trials:
            study, own = self._opened(trial.key, folder)
            if isinstance(study, Compare) and study.changed:  # it may be as it was another time
                yield Answer(trial.key, "", study.changed)
                continue
            say = self._saying(trial.key)
            if isinstance(study, Operators):
                study.say = say
            try:
                with own.lock():
                    perform(study, own, lambda progress: say(str(progress)), interruption, most)  # noqa: B023
            except HarnessError as error:
                yield Answer(trial.key, "", str(error))
            else:
                yield Answer(
                    trial.key, "", "" if _is_whole(type(study), own) else f"it has no answer: {study.in_words}"
                )

    def _saying(self, key: str) -> Callable[[str], None]:
        return lambda line: self.say(f"{key}: {line}")

    def _opened(self, key: str, folder: StudyFolder) -> tuple[Study, StudyFolder]:
        """The part that was begun, or a new one; which it is, is on disk before it runs."""
        known = folder.read_json(PARTS) if folder.has(PARTS) else {}
        study = self.made(key)
        if key in known:
            own = study_folder.find(folder.results, "", known[key])
            return reopened(type(study), own), own
        own = study_folder.create(folder.results, study.name, study.question)
        folder.write_json(PARTS, {**known, key: own.id})
        return study, own

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if key not in self.keys or self.folder is None:
            raise LookupError(key)
        return self._take(key, failure, self.folder)

    def _take(self, key: str, failure: str, folder: StudyFolder) -> str:
        """A part that is through, or why it cannot be asked."""
        if failure:
            self.failures[key] = failure
            return f"{key}: {failure}"
        self.parts[key] = self._recalled(key, folder)
        return f"{key}: {self.parts[key].in_words}"

    def _recalled(self, key: str, folder: StudyFolder) -> Study:
        """A part, with all that it has seen."""
        study, own = self._opened(key, folder)
        study.folder = own
        recall(study, own)
        return study
