"""A scenario of tonight, and what has to be undone so that it is as it was. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from harness.checks import CONTROL
from harness.scenario import document, overrides
from harness.scenario.load import VARIABLE, replaced
from harness.scenario.schema import SEEDS
from harness.studies import nights
from harness.studies.nights import Measured, Past
from harness.studies.sides import LEFT_OUT, Side, Sides
from harness.studies.software import SETTING
from harness.studies.tracked import Tracked

NOW, THEN = "now", "then"


def look(arm: str, key: str) -> str:
    """What the look at an arm of a scenario is called: no two alike, as names have hyphens, and no dots."""
    return f"{arm.replace('-', '.')}-{key}"


@dataclass(frozen=True)
class Step:
    """One change since the reference: in words, and the fields that a scenario of now needs to be without it.

    ``why``: what keeps it from being undone; then there are no fields. ``lines``: of files, those that differ.
    ``may_pass``: what keeps it may be gone tomorrow, as where packages could not be had. ``other_job``: numbers of
    before are those of another job, as of fewer steps.
    """

    what: str
    fields: Mapping[str, Any]
    why: str = ""
    lines: Sequence[str] = ()
    may_pass: bool = False
    other_job: bool = False


@dataclass(frozen=True)
class Watched:
    """One scenario of tonight: its whole values, what decides its numbers, the past, and each arm's steps from there.

    ``names``: of the scenario and its axis.
    """

    key: str
    name: str
    axis: str
    values: Mapping[str, Any]
    tracked: Tracked
    past: Past
    steps: Mapping[str, Sequence[Step]]

    @property
    def arms(self) -> Sequence[str]:
        """What is looked at where software changed: the job itself, or every variant."""
        return list(self.values.get("variants") or {}) or ["main"]

    @property
    def changed(self) -> bool:
        """Whether its software is another than that of the last good night."""
        reference = self.past.reference
        return reference is not None and reference.tracked.fingerprint != self.tracked.fingerprint

    @property
    def known(self) -> Measured | None:
        """The last night, where it looked at just this software and found something to tell."""
        last = self.past.last
        if last is None or last.state != "alert" or last.tracked.fingerprint != self.tracked.fingerprint:
            return None
        return last if self.changed else None

    @property
    def told(self) -> set[tuple[str, str]]:
        """Arms and measures of what was told of just this software."""
        answers = self.known.answers if self.known is not None else ()
        return {(answer.arm, answer.measure) for answer in answers if answer.word == "software"}

    @property
    def _unsettled(self) -> set[str]:
        """Arms of which the last night left something undecided, beside what it told of just this software."""
        answers = self.known.answers if self.known is not None else ()
        return {answer.arm for answer in answers if answer.word == "not decided"}

    def steps_of(self, arm: str) -> Sequence[Step]:
        """What changed of an arm; of the first one, where none is meant, or the job without its faults."""
        return self.steps.get(self.arms[0] if arm in ("", CONTROL) else arm, ())

    def has_then(self, arm: str) -> bool:
        """Whether a good night had this arm, so that what changed of it since is known."""
        if self.past.reference is None:
            return False
        return not self.changed or (self.arms[0] if arm in ("", CONTROL) else arm) in self.steps

    def hindrance(self, arm: str) -> str:
        """Why an arm's software of then cannot be had beside that of now; "" where it can."""
        if not arm and self.changed and not self._changed_as_one:
            return "what is asked of the scenario, or one of its arms alone, is not what it was"
        return "; ".join(f"{step.what}: {step.why}" for step in self.steps_of(arm) if step.why)

    def may_pass(self, arm: str) -> bool:
        """Whether what hinders may be gone tomorrow."""
        return any(step.may_pass for step in self.steps_of(arm) if step.why)

    def is_another_job(self, arm: str) -> bool:
        """Whether its numbers say nothing beside those of before."""
        return any(step.other_job for step in self.steps_of(arm))

    @property
    def _changed_as_one(self) -> bool:
        """Whether something changed, the same for all arms, and not in what one of several has of its own."""
        first, variants = self.steps_of(self.arms[0]), self.values.get("variants") or {}
        own = {_root(path) for variant in variants.values() for path in variant}
        undone = {_root(path) for step in first for path in step.fields}
        return bool(first) and all(self.steps_of(arm) == first for arm in self.arms) and not own & undone

    def can_be_looked_at(self, arm: str) -> bool:
        """Whether a duet of then and now can say something: software changed, and all of it can be undone."""
        return (
            self.changed
            and (arm not in {alerted for alerted, _ in self.told} or arm in self._unsettled)
            and not self.values.get("faults")
            and any(step.fields for step in self.steps_of(arm))
            and self.hindrance(arm) == ""
        )

    def undone(self, arm: str, count: int) -> dict[str, Any]:
        """Fields that bring all but the first ``count`` changes back to what they were."""
        return {path: value for step in self.steps_of(arm)[count:] for path, value in step.fields.items()}

    def arm_values(self, arm: str) -> dict[str, Any]:
        """A scenario of one arm alone."""
        own = Tracked(self.values).arm("" if arm in ("main", CONTROL) else arm)
        left_out = ("faults",) if arm == CONTROL else ()
        return {"title": self.values["title"], **{name: each for name, each in own.items() if name not in left_out}}

    def scenario(self, arm: str, count: int) -> str:
        """The text of one arm alone, or of the whole, with the first ``count`` of its changes."""
        fields = self.undone(arm or self.arms[0], count)
        base = _without(self.arm_values(arm) if arm else self.values, _unset(fields))
        changes = [
            each for item in fields.items() for each in (*replaced(item[0]), item) if item[0] not in _unset(fields)
        ]
        written = document.parse(yaml.safe_dump(base, sort_keys=False, allow_unicode=True), self.name)
        values = overrides.apply(written, changes).values
        own = {"control": False} if arm else {}
        return yaml.safe_dump({**values, **own}, sort_keys=False, allow_unicode=True)

    def sides(self, arm: str, count: int, seed: int) -> Sides:
        """What it was, beside what it is with the first ``count`` changes."""
        values = {name: value for name, value in self.arm_values(arm).items() if name not in LEFT_OUT}
        values["seed"] = (values.get("seed", 0) + seed) % SEEDS
        added = _unset(self.undone(arm, 0))
        both = tuple(Side(name, self._side(arm, each, added)) for name, each in ((THEN, 0), (NOW, count)))
        return Sides(self.name, _without(values, added), both)

    def _side(self, arm: str, count: int, added: Sequence[str]) -> dict[str, Any]:
        """What one side changes. A side can set a variable, but not take one away: ``added`` are in none of the base.

        What sides cannot differ by are limits of time, which are the same for both.
        """
        undone, now = self.undone(arm, count), self.arm_values(arm)["target"]["env"] if added else {}
        kept = {path: now[path.removeprefix(SETTING)] for path in added if path not in undone}
        fields = {path: value for path, value in undone.items() if path.partition(".")[0] in VARIABLE}
        return kept | {path: value for path, value in fields.items() if path not in added}


