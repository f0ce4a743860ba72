"""May we upgrade? Every question that the harness can ask of two targets, each a study of its own, and what they say.

A row is `go` where nothing speaks against the new target, `no-go` with the reasons, or `not decided`. What is accepted
by name is told and does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import HarnessError, InputError
from harness.execution import machine, request
from harness.judging.verdict import Verdict
from harness.planning import validation
from harness.scenario import models
from harness.scenario.schema import Target
from harness.scenario.shipped import folder
from harness.studies import accepted, sides, starts, survival
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.composite import Composite
from harness.studies.finding import Finding, Question, at_worst, margin_in_words, sentence, wanting
from harness.studies.operators import Operators
from harness.studies.parity import SLOWER, Difference
from harness.studies.row import Reason, Row, Word, accepting, ordered, worst
from harness.studies.sides import Side, Sides
from harness.studies.starts import Starts
from harness.studies.study import Study, Trial
from harness.studies.study_folder import PARTS
from harness.studies.survival import Survival
from harness.targets import resolve

OLD, NEW = "old", "new"
STARTS, OPERATORS, DRIFT, SPEED, SURVIVAL = ROWS = ("starts", "operators", "drift", "speed", "survival")
"""What can be asked, in this order; of drift and speed for each scenario."""

LATENCY = "latency"
"""A part of speed of its own: a step is waited for, which may cost throughput."""

TITLES = {
    OPERATORS: "means the same",
    DRIFT: "trains the same",
    SPEED: "as fast, as small",
    "failures": "NaN, hang, crash",
}
RESOLVE = 0.03
"""Closer is as fast, and as small."""

BUDGET_SECONDS, SEEDS = 180.0, 8
LONGEST = 4.0
"""Budgets that a scenario's speed may take, where the pairs that an answer still takes fit: machines scatter."""

SIZES = ("peak_memory", "held_memory", "growth", "start_up")
"""What is looked at besides throughput: only what is worse by more than the margin, with its whole interval, counts."""

LEARNING, ENDS = "loss_area", ("drift", "accuracy")
"""Whether training goes where it went, by the mean loss of all steps: the last ones of what was learnt scatter.

Where it ends counts where it is worse for sure.
"""

_OWN = {"drift": "final loss"}
"""By which it is accepted: that training goes elsewhere has the other name, whatever it is decided by."""

LATENCIES = ("latency_p50", "latency_p99")
LATENCY_RESOLVE, LATENCY_SHARE = 0.1, 1 / 3
"""Of steps' seconds, which scatter more; and of the budget, as only what is worse by more counts."""

TIMED = "operators that take longer"
"""Very many where calls as such take longer; they can be accepted together by that name."""

OF_GPUS = ("cuda", "nccl", "cudnn")
"""Axes of a target that nothing sees on processors."""

_FAILURES = ("crashes", "hangs", "is not finite")


@dataclass(frozen=True)
class Asked:
    """What is to be qualified, and how. ``scenarios``: plain values by name; those with faults are for survival.

    ``operators``: some of them; none for all. ``left_out``: why some of ours are not asked on this machine.
    """

    old: Target
    new: Target
    scenarios: Mapping[str, Mapping[str, Any]]
    rows: tuple[str, ...] = ROWS
    budget: float = BUDGET_SECONDS
    seeds: int = SEEDS
    resolve: float = RESOLVE
    topologies: tuple[str, ...] = survival.TOPOLOGIES
    faults: tuple[str, ...] = survival.FAULTS
    operators: tuple[str, ...] = ()
    latency: bool = True
    """Whether speed is also asked of steps: qualifications of older versions did not."""

    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """From which `from_json` makes it again."""
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self._targets.items()}
        return {**{name: value for name, value in vars(self).items() if name not in targets}, **targets}

    @property
    def _targets(self) -> Mapping[str, Target]:
        return {OLD: self.old, NEW: self.new}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Asked:
        """LookupError, TypeError or ValueError for what is none."""
        lists = {name: tuple(body[name]) for name in ("rows", "topologies", "faults", "operators")}
        lists["left_out"] = tuple(body.get("left_out", ()))
        return cls(**{"latency": False, **body, **lists, OLD: Target(**body[OLD]), NEW: Target(**body[NEW])})

    def sides(self, name: str) -> Sides:
        """A scenario with either target."""
        each = {side: sides.side_fields(target) for side, target in self._targets.items()}
        return Sides(
            name, sides.without_target(self.scenarios[name]), tuple(Side(side, own) for side, own in each.items())
        )

    @property
    def with_faults(self) -> dict[str, Mapping[str, Any]]:
        """Scenarios whose question is what becomes of the job."""
        return {name: values for name, values in self.scenarios.items() if values.get("faults")}

    @property
    def unused(self) -> Iterator[str]:
        """What differs between the targets, and no scenario without faults uses."""
        names = self.scenarios.keys() - self.with_faults.keys()
        topologies = [self.scenarios[name].get("topology") or {} for name in names]
        if self.old.horovod != self.new.horovod and not any("horovod" in each for each in topologies):
            yield "no scenario trains with Horovod (topology: {horovod: …}), of which another version is asked about"
        contexts = {context for each in topologies for context in each.get("contexts", ())}
        parts = [part for part in OF_GPUS if getattr(self.old, part) != getattr(self.new, part)]
        if parts and not any(context.startswith("gpu") for context in contexts):
            another = " and ".join(parts)
            yield f"no scenario runs on a GPU (topology: {{contexts: […]}}); asked about is another {another}"


