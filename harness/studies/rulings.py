"""What a suspicion is: software, machine, noise, or not decided. Pure."""

from __future__ import annotations

from collections.abc import Collection
from statistics import median

from harness.statistics import shifts
from harness.studies import confirmation, nights
from harness.studies.compared import MEASURES
from harness.studies.finding import Finding
from harness.studies.nights import OUTCOME, WHOLE, Moved, Word, is_of_ours
from harness.studies.suspicion import Suspect, least_of, usual_of
from harness.studies.tonight import OUTCOME_RERUNS, RERUNS, Tonight

_MOVED = "its software changed since, and was taken for good then"
_GROUND = "nothing that is tracked changed"


def ruled(tonight: Tonight, suspect: Suspect) -> tuple[Word, str]:
    """What it is, and why that is said."""
    each = tonight.of(suspect)
    steps = each.steps_of(suspect.arm)
    hindrance = each.hindrance(suspect.arm)
    if suspect.measure == OUTCOME and not hindrance:
        return _ruled_outcome(tonight, suspect, bool(steps))
    if steps and not hindrance:
        return _ruled_change(tonight, suspect)
    if hindrance:
        return "not decided", f"its software of then cannot be had back: {hindrance}"
    if not each.has_then(suspect.arm):
        return "not decided", "no good night had this arm, so that nobody knows what changed since"
    again = _unusual(tonight, suspect, len(steps))
    if _moved_with_software(tonight, suspect):
        return "not decided", _MOVED
    if again is None:
        return "not decided", _unknown(tonight, suspect, len(steps))
    if again:
        return "machine", f"{_GROUND}, and it is so again in {RERUNS} more runs"
    return "noise", f"{_GROUND}, and {RERUNS} more runs are as usual"


def _ruled_outcome(tonight: Tonight, suspect: Suspect, changed: bool) -> tuple[Word, str]:
    each = tonight.of(suspect)
    whole = len(each.steps_of(suspect.arm))
    now, then = odd(tonight, suspect, whole), odd(tonight, suspect, 0) if changed else None
    if now is None or (changed and then is None):
        said_nothing = [each for count in {whole, 0} for each in _ended(tonight, suspect, count) if each == ""]
        told = f"{len(said_nothing)} more runs say nothing" if said_nothing else ""
        return "not decided", told or _why_not_asked(tonight, suspect, {whole, 0})
    told = f"{now} of {OUTCOME_RERUNS} more runs are so"
    if not changed:
        return ("machine" if now > 1 else "noise"), f"{_GROUND}; {told}"
    told += f", {then} with the software of then"
    if now == OUTCOME_RERUNS and not then:
        return "software", told
    return ("noise" if not now else "machine" if then and then > 1 else "not decided"), told


def _ruled_change(tonight: Tonight, suspect: Suspect) -> tuple[Word, str]:
    """Software changed: another duet of then and now decides."""
    key = f"confirm-{suspect.part}"
    if (study := tonight.compared(key)) is None:
        return "not decided", tonight.failures.get(key, tonight.asked.not_asked)
    told = confirmation.said(study, suspect)
    if is_confirmed(tonight, suspect):
        return "software", f"asked again: {told}"
    if suspect.by == "series":
        again = _unusual(tonight, suspect, 0)
        if again is None:
            return "not decided", f"{told}; {_unknown(tonight, suspect, 0)}"
        if again and _moved_with_software(tonight, suspect):
            return "not decided", f"{told}; {_MOVED}"
        if again and not confirmation.is_refuted(study, suspect):
            return "not decided", f"{told}; the software of then is so tonight, too"
        if again:
            return "machine", f"then and now are alike ({told}), and the software of then is so tonight, too"
    if confirmation.is_refuted(study, suspect):
        return "noise", f"asked again: {told}"
    return "not decided", "; ".join(filter(None, [f"asked again: {told}", study.why_undecided]))


def _unknown(tonight: Tonight, suspect: Suspect, count: int) -> str:
    """Why runs with so many changes do not tell."""
    made = len(tonight.of_runs(suspect, count, RERUNS))
    return f"{made} more runs have no such number" if made == RERUNS else _why_not_asked(tonight, suspect, {count})


def _why_not_asked(tonight: Tonight, suspect: Suspect, counts: Collection[int]) -> str:
    """Why runs with so many changes were not made: they failed, or there was no room."""
    beginnings = tuple(f"with-{count}-" for count in counts)
    failed = (
        why for key, why in tonight.failures.items() if key.startswith(beginnings) and key.endswith(f"-{suspect.part}")
    )
    return next(failed, tonight.asked.not_asked)


def odd(tonight: Tonight, suspect: Suspect, count: int) -> int | None:
    """How many of the runs with so many changes ended otherwise than the reference.

    None before all are there, or where one of them says nothing.
    """
    reference = tonight.of(suspect).past.reference
    usual = usual_of(reference.outcomes.get(suspect.arm, ())) if reference else ""
    words = _ended(tonight, suspect, count)
    return sum(word != usual for word in words) if len(words) == OUTCOME_RERUNS and all(words) else None


def _ended(tonight: Tonight, suspect: Suspect, count: int) -> list[str]:
    """How each run with so many changes ended; "" where the job did not answer: no verdict, or our failure."""
    each = [nights.outcomes_of(verdict) for verdict in tonight.of_runs(suspect, count, OUTCOME_RERUNS)]
    words = [one.get(suspect.arm, "" if suspect.arm == WHOLE else one.get("main", "")) for one in each]
    return ["" if is_of_ours(word) else word for word in words]


def _unusual(tonight: Tonight, suspect: Suspect, count: int) -> bool | None:
    """Whether the middle of some runs is unlike the nights before; None before they are there."""
    quantity = suspect.quantity
    runs = [nights.numbers_of(verdict) for verdict in tonight.of_runs(suspect, count, RERUNS)]
    found = [numbers.get(suspect.arm, numbers.get("main", {})) for numbers in runs]
    values = [numbers[quantity] for numbers in found if quantity in numbers]
    each, moved = tonight.of(suspect), moved_level(tonight, suspect)
    before = each.past.history.get(suspect.arm, {}).get(quantity, ())
    if len(found) < RERUNS or not values:
        return None
    value = nights.in_log(quantity, median(values))
    if moved is not None:
        return abs(value - moved.after) < abs(value - moved.before)
    return shifts.is_unusual(before, value, least_of(quantity, tonight.asked.resolve))


def moved_level(tonight: Tonight, suspect: Suspect) -> Moved | None:
    """The level that moved, where that is what is suspected about."""
    known = tonight.of(suspect).past.moved
    return next((one for one in known if (one.arm, one.quantity) == (suspect.arm, suspect.quantity)), None)


def _moved_with_software(tonight: Tonight, suspect: Suspect) -> bool:
    """Whether a level moved on nights that had not all the software of the last good one."""
    moved, reference = moved_level(tonight, suspect), tonight.of(suspect).past.reference
    return moved is not None and (reference is None or moved.software != reference.tracked.fingerprint)


def is_confirmed(tonight: Tonight, suspect: Suspect) -> bool:
    """Whether software that changed was asked about once more, and that showed the same."""
    study = tonight.compared(f"confirm-{suspect.part}")
    return study is not None and confirmation.shows(study, suspect)


def confirmed(tonight: Tonight, suspect: Suspect) -> Finding | None:
    """What was confirmed, where it has a size."""
    study = tonight.compared(f"confirm-{suspect.part}")
    absolute = suspect.measure in MEASURES and MEASURES[suspect.measure].absolute
    return confirmation.finding(study, suspect) if study is not None and not absolute else None