def _root(path: str) -> str:
    """What may not be set twice: a variable by its whole name, else what stands first."""
    return path if path.startswith(SETTING) else path.partition(".")[0]


def _unset(fields: Mapping[str, Any]) -> list[str]:
    """The variables among fields that are not to be set."""
    return [path for path, value in fields.items() if path.startswith(SETTING) and value is None]


def _without(values: Mapping[str, Any], variables: Sequence[str]) -> dict[str, Any]:
    """A scenario without some variables of its target."""
    if not variables:
        return dict(values)
    env = {name: value for name, value in values["target"]["env"].items() if f"{SETTING}{name}" not in variables}
    return {**values, "target": {**values["target"], "env": env}}


def watched_from_json(body: Mapping[str, Any]) -> Watched:
    """What `dataclasses.asdict` made of it; LookupError or TypeError for what is none."""
    past = body["past"]
    known = Past(
        nights.measured_from_json(past["reference"]),
        past["night"],
        nights.measured_from_json(past["last"]),
        past["history"],
        [nights.Moved(**each) for each in past["moved"]],
        past["tried"],
        [nights.answer_from_json(each) for each in past.get("pending", ())],
        past["told"],
        [nights.answer_from_json(each) for each in past.get("alerts", past.get("pending", ()))],
    )
    steps = {arm: [Step(**each) for each in found] for arm, found in body["steps"].items()}
    return Watched(**{**body, "tracked": Tracked(**body["tracked"]), "past": known, "steps": steps})