class Qualify(Composite):
    """A part for each question, of drift and speed one for each scenario."""

    name: ClassVar[str] = "qualify"

    def __init__(self, asked: Asked) -> None:
        self.asked_ = replace(
            asked, old=resolve.settle(asked.old, None, None), new=resolve.settle(asked.new, None, None)
        )
        super().__init__()
        self.targets = (self.asked_.old, self.asked_.new)
        self.unfinished: dict[str, Study] = {}
        for key in self.keys:
            self.made(key)  # what cannot be asked is refused before anything runs

    @property
    def question(self) -> Mapping[str, Any]:
        return self.asked_.as_json()

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Qualify:
        return cls(Asked.from_json(question))

    @property
    def total(self) -> int:
        return len(self.keys)

    @property
    def keys(self) -> list[str]:
        """In order."""
        names = [name for name in self.asked_.scenarios if name not in self.asked_.with_faults]
        kinds = {DRIFT: (DRIFT,), SPEED: (SPEED, LATENCY) if self.asked_.latency else (SPEED,)}
        each = {
            row: [f"{kind}-{name}" for kind in kinds[row] for name in names] if row in kinds else [row] for row in ROWS
        }
        return [key for row in ROWS if row in self.asked_.rows for key in each[row]]

    def made(self, key: str) -> Study:
        asked, (row, _, name) = self.asked_, key.partition("-")
        if row == STARTS:
            return Starts(asked.old, asked.new, *_scripts_and_variables(asked))
        if row == OPERATORS:
            return Operators(asked.old, asked.new, asked.operators, times=SPEED in asked.rows)
        if row == SURVIVAL:
            return Survival(asked.old, asked.new, asked.topologies, asked.faults, asked.with_faults)
        if row == DRIFT:
            return Compare(asked.sides(name), Question(LEARNING, None, asked.budget, seeds=asked.seeds, beyond=True))
        if row == LATENCY:
            resolve = max(asked.resolve, LATENCY_RESOLVE)
            return Compare(
                asked.sides(name), Question(LATENCIES[-1], resolve, asked.budget * LATENCY_SHARE, beyond=True)
            )
        limit = LONGEST * asked.budget
        question = Question("throughput", asked.resolve, asked.budget, limit=limit, beyond=True, of_starts=True)
        return Compare(asked.sides(name), question)

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        """Of a part that did not come to its end, what it saw until then may be reason enough."""
        told = super().add(key, verdict, failure)
        if key in self.failures and self.folder is not None and self.folder.has(PARTS):
            with suppress(HarnessError):  # it may be damaged, or deleted since
                self.unfinished |= (
                    {key: self._recalled(key, self.folder)} if key in self.folder.read_json(PARTS) else {}
                )
        return told

    # Which parts

    def wanted(self) -> Sequence[Trial]:
        if STARTS in self.parts and self._does_not_start:
            return []
        waiting = [key for key in self.keys if key not in self.parts and key not in self.failures]
        return [Trial(key) for key in waiting[:1]]

    @property
    def _does_not_start(self) -> bool:
        """Whether there is nothing to go on with."""
        found = self.parts[STARTS]
        return isinstance(found, Starts) and found.fails

    # What they say

    @property
    def rows(self) -> list[Row]:
        """Of what was asked; those that are accepted are told so."""
        known = accepted.of(self.folder)
        rows = [accepting(row, known) for row in self._rows()]
        seen = {name for row in rows for reason in row.reasons for name in (reason.name, reason.group)}
        unseen = [name for name in known if name not in seen]
        if rows and unseen:
            rows[-1] = replace(rows[-1], told=(*rows[-1].told, f"accepted, and not seen: {', '.join(unseen)}"))
        return rows

    def _rows(self) -> Iterator[Row]:
        asked = self.asked_.rows
        if STARTS in asked:
            yield self._of(STARTS, starts.TITLE, lambda study: study.row if isinstance(study, Starts) else None)
        if OPERATORS in asked:
            yield self._of(OPERATORS, TITLES[OPERATORS], lambda study: _of_operators(study, TITLES[OPERATORS], False))
        if DRIFT in asked:
            yield self._of_scenarios(DRIFT, {DRIFT: partial(_drift, of_meaning=SPEED not in asked)})
        if SPEED in asked:
            yield self._with_operators(self._of_scenarios(SPEED, {SPEED: _speed, LATENCY: _latency}))
        if SURVIVAL in asked:
            yield self._of(SURVIVAL, survival.TITLE, lambda study: study.row if isinstance(study, Survival) else None)
        if OPERATORS in asked:
            yield self._of(OPERATORS, TITLES["failures"], lambda study: _of_operators(study, TITLES["failures"], True))

    def _of(self, key: str, title: str, row: Callable[[Study], Row | None]) -> Row:
        study = self.parts.get(key) or self.unfinished.get(key)
        found = row(study) if study is not None else None
        if found is None or key not in self.parts:
            missing = Reason(self._missing(key), "not decided")
            return replace(found or Row(title), reasons=ordered([*(found.reasons if found else ()), missing]))
        return found

    def _of_scenarios(self, row: str, kinds: Mapping[str, Callable[[Compare, str], Iterator[Reason]]]) -> Row:
        """Reasons of each scenario, by what makes them of a part; what was found and is no reason is told."""
        against, evidence = list[Reason](), list[str]()
        told = [f"not asked: {why}" for why in self.asked_.left_out]
        keys = [key for key in self.keys if key.partition("-")[0] in kinds]
        for key in keys:
            study, (kind, _, name) = self.parts.get(key), key.partition("-")
            if not isinstance(study, Compare):
                why = self._missing(key).removeprefix(f"{name}: ")
                against.append(Reason(f"{name}: {why}", "not decided"))
                continue
            found = [replace(each, text=f"{name}: {each.text}") for each in kinds[kind](study, name)]
            against += [each for each in found if each.word != "go"]
            told += [each.text for each in found if each.word == "go"]
            evidence += [study.folder.id] if study.folder is not None else []
        if not keys:
            against.append(Reason("no scenario without faults was given", "not decided"))
        elif not against and all(isinstance(each, Compare) and each.unavailable for each in map(self.parts.get, keys)):
            against.append(Reason("the old one has nothing of what is asked: no scenario was trained", "not decided"))
        against += [Reason(each, "not decided") for each in self.asked_.unused if keys]
        return Row(TITLES[row], ordered([*dict.fromkeys(against)]), tuple(told), tuple(evidence))

    def _with_operators(self, row: Row) -> Row:
        """And which operators take longer, where all were called."""
        study = self.parts.get(OPERATORS)
        if not isinstance(study, Operators) or study.parity is None or study.folder is None:
            return row
        slower = [replace(_reason(each), group=TIMED) for each in study.parity.differences if each.kind == SLOWER]
        told = f"calls of {study.timed} operators were timed"
        return Row(row.title, ordered([*row.reasons, *slower]), (*row.told, told), (*row.evidence, study.folder.id))

    def _missing(self, key: str) -> str:
        stopped = STARTS in self.parts and self._does_not_start
        return self.failures.get(key, "not asked, as it does not start" if stopped else "it was not asked yet")

    @property
    def word(self) -> Word:
        """Of all rows."""
        return worst(row.word for row in self.rows)

    @property
    def in_words(self) -> str:
        sides_ = f"{self.asked_.old} to {self.asked_.new}"
        return f"{sides_}: {self.word}; {', '.join(f'{row.title}: {row.word}' for row in self.rows)}"

    def summary(self) -> Mapping[str, Any]:
        return {"word": self.word, "rows": [row.as_json() for row in self.rows], "failures": self.failures}


