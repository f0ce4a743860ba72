"""Which of some targets, in order, is the first that shows something: by halves, as `git bisect` does.

It is shown by runs that do not pass, by a side that is slower or worse, or by an operator that differs, each beside the
first target. Both ends are asked first. A target that does not start, or of which nothing can be said, is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from harness.base.errors import InputError
from harness.scenario.schema import Target
from harness.studies.again import NONE, Again
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.composite import Composite
from harness.studies.finding import MOST_RESOLVED, Question, sentence
from harness.studies.operators import Operators
from harness.studies.sides import Side, Sides, side_fields, without_target
from harness.studies.study import Study, Trial

RELEASED = ("1.5.0", "1.5.1.post0", "1.6.0", "1.7.0.post2", "1.8.0.post0", "1.9.0", "1.9.1")
"""MXNet's wheels for CPUs on PyPI, the last of each version."""

Shown = Literal["yes", "no", "unknown"]
FIRST, OTHER = "first", "other"


@dataclass(frozen=True)
class Asked:
    """Targets in order, and one question: an operator, a scenario's verdict, or a measure of it.

    ``values``: the scenario as plain values, empty for an operator. ``times``: runs of each target for a verdict.
    """

    targets: tuple[Target, ...]
    operator: str = ""
    name: str = ""
    values: Mapping[str, Any] | None = None
    measure: str = ""
    times: int = 3
    budget: float = 180.0
    resolve: float | None = None

    def as_json(self) -> dict[str, Any]:
        """From which `from_json` makes it again."""
        targets = [target.model_dump(mode="json", exclude_none=True) for target in self.targets]
        return {**vars(self), "targets": targets}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Asked:
        """LookupError, TypeError or ValueError for what is none."""
        return cls(**{**body, "targets": tuple(Target(**target) for target in body["targets"])})


class Bisect(Composite):
    """InputError for fewer than two targets, or the same one twice. What ends now so, now so, says nothing."""

    name: ClassVar[str] = "bisect"

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self.asked_, self.targets = asked, asked.targets
        self.keys_ = [f"{place:02d}" for place in range(len(asked.targets))]
        if len(asked.targets) < 2:
            raise InputError("one target has nothing between it and another; give --good and --bad")
        if any(target in asked.targets[:place] for place, target in enumerate(asked.targets)):
            raise InputError("a target is given twice; each has one place in the order")
        self.made(self.keys_[-1])

    @property
    def keys(self) -> Sequence[str]:
        return self.keys_

    @property
    def question(self) -> Mapping[str, Any]:
        return self.asked_.as_json()

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Bisect:
        return cls(Asked.from_json(question))

    def made(self, key: str) -> Study:
        asked, target = self.asked_, self.asked_.targets[int(key)]
        if asked.operator:
            return Operators(asked.targets[0], target, [asked.operator])
        values = asked.values or {}
        if not asked.measure:
            return Again(values, target, asked.times)
        both = tuple(Side(name, side_fields(each)) for name, each in ((FIRST, asked.targets[0]), (OTHER, target)))
        compared = Sides(asked.name, without_target(values), both)
        return Compare(compared, Question(asked.measure, self._resolve, asked.budget))

    @property
    def _resolve(self) -> float | None:
        """Half of what the last one differs by, once that is known: what does less is not what is looked for."""
        asked, last = self.asked_, self._last
        if not isinstance(last, Compare) or MEASURES[asked.measure].absolute:
            return asked.resolve
        return max(asked.resolve or 0.0, min(_effect(last) / 2, MOST_RESOLVED)) or None

    @property
    def _last(self) -> Study | None:
        """What the last target shows, once it is through."""
        return self.parts.get(self.keys_[-1])

    def wanted(self) -> Sequence[Trial]:
        """The ends, unless the first is what others are compared with, then what halves the rest."""
        place = next_place([self.shown(key) for key in self.keys_], [self._is_through(key) for key in self.keys_])
        return [] if place is None else [Trial(self.keys_[place])]

    def _is_through(self, key: str) -> bool:
        return key in self.parts or key in self.failures or self._is_itself(key)

    def _is_itself(self, key: str) -> bool:
        """The first target shows nothing beside itself."""
        return key == self.keys_[0] and bool(self.asked_.operator or self.asked_.measure)

    def shown(self, key: str) -> Shown:
        """Whether a target shows it."""
        if self._is_itself(key):
            return "no"
        return _shown(self.parts[key], self._last) if key in self.parts else "unknown"

    def told(self, key: str) -> str:
        """What was found of a target, in words."""
        if self._is_itself(key):
            return "what others are compared with"
        if key in self.failures:
            return self.failures[key]
        return _told(self.parts[key]) if key in self.parts else "not asked"

    @property
    def first(self) -> tuple[str | None, str | None]:
        """The last before it that does not show it, and the first that does, by their keys; None where none does."""
        found = [self.shown(key) for key in self.keys_]
        bad = next((place for place, each in enumerate(found) if each == "yes"), None)
        before = [place for place, each in enumerate(found[:bad]) if each == "no"]
        return (self.keys_[before[-1]] if before else None, None if bad is None else self.keys_[bad])

    @property
    def is_found(self) -> bool:
        """Whether the first that shows it follows one that does not, and the first target of all does not."""
        good, bad = self.first
        follows = good is not None and bad is not None and self.keys_.index(bad) == self.keys_.index(good) + 1
        return follows and self.shown(self.keys_[0]) == "no"

    @property
    def in_words(self) -> str:
        """The answer, with how sure it is."""
        good, bad = self.first
        ends = [self.shown(key) for key in (self.keys_[0], self.keys_[-1])]
        if self.wanted():
            return f"{len(self.parts)} targets asked so far"
        if ends[0] == "yes":
            return f"the first one shows it, too: {self._of(self.keys_[0])}"
        if ends[1] == "unknown":
            return f"of the last one nothing can be said: {self._of(self.keys_[-1])}"
        if bad is None or ends[1] == "no":
            return f"the last one does not show it: {self._of(self.keys_[-1])}"
        if ends[0] == "unknown":
            first = f"of the first nothing can be said: {self.told(self.keys_[0])}"
            known = f"{self._of(good)} does not; " if good is not None else ""
            return f"{self._of(bad)} shows it; {known}{first}"
        assert good is not None
        between = self.keys_[self.keys_.index(good) + 1 : self.keys_.index(bad)]
        if between:
            others = "; ".join(map(self._of, between))
            return (
                f"{self._of(bad)} shows it, {self._of(good)} does not; of those between nothing can be said: {others}"
            )
        before = self.keys_[: self.keys_.index(good)]
        unasked = [self._named(key) for key in before if not self._is_through(key)]
        once = f"; taken to be without it, and not asked: {', '.join(unasked)}" if unasked else ""
        return f"{self._of(bad)} is the first that shows it; {self._of(good)} does not{once}"

    def _of(self, key: str) -> str:
        return f"{self._named(key)} ({self.told(key)})"

    def _named(self, key: str) -> str:
        target = self.asked_.targets[int(key)]
        env = " ".join(f"{name}={value}" for name, value in target.env.items())
        return f"{target} {env}".strip()

    def summary(self) -> Mapping[str, Any]:
        good, bad = self.first
        targets = [
            {"target": self._named(key), "shows": self.shown(key), "because": self.told(key)} for key in self.keys_
        ]
        names = {"last_without": good, "first_with": bad}
        named = {name: key and self._named(key) for name, key in names.items()}
        return {**named, "found": self.is_found, "targets": targets}


