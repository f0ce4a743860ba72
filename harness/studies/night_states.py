"""What later nights may take a scenario of this night for: good, an alert, not decided, or failed. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.judging.verdict import Verdict
from harness.studies.compare import Compare
from harness.studies.finding import sentence
from harness.studies.nights import OUTCOME, TRIES, WHOLE, Answer, State, is_of_ours, numbers_of, outcomes_of
from harness.studies.suspicion import usual_of
from harness.studies.watched import Watched


@dataclass(frozen=True)
class Seen:
    """A scenario, verdicts of its rounds, why others failed, and each arm's look at a change, or why it has none."""

    watched: Watched
    verdicts: Sequence[Verdict]
    failed: Sequence[str]
    looks: Mapping[str, Compare | str]
    unlooked: Sequence[str] = ()
    """Arms whose change could have been looked at, and had no time; one whose look failed was looked at, in vain."""


def state(seen: Seen, answers: Sequence[Answer]) -> tuple[State, str]:
    """The state, and why it is no better; ``answers`` to what was suspected of it."""
    if not any(verdict.trusted for verdict in seen.verdicts):
        reasons = [*seen.failed, *(verdict.reason for verdict in reversed(seen.verdicts)), "it was not measured"]
        return "failed", next(filter(None, reasons))
    if seen.watched.past.reference is None and not any(verdict.verdict == "pass" for verdict in seen.verdicts):
        return "failed", f"{seen.verdicts[-1].reason}; no night has passed yet"
    alerted = {answer.arm for answer in answers if answer.word == "software"}
    if not alerted and (why := _none_passed(seen, answers)):
        return "failed", why
    word, note = _of_changed(seen, answers, alerted) if seen.watched.changed else ("good", "")
    if word == "good" and (lost := list(_lost(seen))):
        word, note = _tried(seen.watched, "; ".join(filter(None, [note, *lost])))
    if word == "good" and (odd := list(_ending_otherwise(seen, answers))):
        word, note = _tried(seen.watched, "; ".join(filter(None, [note, *odd])))
    if word == "good" and seen.failed:
        note = "; ".join(filter(None, [note, f"{len(seen.failed)} more rounds could not run: {seen.failed[-1]}"]))
    if alerted:  # what is not known of other arms has to be before later nights are compared with this one
        return "alert", "" if word == "good" else note
    return word, note


def _none_passed(seen: Seen, answers: Sequence[Answer]) -> str:
    """Why no run of tonight passed, where most did on the last good night and more runs of tonight do not, either."""
    reference = seen.watched.past.reference
    usually = usual_of(reference.outcomes.get(WHOLE, ())) if reference else ""
    if usually != "pass" or any(verdict.verdict == "pass" for verdict in seen.verdicts):
        return ""
    asked = [answer for answer in answers if answer.measure == OUTCOME]
    if asked and all(answer.word == "noise" for answer in asked):
        return ""
    return "; ".join([f"none of {len(seen.verdicts)} runs passed: {seen.verdicts[-1].reason}", *map(_said, asked)])


def _said(answer: Answer) -> str:
    return f"{answer.arm or 'the verdict'}: {answer.text}"


def _lost(seen: Seen) -> Iterator[str]:
    """Numbers that the last good night had of an arm, and that no run of tonight has."""
    reference = seen.watched.past.reference
    tonight = [numbers_of(verdict) for verdict in seen.verdicts if verdict.trusted]
    for arm, numbers in (reference.numbers if reference else {}).items():
        if arm not in seen.watched.arms or seen.watched.is_another_job(arm):
            continue
        lost = [name for name in numbers if not any(name in each.get(arm, {}) for each in tonight)]
        if lost:
            yield f"{arm}: no run of tonight has {', '.join(lost)}, which the last good night had"


def _ending_otherwise(seen: Seen, answers: Sequence[Answer]) -> Iterator[str]:
    """Arms that do not end as usual, whatever the reason: what crashes on a good night is usual from then on.

    Where software changed, that it does so no more says little: what hangs once in five does not in three more runs.
    """
    words_ = ("machine", "not decided", "noise") if seen.watched.changed else ("machine", "not decided")
    for answer in answers:
        words = {outcomes_of(verdict).get(answer.arm, "completed") for verdict in seen.verdicts}
        odd = {word for word in words - {"completed", "pass"} if not is_of_ours(word)}
        if answer.measure == OUTCOME and answer.word in words_ and odd:
            yield _said(answer)


def _of_changed(seen: Seen, answers: Sequence[Answer], alerted: Collection[str]) -> tuple[State, str]:
    """Changed software is good where it was seen to be the same, or where too many looks could not tell."""
    arms = [arm for arm in seen.watched.arms if seen.watched.steps_of(arm) and arm not in alerted]
    found = [_of_arm(seen, arm) for arm in arms]
    unsettled = [answer for answer in answers if answer.word == "not decided"]
    note = "; ".join(dict.fromkeys(said for _, said in found))
    if all(good for good, _ in found) and not unsettled:
        return "good", note
    lacking = {*arms} & {*seen.unlooked}
    note = note or "; ".join(answer.text for answer in unsettled)
    if unsettled or lacking:
        return "undecided", "; ".join(filter(None, [note, _pending(seen.watched)]))
    return _tried(seen.watched, note)


def _of_arm(seen: Seen, arm: str) -> tuple[bool, str]:
    """Whether an arm's change does no harm as far as it was looked at, and what is known of it."""
    each, look = seen.watched, seen.looks[arm]
    told = f"changed: {'; '.join(step.what for step in each.steps_of(arm))}"
    if hindrance := each.hindrance(arm):
        alone = not any(step.fields for step in each.steps_of(arm))  # nothing came with it that nobody looked at
        return alone and not each.may_pass(arm), f"its speed beside the last good night's is not known: {hindrance}"
    if not any(step.fields for step in each.steps_of(arm)):
        return True, f"{told}; both sides of a comparison would be measured by tonight's"
    if each.values.get("faults"):
        return True, f"{told}; with faults only its outcome and its series are looked at"
    if isinstance(look, str):
        return False, f"{told}: {look}"
    (finding,) = look.evidence.findings()
    said = sentence(finding) if look.evidence.pairs else look.nothing
    unknown = [found.sentence for found in look.meanings.values() if found.word == "unknown"]
    return finding.word == "same" and not unknown, "; ".join(filter(None, [told, *unknown, said, look.why_undecided]))


def _pending(each: Watched) -> str:
    """What was told since the last good night and is still open, as tonight's software came after it."""
    ids = [f"{answer.id} ({answer.measure})" for answer in each.past.pending]
    return f"not accepted: {', '.join(ids)}, of the night {each.past.pending[0].since}" if ids else ""


def _tried(each: Watched, note: str) -> tuple[State, str]:
    """What was told and not accepted stays what later nights are looked at for."""
    if pending := _pending(each):
        return "undecided", f"{note}; {pending}"
    if each.past.tried + 1 >= TRIES and each.past.last and each.past.last.tracked == each.tracked:
        return "good", f"{note}; taken for good after {TRIES} nights"
    return "undecided", note