def _scripts_and_variables(asked: Asked) -> tuple[list[str], list[str]]:
    """Scripts whose use of MXNet is looked at, and variables that are set."""
    values = asked.scenarios.values()
    scripts = [file for each in values if (file := _code(each["workload"]))]
    variables = [name for each in values for name in (each.get("target") or {}).get("env", {})]
    return list(dict.fromkeys(scripts)), list(dict.fromkeys([*variables, *asked.new.env]))


def _code(workload: Mapping[str, Any]) -> str:
    """The file of a user's own that a scenario runs, or whose function builds its model; "" for none."""
    return str(workload["script"]) if workload.get("script") else models.file_of(str(workload.get("model") or "")) or ""


def _of_operators(study: Study, title: str, failures: bool) -> Row | None:
    """Differences of operators: those that fail, or all others."""
    if not isinstance(study, Operators) or study.parity is None:
        return None
    found = study.parity
    meaning = [difference for difference in found.differences if difference.kind != SLOWER]
    reasons = [_reason(difference) for difference in meaning if (difference.kind in _FAILURES) == failures]
    evidence = (study.folder.id,) if study.folder is not None else ()
    told = f"{found.compared} cases of {found.operators} operators were compared"
    if failures:
        fickle = [Reason(f"{each.op}: {each.how}", "not decided", _accepted_as(each)) for each in found.fickle]
        chance = (
            [f"now so, now so in the new one, as chance explains: {', '.join(found.by_chance)}"]
            if found.by_chance
            else []
        )
        return Row(title, ordered([*reasons, *fickle]), (told, *chance), evidence)
    lost = [
        Reason(
            f"{it}: not every case that works in the old one was asked", "not decided", f"operator {it}: not all asked"
        )
        for it in found.unmatched
    ]
    if not found.operators:
        lost.append(Reason("no case works in both", "not decided"))
    gone = [Reason(f"{name} is gone", name=f"operator {name}: is gone") for name in found.gone]
    counts = {
        "no call was found of {} operators": len(found.untaken),
        "cases of {} operators do not repeat themselves": len(found.unstable),
        "both compute cases of {} operators otherwise on NaiveEngine, or without oneDNN": len(found.otherwise),
        "both compute {} operators not as numpy does": len(found.unlike_numpy),
    }
    besides = [text.format(count) for text, count in counts.items() if count]
    memory = "other values, where the old one has others on NaiveEngine, too, as of memory that nobody wrote"
    untold = [f"{memory}: {', '.join(found.untold)}"] if found.untold else []
    return Row(title, ordered([*gone, *reasons, *lost]), (told, *besides, *untold), evidence)


