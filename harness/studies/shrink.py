"""The fewest and shortest faults that still do it: delta debugging (Zeller and Hildebrandt, 2002), by running again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import yaml

from harness.base.errors import DamagedRunError, InputError
from harness.execution import machine
from harness.execution.interruption import Interruption
from harness.execution.request import Request
from harness.execution.run import execute, ignore, judged, stored_worker
from harness.faults import Entry
from harness.judging.verdict import Verdict
from harness.planning import planner
from harness.planning.plan import Job, Plan
from harness.planning.validation import checked
from harness.scenario import load, overrides
from harness.scenario.document import parse
from harness.storage import run_folder
from harness.studies.study import Study, Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.targets import resolve
from harness.targets.build_step import say_nothing
from harness.vocabulary.schedule import For, WallTime

Item = TypeVar("Item")
SHORTEST_SECONDS = 0.1
_WORTH_SHRINKING = ("hung", "crashed", "diverged", "refused")


class _UnknownError(Exception):
    """A trial that has no answer yet."""

    def __init__(self, trial: Trial) -> None:
        super().__init__(trial.key)
        self.trial = trial


class Shrink(Study):
    """Trials of one arm of a run: the same scenario with some of its faults, until no fault can be left out or halved.

    ``outcome`` is what the arm came to. InputError where every arm completed, there is no such arm, or the run was made
    with other ``changes`` (``FIELD=VALUE``).
    """

    name: ClassVar[str] = "shrink"

    def __init__(self, results: Path, run: str, arm: str | None = None, changes: Sequence[str] = ()) -> None:
        self._source = run_folder.find(results, run)
        here = results / "runs" / self._source.id
        lies_here = here.is_dir() and here.samefile(self._source.path)
        self._named = self._source.id if lies_here else str(self._source.path)
        self._plan, self._changes = self._source.plan(), list(changes)
        self._arm, self.outcome = _ending(judged(self._source), arm)
        self.entries: list[Entry] = [injection.entry for injection in self._plan.arm(self._arm).schedule]
        self._schedules: dict[str, Sequence[Entry]] = {}
        self._outcomes: dict[str, str] = {}
        self.smallest: Sequence[Entry] = self.entries
        self._require_same_settings()

    @property
    def question(self) -> Mapping[str, Any]:
        return {"run": self._named, "arm": self._arm, "changes": self._changes}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Shrink:
        return cls(results, question["run"], question["arm"], question["changes"])

    @property
    def plan(self) -> Plan:
        """The plan of the run that is shrunk."""
        return self._plan

    def wanted(self) -> Sequence[Trial]:
        try:
            self._search(self._still)
        except _UnknownError as unknown:
            return [unknown.trial]
        return []

    @property
    def total(self) -> int:
        """Trials in all, if no further fault can be left out or halved."""
        guessed: dict[str, bool] = {}

        def still(entries: Sequence[Entry]) -> bool:
            key = self._key(entries)
            if key in self._outcomes:
                return self._outcomes[key] == self.outcome
            return guessed.setdefault(key, entries == self.entries)

        self._search(still)
        return len(self._outcomes) + len(guessed)

    def _search(self, still: Callable[[Sequence[Entry]], bool]) -> None:
        """Go through the search with the answers that ``still`` gives: whether a schedule ends as the run did."""
        if still(self.entries) and not still([]):
            shortest(minimal(self.entries, still), still)

    def _still(self, entries: Sequence[Entry]) -> bool:
        """Whether a schedule ends as the run did."""
        text = self.text(entries)
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        self._schedules[key] = entries
        if key not in self._outcomes:
            raise _UnknownError(Trial(key, text))
        return self._outcomes[key] == self.outcome

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        entries = self._schedule(key)
        ended = verdict.arms[-1].ended if verdict else None
        self._outcomes[key] = ended.outcome if ended else "unknown"
        if self._outcomes[key] == self.outcome and entries:
            self.smallest = entries
        names = ", ".join(entry.fault.name for entry in entries) or "none"
        return f"{len(entries)} faults ({names}): {self._outcomes[key]}"

    def _schedule(self, key: str) -> Sequence[Entry]:
        """The faults of a trial; after a kill the search has yet to come to it again."""
        if key not in self._schedules:
            self.wanted()
        return self._schedules[key]

    @property
    def conclusion(self) -> str:
        """In a sentence, also why there is nothing to rely on."""
        answers = {key: outcome == self.outcome for key, outcome in self._outcomes.items()}
        whole, none = (self._key(entries) for entries in (self.entries, []))
        if answers.get(whole) is False:
            return f"the same schedule did not end in {self.outcome} again; there is nothing to rely on"
        if answers.get(none) is True:
            return f"without any fault it ends in {self.outcome} too; the faults are not to blame"
        return f"{len(self.smallest)} of {len(self.entries)} faults are enough, after {len(answers)} trials"

    @property
    def reliable(self) -> bool:
        """Whether the whole schedule did it again, and did it because of its faults."""
        whole, none = (self._outcomes.get(self._key(entries)) for entries in (self.entries, []))
        return whole == self.outcome and none != self.outcome

    def _key(self, entries: Sequence[Entry]) -> str:
        return hashlib.sha256(self.text(entries).encode()).hexdigest()[:12]

    @property
    def in_words(self) -> str:
        return f"{len(self.smallest)} faults still end {self._arm} as {self.outcome}"

    def summary(self) -> Mapping[str, Any]:
        faults = [entry.model_dump(mode="json", exclude_none=True) for entry in self.smallest]
        return {"outcome": self.outcome, "conclusion": self.conclusion, "reliable": self.reliable, "faults": faults}

    def text(self, entries: Sequence[Entry]) -> str:
        """The scenario with these faults only, of one arm, as YAML."""
        document = parse(self._source.read("scenario.yaml"), "scenario.yaml")
        if not isinstance(document.values, dict) or "title" not in document.values:
            raise DamagedRunError(f"{self._source.path / 'scenario.yaml'} is not a scenario")
        document = overrides.apply(document, [overrides.from_option(text) for text in self._changes])
        arm = self._plan.arm(self._arm)
        fields = (document.values.get("variants") or {}).get(arm.of) or {}
        values: dict[str, Any] = overrides.apply(document, list(fields.items())).values
        for several in ("variants", "repeat", "seeds", "turns"):
            values.pop(several, None)
        values["workload"] = {**values["workload"], **_places(arm.workload)}
        values["seed"] = arm.workload.seed
        values["title"] = f"{values['title']} (the smallest schedule of {self._source.id})"[:200]
        values["faults"] = [entry.model_dump(mode="json", exclude_none=True) for entry in entries]
        values["expect"], values["control"] = {"outcome": self.outcome}, False
        return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)

    def _planned(self, text: str) -> Plan:
        loaded = checked(load.parse(text, f"{self._plan.scenario}-shrunk"))  # its runs are not what its name means
        arm = self._plan.arm(self._arm)
        return planner.make(loaded, {"": arm.target.model_copy(update={"env": arm.env})}, self._plan.worker)

    def _require_same_settings(self) -> None:
        mine, theirs = self._planned(self.text(self.entries)).arms[0], self._plan.arm(self._arm)
        if (mine.workload, mine.roles, mine.env) != (theirs.workload, theirs.roles, theirs.env):
            raise InputError(f"run {self._source.id} was made with other settings; give its --set options again")

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """Run trials one after the other, with the program that the run measured; InputError where it cannot run."""
        machine.require(self._plan)
        worker = stored_worker(self._source, self._plan)
        interpreter = resolve.interpreters(self._plan, say_nothing)[self._arm]
        origin = {"shrink_of": self._source.id, "study": folder.id}
        for trial in trials:
            plan = self._planned(trial.text)
            found = {arm.name: interpreter for arm in plan.arms}
            asked = Request(plan, trial.text, worker, found, folder.results, origin)
            done = execute(asked, ignore, interruption)
            if done.verdict is None:
                raise KeyboardInterrupt
            yield Answer(trial.key, done.folder.id)


def _ending(verdict: Verdict, wanted: str | None) -> tuple[str, str]:
    """The arm to shrink and how it ended; InputError where there is nothing to shrink."""
    arms = {arm.arm: arm.ended.outcome for arm in verdict.arms if arm.ended is not None}
    if wanted is not None and wanted not in arms:
        raise InputError(f"there is no arm {wanted!r}; there are {', '.join(arms)}")
    for name, outcome in arms.items():
        if name == wanted or (wanted is None and outcome in _WORTH_SHRINKING):
            return name, outcome
    raise InputError(f"every arm of {verdict.run} completed; there is nothing to shrink (choose one with --arm)")


def minimal(items: Sequence[Item], still: Callable[[Sequence[Item]], bool]) -> list[Item]:
    """A subset in which no single item can be left out: ``still`` says whether a subset still does it.

    ``still`` is asked about no subset twice; that of all items is taken to hold.
    """
    asked: dict[tuple[int, ...], bool] = {}

    def holds(numbers: Sequence[int]) -> bool:
        key = tuple(numbers)
        if key not in asked:
            asked[key] = still([items[number] for number in key])
        return asked[key]

    left, parts = list(range(len(items))), 2
    while len(left) > 1:
        chunks = _chunks(left, parts)
        kept = next((chunk for chunk in chunks if holds(chunk)), None)
        if kept is not None:
            left, parts = kept, 2
            continue
        rests = [[number for number in left if number not in chunk] for chunk in chunks] if parts > 2 else []
        rest = next((rest for rest in rests if holds(rest)), None)
        if rest is not None:
            left, parts = rest, max(parts - 1, 2)
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return [items[number] for number in left]


def _chunks(numbers: Sequence[int], parts: int) -> list[list[int]]:
    """Cut into so many parts of nearly the same size."""
    cuts = [len(numbers) * part // parts for part in range(parts + 1)]
    return [list(numbers[begin:end]) for begin, end in pairwise(cuts) if end > begin]


def shortest(entries: Sequence[Entry], still: Callable[[Sequence[Entry]], bool]) -> list[Entry]:
    """The same faults, each half as long as often as that still does it."""
    current = list(entries)
    for place in range(len(current)):
        while (shorter := halved(current[place])) is not None:
            trial = [*current[:place], shorter, *current[place + 1 :]]
            if not still(trial):
                break
            current = trial
    return current


def halved(entry: Entry) -> Entry | None:
    """The fault for half as long; None where it has no duration, or is as short as makes sense."""
    fault = entry.fault
    lasts = getattr(fault, "for_", None)
    if isinstance(lasts, For) and lasts.steps is not None and lasts.steps > 1:
        return entry.with_fault(fault.model_copy(update={"for_": For(steps=lasts.steps // 2)}))
    if isinstance(lasts, For | WallTime) and lasts.time is not None and lasts.time > 2 * SHORTEST_SECONDS:
        shorter = type(lasts).model_validate({"time": f"{lasts.time / 2:.3f}s"})
        return entry.with_fault(fault.model_copy(update={"for_": shorter}))
    return None


def _places(job: Job) -> dict[str, str]:
    """Where files of the user's lie: their scenario names them from where it lies itself, which is not here."""
    if job.script is not None:
        return {"script": job.script.path, "folder": job.script.folder}
    return {"model": job.model} if job.own_file is not None else {}
