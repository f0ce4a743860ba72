"""Which of several changes brings what was confirmed, by halves. Pure."""

from __future__ import annotations

from harness.studies import confirmation, rulings
from harness.studies.compared import MEASURES
from harness.studies.finding import MOST_RESOLVED, Finding
from harness.studies.nights import MEANING, OUTCOME
from harness.studies.suspicion import Suspect
from harness.studies.tonight import OUTCOME_RERUNS, Tonight


def left(tonight: Tonight, suspect: Suspect) -> tuple[int, int]:
    """Changes that are left to blame, from and to."""
    low, high = 0, len(tonight.of(suspect).steps_of(suspect.arm))
    while high - low > 1:
        middle = (low + high) // 2
        shows = _shows_with(tonight, suspect, middle)
        if shows is None:
            break
        low, high = (low, middle) if shows else (middle, high)
    return low, high


def _shows_with(tonight: Tonight, suspect: Suspect, count: int) -> bool | None:
    """Whether so many changes are enough to show it; None where nobody knows."""
    if suspect.measure == OUTCOME:
        odd = rulings.odd(tonight, suspect, count)
        return None if odd is None else odd > OUTCOME_RERUNS // 2
    if (study := tonight.compared(f"step-{count}-{suspect.part}")) is None:
        return None
    finding, shows = confirmation.finding(study, suspect), confirmation.shows(study, suspect)
    if finding is not None and not shows and not confirmation.is_refuted(study, suspect):
        return None
    if suspect.measure == MEANING and not (study.broken or study.meanings):
        return None
    unclear = any(found.word == "unknown" for found in study.meanings.values())
    if suspect.measure == MEANING and suspect.word != "broken" and unclear and not (study.broken or shows):
        return None
    return None if shows and _is_less_than_half(tonight, finding, suspect) else shows


def half(tonight: Tonight, suspect: Suspect) -> float:
    """Half of what was confirmed: a change that does less is not the one that is looked for."""
    found = rulings.confirmed(tonight, suspect)
    if found is None or found.mean is None:
        return tonight.asked.resolve
    return max(tonight.asked.resolve, min(abs(found.mean.estimate) / 2, MOST_RESOLVED))


def _is_less_than_half(tonight: Tonight, found: Finding | None, suspect: Suspect) -> bool:
    """Whether it is less than half of what was confirmed: another change may do more."""
    if found is None or found.mean is None or MEASURES[suspect.measure].absolute:
        return False
    return abs(found.mean.estimate) < half(tonight, suspect)


def cause(tonight: Tonight, suspect: Suspect) -> str:
    """What is to blame, or which of several changes may be."""
    low, high = left(tonight, suspect)
    steps = tonight.of(suspect).steps_of(suspect.arm)[low:high]
    one_of = "one of: " if len(steps) > 1 else ""
    return one_of + "; ".join(step.what for step in steps)