def next_place(shown: Sequence[Shown], through: Sequence[bool]) -> int | None:
    """Which target is asked next, None where nothing more can be learnt: the ends, then the middle of what is left."""
    for end in (0, len(shown) - 1):
        if not through[end]:
            return end
    if shown[-1] != "yes" or shown[0] == "yes":
        return None
    bad = shown.index("yes")
    good = max((place for place, each in enumerate(shown[:bad]) if each == "no"), default=0)
    left = [place for place in range(good + 1, bad) if not through[place]]
    return min(left, key=lambda place: (abs(2 * place - good - bad), place)) if left else None


_WORSE = ("slower", "more", "worse")
_BETTER = ("same", "faster", "less", "better")


def _shown(study: Study, last: Study | None) -> Shown:
    """Of a part that is through; of an operator, whether a case differs as it does in the ``last`` target."""
    if isinstance(study, Again):
        words = set(study.words.values())
        return "yes" if words == {"fail"} else "no" if words == {"pass"} else "unknown"
    if isinstance(study, Operators):
        kinds, asked = _kinds(study), _kinds(last) if isinstance(last, Operators) else {}
        first = {kind: names[0] for kind, names in (asked or kinds).items()}
        if any(case in kinds.get(kind, ()) for kind, case in first.items()):
            return "yes"
        if {*kinds} & {*first}:
            return "unknown"  # in other cases: it may be another cause, or that the case is called otherwise
        found = study.parity
        if found is None or not found.compared or found.unmatched or found.fickle:
            return "unknown"
        return "unknown" if {*first.values()} & {*found.unrepeated} else "no"
    assert isinstance(study, Compare)
    words = {finding.word for finding in study.evidence.findings()}
    if study.broken or not words:
        return "unknown"
    if words & set(_WORSE):
        return "yes" if _effect(study) >= (_effect(last) / 2 if isinstance(last, Compare) else 0.0) else "unknown"
    return "no" if words <= set(_BETTER) else "unknown"


def _effect(study: Compare) -> float:
    """How much the two sides differ, whichever is worse."""
    (found,) = study.evidence.findings()
    return 0.0 if found.mean is None else abs(found.mean.estimate)


def _kinds(study: Operators) -> dict[str, tuple[str, ...]]:
    """How an operator differs, each with the cases that do."""
    found = study.parity
    each = {} if found is None else {own.kind: own.names or (str(own.case["case"]),) for own in found.differences}
    return {**each, **({"gone": ("",)} if found is not None and found.gone else {})}


def _told(study: Study) -> str:
    """What a part found, in words."""
    tellers: Mapping[type[Study], Callable[[Any], str]] = {Again: _of_runs, Operators: _of_operator, Compare: _of_sides}
    return tellers[type(study)](study)


def _of_runs(study: Again) -> str:
    counts = study.in_words.partition(": ")[2]
    failed = next((why for key, why in study.reasons.items() if study.words[key] in ("fail", NONE)), "")
    return f"{counts}: {failed}" if failed else counts


def _of_operator(study: Operators) -> str:
    found = study.parity
    if found is None:
        return "not every pass is through"
    gone = [f"{name} is gone" for name in found.gone]
    each = [*gone, *(f"{it.kind}: {it.how}" for it in (*found.differences, *found.fickle))]
    return "; ".join(each) or f"the same in {found.compared} cases"


def _of_sides(study: Compare) -> str:
    return study.broken or "; ".join(sentence(finding) for finding in study.evidence.findings())