def _reason(difference: Difference) -> Reason:
    about = f"{difference.op}: {difference.kind}"
    told = f"{about}: {difference.how} ({difference.cases} cases)"
    return Reason(told, name=_accepted_as(difference), size=difference.size)


def _accepted_as(difference: Difference) -> str:
    return f"operator {difference.op}: {difference.kind}"


def _drift(study: Compare, name: str, of_meaning: bool = False) -> Iterator[Reason]:
    """Whether training goes where it went, and ends there; and what it computes, where no other row asks that."""
    asked = study.question_.measure
    yield from _answers(study, f"drift {name}")
    yield from (each if of_meaning else replace(each, word="go") for each in _meaning(study, name))
    for finding in study.evidence.findings() if not study.broken else ():
        if study.evidence.is_better_about_so(finding):
            told = f"{sentence(finding)}: it trains otherwise; look why, and accept it by name"
            yield Reason(told, "not decided", f"drift {name}: better")
    if not study.broken:
        if (margin := study.evidence.margin(asked)) is not None and study.question_.resolve is None:
            within = f"{margin_in_words(margin, asked)} counts as the same, half of what seeds of the old one differ by"
            yield Reason(f"{MEASURES[asked].name}: {within}", "go")
        yield from _besides(study, [measure for measure in ENDS if measure != asked], name)


def _speed(study: Compare, name: str) -> Iterator[Reason]:
    """Whether it computes the same, is as fast, and takes as much memory."""
    yield from _meaning(study, name)
    yield from _answers(study, f"speed {name}")
    if not study.broken:
        yield from _besides(study, SIZES, name)


