"""What a night tells of a suspicion: its id, cause, evidence and numbers. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

from harness.studies import blame, rulings
from harness.studies.finding import Finding
from harness.studies.nights import Answer, Word
from harness.studies.suspicion import Suspect
from harness.studies.tonight import Tonight
from harness.studies.watched import Watched, look

_PLAINLY: Mapping[str, tuple[str, Callable[[float], float]]] = {
    "seconds_per_sample": ("samples/s", lambda seconds: 1 / seconds),
    "final_loss": ("final loss", float),
    "peak_memory": ("peak memory, MB", lambda size: size / 1e6),
    "held_memory": ("held memory, MB", lambda size: size / 1e6),
    "start_up": ("start-up, s", float),
}
"""How numbers of series are told to people: named, and in which unit."""

_DIGEST = re.compile(r"@[0-9a-f]{12}\b")
"""Of files in a cause: while nothing is mended, they are edited."""


def answer(tonight: Tonight, night: str, suspect: Suspect) -> Answer:
    """What came of a suspicion, on a night of this id."""
    each = tonight.of(suspect)
    word, text = rulings.ruled(tonight, suspect)
    cause = blame.cause(tonight, suspect) if word == "software" else ""
    if word == "machine":
        cause = _changed_facts(tonight, each, suspect)
    evidence = tuple(
        part.folder.id
        for key, part in tonight.parts.items()
        if key.endswith((suspect.part, f"look-{look(suspect.arm, each.key)}")) and part.folder is not None
    )
    found = rulings.confirmed(tonight, suspect) if word == "software" else None
    id_ = _id(tonight, suspect, cause, found)
    since = each.past.told.get(id_, night)
    own = (id_, each.key, suspect.arm, suspect.measure, word, f"{suspect.why}; {text}")
    effect = None if found is None or found.mean is None else found.mean.estimate
    return Answer(*own, cause, since, "", evidence, tuple(_shown(tonight, suspect, word)), effect)


def _shown(tonight: Tonight, suspect: Suspect, word: Word) -> Iterator[str]:
    """Its number on the last good night and tonight, and what changed in files that are to blame."""
    each, quantity = tonight.of(suspect), suspect.quantity
    known = each.past.reference.numbers if each.past.reference is not None else {}
    both = [numbers.get(suspect.arm, {}).get(quantity, ()) for numbers in (known, tonight.numbers(each.key))]
    if quantity in _PLAINLY and all(both):
        name, plainly = _PLAINLY[quantity]
        then, now = (f"{plainly(median(values)):.6g}" for values in both)
        rounds = " and ".join(str(len(values)) for values in both)
        alone = f"each by itself, whatever else the machine did (medians of {rounds} rounds)"
        yield f"{name}: {then} on the last good night, {now} tonight, {alone}"
    if word == "software":
        low, high = blame.left(tonight, suspect)
        yield from (line for step in each.steps_of(suspect.arm)[low:high] for line in step.lines)


def _id(tonight: Tonight, suspect: Suspect, cause: str, found: Finding | None) -> str:
    """The same while the same arm differs in the same way from the same good night, for the same reason.

    And by as much: where more came to what was told, or accepted, it is another matter. What has no size is another
    one with every other content of a file.
    """
    each = tonight.of(suspect)
    reason = cause if found is None else _DIGEST.sub("", cause)
    matter = (suspect.watched, suspect.arm, suspect.measure, suspect.word, each.past.night, reason)
    id_ = _digest(matter)
    known = {answer.id: answer.effect for answer in each.past.alerts if answer.measure == suspect.measure}
    alike = [one for one, effect in known.items() if one == id_ or one.startswith(f"{id_}-")]
    if not alike or any(not _has_grown(known[one], found) for one in alike):
        return next((one for one in alike if not _has_grown(known[one], found)), id_)
    return f"{id_}-{_digest((each.tracked.fingerprint,))[:4]}"


def _changed_facts(tonight: Tonight, each: Watched, suspect: Suspect) -> str:
    """Since the night before the level moved, or the last good one."""
    moved, known = rulings.moved_level(tonight, suspect), each.past.reference or each.past.last
    before = moved.facts if moved is not None else known.facts if known is not None else {}
    told = [
        f"{name}: {before[name]} → {value}"
        for name, value in tonight.facts.items()
        if name in before and before[name] != value
    ]
    told += [step.what for step in each.steps.get(each.arms[0], ()) if not step.fields and not step.why]
    return "; ".join(told) or "no fact of the machine that is kept changed"


def _digest(matter: Sequence[str]) -> str:
    return hashlib.sha256("|".join(matter).encode()).hexdigest()[:8]


def _has_grown(before: float | None, now: Finding | None) -> bool:
    """Whether all of an interval is farther from nothing than what was told before."""
    if before is None or now is None or now.mean is None:
        return False
    return min(abs(now.mean.low), abs(now.mean.high)) > abs(before) and now.mean.estimate * before > 0
