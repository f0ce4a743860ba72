"""A night as it stands in the ledger, and what earlier nights say of a scenario. Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Literal

from harness.base.errors import DamagedRunError
from harness.judging.repeats import by_arm, pooled
from harness.judging.verdict import Verdict
from harness.statistics import shifts
from harness.studies.tracked import Tracked

SCHEMA = "harness/night/1"
FILE, ACCEPTED = "night.json", "accepted.json"
OUTCOME, MEANING = "outcome", "meaning"
WHOLE = ""
"""In place of an arm: the scenario as a whole, whose outcome is its verdict."""

OF_OURS = {"aborted", "interrupted"}
"""Outcomes that say nothing of a job: the harness failed, or was stopped."""


def is_of_ours(words: str) -> bool:
    """Whether any of the outcomes of repeats, by commas, says nothing of the job."""
    return not OF_OURS.isdisjoint(words.split(", "))


SERIES = ("seconds_per_sample", "peak_memory", "held_memory", "start_up", "final_loss")
"""Numbers of an arm that are kept of every night, as the runs of a scenario have them."""

DRIFT = "drift"
"""By which an arm's final loss differs from the first arm's, relative."""

TRIES = 7
"""Nights on which the same change is looked at; then what was not seen is said to be smaller than that."""

State = Literal["good", "alert", "undecided", "failed", "removed"]
REMOVED = "its file or its tag is gone, or another --suite or --tag was given"
"""Why a scenario is not there, where somebody took it away; told once."""
Word = Literal["software", "machine", "noise", "not decided"]
Numbers = Mapping[str, Mapping[str, Sequence[float]]]
"""Of each arm, by quantity: one number a round."""


@dataclass(frozen=True)
class Answer:
    """What became of a suspicion. ``id`` is the same on every night on which it is the same matter.

    ``since``: the night that told it first. ``shown``: numbers then and now, and lines of files that changed.
    ``effect``: what was confirmed, a logarithm; None where it has no size.
    """

    id: str
    scenario: str
    arm: str
    measure: str
    word: Word
    text: str
    cause: str = ""
    since: str = ""
    accepted: str = ""
    evidence: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    effect: float | None = None


@dataclass(frozen=True)
class Measured:
    """One scenario on one night: what decided its numbers, the numbers, and what was found.

    ``looked``: whether what changed was looked at, as far as it can be: else the night is no try.
    """

    key: str
    tracked: Tracked
    numbers: Numbers
    outcomes: Mapping[str, Sequence[str]]
    state: State
    runs: Sequence[str] = ()
    reference: str = ""
    note: str = ""
    answers: Sequence[Answer] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    looked: bool = True


@dataclass(frozen=True)
class Night:
    """All of one. ``failure``: why it could not run; then it measured nothing."""

    id: str
    scenarios: Sequence[Measured]
    facts: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 0
    failure: str = ""
    commit: str = ""

    def as_json(self) -> dict[str, Any]:
        """For `FILE`; a commit does not know its own name."""
        return {"schema": SCHEMA, **{name: value for name, value in asdict(self).items() if name != "commit"}}

    @classmethod
    def from_json(cls, text: bytes, commit: str) -> Night:
        """DamagedRunError for what is none."""
        try:
            body = json.loads(text)
            scenarios = [_measured(each) for each in body["scenarios"]]
            return cls(body["id"], scenarios, body["facts"], body["rounds"], body["failure"], commit)
        except (LookupError, TypeError, ValueError) as error:
            raise DamagedRunError(f"{FILE} of commit {commit[:10]} is no night: {error}") from error

    def scenario(self, key: str) -> Measured | None:
        """What was measured of one; None where it was not there."""
        return next((each for each in self.scenarios if each.key == key), None)


@dataclass(frozen=True)
class Moved:
    """A level that changed within the last nights, and that nobody has explained: ``night`` is the last before it.

    ``facts``: of the machine on that night.
    """

    arm: str
    quantity: str
    night: str
    before: float
    after: float
    software: str
    """The fingerprint of all nights from shortly before it; "" where there were several."""

    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Past:
    """What nights say of a scenario. ``reference``: the newest good one; ``last``: the newest that measured it.

    ``history``: medians of each series since its level last changed, oldest first; ``tried``: nights in a row on which
    this software was looked at without an answer, with ``last`` the newest of them; ``alerts``: what was told since the
    reference and is the software's; ``pending``: of these, what was not accepted.
    """

    reference: Measured | None = None
    night: str = ""
    last: Measured | None = None
    history: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    moved: Sequence[Moved] = ()
    tried: int = 0
    pending: Sequence[Answer] = ()
    told: Mapping[str, str] = field(default_factory=dict)
    """The night that told each answer first."""

    alerts: Sequence[Answer] = ()


def past(nights: Sequence[Night], accepted: Mapping[str, str], key: str) -> Past:
    """From all nights, oldest first, and why answers were accepted."""
    known = [(night.id, found) for night in nights if (found := night.scenario(key)) is not None]
    measured = [(night, found) for night, found in known if found.numbers or found.outcomes]
    good = [(night, found) for night, found in measured if is_good(found, accepted)]
    if not measured:
        return Past()
    night, reference = good[-1] if good else ("", None)
    job = measured[-1][1].tracked.job
    of_job = [each for each in measured if each[1].tracked.job == job]
    levels = {series: _level(of_job, *series, accepted) for series in _series(of_job)}
    history: dict[str, dict[str, Sequence[float]]] = {}
    for (arm, quantity), level in levels.items():
        history.setdefault(arm, {})[quantity] = level.values
    moved = [level.moved for level in levels.values() if level.moved is not None]
    told = {answer.id: answer.since for _, found in reversed(measured) for answer in found.answers}
    since = measured[measured.index(good[-1]) + 1 :] if good else []
    every = (answer for _, found in reversed(since) for answer in found.answers if answer.word == "software")
    alerts = [*{answer.id: answer for answer in every}.values()]  # by how much it was when it was told
    pending = [answer for answer in alerts if answer.id not in accepted]
    return Past(reference, night, measured[-1][1], history, moved, _tried(measured), pending, told, alerts)


def is_good(found: Measured, accepted: Mapping[str, str]) -> bool:
    """Whether its software is what later nights are compared with: nothing speaks against it that is not accepted.

    The note of an alert tells what is not known of other arms.
    """
    against = [answer for answer in found.answers if answer.word == "software" and answer.id not in accepted]
    return found.state == "good" or (found.state == "alert" and not against and not found.note)


def in_log(quantity: str, value: float) -> float:
    """A number as it is compared: its logarithm, where ratios matter."""
    if quantity == DRIFT:
        return value
    return math.log(value) if value > 0 else -math.inf


@dataclass(frozen=True)
class _Level:
    values: Sequence[float]
    moved: Moved | None


def _series(measured: Sequence[tuple[str, Measured]]) -> Iterator[tuple[str, str]]:
    each = ((arm, quantity) for _, found in measured for arm, numbers in found.numbers.items() for quantity in numbers)
    yield from dict.fromkeys(each)


def _level(measured: Sequence[tuple[str, Measured]], arm: str, quantity: str, accepted: Mapping[str, str]) -> _Level:
    """Since the level of a series changed; told as moved where no answer is younger than the change."""
    points = [
        (night, found, in_log(quantity, median(values)))
        for night, found in measured
        if (values := found.numbers.get(arm, {}).get(quantity))
    ]
    usable = [point for point in points if math.isfinite(point[2])]
    values = [value for *_, value in usable]
    shift = shifts.last_shift(values)
    if shift is None:
        return _Level(values, None)
    explained = any(
        answer.arm == arm
        and answer.measure in (quantity, *_ASKED.get(quantity, ()))
        and (answer.word in ("software", "machine") or answer.id in accepted)
        for _, found, _ in usable[shift.at :]
        for answer in found.answers
    )
    night, before, _ = usable[shift.at - 1]
    software = {found.tracked.fingerprint for _, found, _ in usable[max(0, shift.at - LATE) :]}
    one = before.tracked.fingerprint if len(software) == 1 else ""
    moved = Moved(arm, quantity, night, shift.before, shift.after, one, before.facts)
    return _Level(values[shift.at :], None if explained else moved)


LATE = 3
"""By so many nights a change of level may be placed late."""

_ASKED = {"seconds_per_sample": ("throughput",), "final_loss": (MEANING,), DRIFT: (MEANING,)}
"""Measures of comparisons by which a series is explained."""


def _tried(measured: Sequence[tuple[str, Measured]]) -> int:
    last = measured[-1][1].tracked.fingerprint
    count = 0
    for _, found in reversed(measured):
        has_no_answer = found.state == "undecided" or (found.state == "alert" and found.note)
        if not has_no_answer or found.tracked.fingerprint != last:
            break
        count += found.looked
    return count


def numbers_of(verdict: Verdict) -> dict[str, dict[str, float]]:
    """Of each arm that ended as it should have, what a run says of its series."""
    found: dict[str, dict[str, float]] = {}
    repeats = by_arm(verdict.arms)
    for arm, each in repeats.items():
        measured = pooled(each)
        quantities = {
            name: measured.get(name) if measured.get(name).value is not None else measured.worst(name)
            for name in SERIES
        }
        values = {name: quantity.value for name, quantity in quantities.items()}
        found[arm] = {name: value for name, value in values.items() if value is not None and math.isfinite(value)}
    first = next(iter(found), "")
    for arm, numbers in found.items():
        if arm != first and "final_loss" in numbers and found[first].get("final_loss"):
            numbers[DRIFT] = numbers["final_loss"] / found[first]["final_loss"] - 1
    return found


def outcomes_of(verdict: Verdict) -> dict[str, str]:
    """How each arm ended; of repeats that ended otherwise, all words. Of the whole, its verdict, where it has one."""
    words = {arm: [one.ended.outcome for one in each if one.ended] for arm, each in by_arm(verdict.arms).items()}
    judged = {WHOLE: verdict.verdict} if verdict.verdict in ("pass", "fail") else {}
    return {**{arm: ", ".join(sorted(set(each))) for arm, each in words.items() if each}, **judged}


def _measured(body: Mapping[str, Any]) -> Measured:
    answers = tuple(map(answer_from_json, body["answers"]))
    tracked, runs = Tracked(**body["tracked"]), tuple(body["runs"])
    return Measured(**{**body, "tracked": tracked, "runs": runs, "answers": answers})


def answer_from_json(body: Mapping[str, Any]) -> Answer:
    """What `dataclasses.asdict` made of it; LookupError or TypeError for what is none."""
    return Answer(**{**body, "evidence": tuple(body["evidence"]), "shown": tuple(body.get("shown", ()))})


def measured_from_json(body: Mapping[str, Any] | None) -> Measured | None:
    """What `dataclasses.asdict` made of it; LookupError or TypeError for what is none."""
    return None if body is None else _measured(body)