def _meaning(study: Compare, name: str) -> Iterator[Reason]:
    for side, found in study.meanings.items():
        if found.word in ("different", "unknown"):
            word: Word = "no-go" if found.word == "different" else "not decided"
            known = f"meaning {name}" if found.word == "different" else f"meaning {name}: not known"
            yield Reason(f"{side}: {found.sentence}", word, known)
        elif found.rounding is not None:
            yield Reason(f"{side}: {found.sentence}", "go")


def _latency(study: Compare, name: str) -> Iterator[Reason]:
    """Whether a step takes longer, usually or in the worst of a hundred."""
    if study.broken:
        yield from _answers(study, f"speed {name}")
    elif not study.evidence.pairs and not study.unavailable:
        yield Reason(f"steps: {study.nothing}", "not decided")
    elif study.evidence.pairs:
        yield from _besides(study, LATENCIES, name)
        found = (study.evidence.finding(each, other) for each in LATENCIES for other in study.evidence.others)
        if not any(each.mean is not None for each in found):
            yield Reason("seconds of a step were not measured", "not decided", f"latency {name}")


def _besides(study: Compare, measures: Sequence[str], name: str) -> Iterator[Reason]:
    """By measures that speak against it only where all of an interval is worse by more than the margin.

    Where it is worse for sure, and rather by more than that, nobody knows.
    """
    for measure in measures:
        for other in study.evidence.others:
            finding = study.evidence.finding(measure, other)
            if study.evidence.is_worse_by_more(finding):
                yield _worse(finding, "no-go", f"{_OWN.get(measure, measure)} {name}")
            elif study.evidence.is_worse_about_so(study.evidence.but_for_missing(finding)):
                yield _worse(finding, "not decided", f"{_OWN.get(measure, measure)} {name}")
            elif finding.mean is None and study.evidence.pairs:
                yield Reason(f"{MEASURES[measure].name} was not measured", "go")
            elif finding.mean is not None and finding.word in ("undecided", MEASURES[measure].worse):
                yield Reason(sentence(finding), "go")


def _answers(study: Compare, name: str) -> Iterator[Reason]:
    """By the measure that was asked for: against it is what is worse by more than the margin, all of the interval."""
    if study.has_one_trajectory:
        yield Reason(study.broken, "not decided")
        return
    if study.broken:
        yield Reason(study.broken, name=f"{name}: does not train")
        return
    for other in study.evidence.others:
        finding = study.evidence.answer(other)
        if finding.mean is None:
            yield Reason(study.nothing, "go" if study.unavailable else "not decided")
        elif study.evidence.is_worse_by_more(finding):
            yield _worse(finding, "no-go", name)
        elif finding.word in ("same", MEASURES[finding.measure].better):
            yield Reason(sentence(finding), "go")
        else:
            sure = study.evidence.finding(finding.measure, other).word == MEASURES[finding.measure].worse
            open_ = _worse(finding, "not decided", name if sure else "")
            enough = study.enough(finding)
            yield replace(open_, text=open_.text + wanting(finding, enough.pairs if enough else None))


def _worse(finding: Finding, word: Word, name: str) -> Reason:
    return Reason(sentence(finding), word, name, size=at_worst(finding))


def shipped(horovod: bool = False) -> list[Path]:
    """The scenarios that are asked about where a user gives none; ``horovod``: also of two of its ranks."""
    return sorted(path for path in (folder() / "qualify").glob("*.yaml") if horovod or path.stem != "horovod")


def possible(paths: Sequence[Path]) -> tuple[list[Path], tuple[str, ...]]:
    """Of scenarios that nobody asked for by name those that this machine can run, and why it cannot run the others."""
    plans = ((path, validation.load(path, [])) for path in paths)
    unmet = {path: machine.unmet(request.planned(found, resolve.settled(found)).plan) for path, found in plans}
    return [path for path, why in unmet.items() if why is None], tuple(filter(None, unmet.values()))


def read(paths: Sequence[Path]) -> dict[str, Mapping[str, Any]]:
    """Scenario files as plain values by name, without variants; InputError or ScenarioError for what cannot be run."""
    found: dict[str, Mapping[str, Any]] = {}
    for path in paths:
        if path.stem in found:
            raise InputError(f"two scenarios are called {path.stem}; give one of them another name")
        found[path.stem] = sides.read(path, [], [[]]).values
    return found
