"""History and plan to a verdict, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from harness import checks, measures
from harness.base.printable import printable
from harness.checks import Finding, VerdictWord
from harness.checks.goodput import Goodput
from harness.checks.outcome import Outcome
from harness.judging import hang_diagnosis
from harness.judging.receipt_book import ReceiptBook
from harness.judging.repeats import by_arm, pooled
from harness.judging.verdict import Judged, Verdict
from harness.measures import Measure
from harness.planning.plan import Arm, Plan, is_same_job
from harness.statistics.comparison import Spread
from harness.vocabulary.events import Ended, Event, Exited, Spawned, Stack
from harness.vocabulary.quantities import ArmMeasures
from harness.vocabulary.receipts import Receipt


def judge(plan: Plan, past: Iterable[Event], run: str, facts: Mapping[str, Any]) -> Verdict:
    """Judge a history; ``facts`` are those of the machine, which go with every number."""
    observers = {arm.name: _ArmObserver(arm) for arm in plan.arms}
    hearers = {name: observer.hearers for name, observer in observers.items()}
    for event in past:
        for hear in hearers[event.arm].get(type(event), ()):
            hear(event)
    arms = {name: observer.result() for name, observer in observers.items()}
    repeats = by_arm(arms.values())
    between = between_runs(plan, facts)
    judged = [judged for of in repeats for judged in _check_arm(plan, repeats, of, between)]
    verdict, reason = _overall(judged, tuple(arms.values()))
    stacks = [stack for observer in observers.values() for stack in observer.stacks]
    blocked = [process for observer in observers.values() for process in observer.blocked()]
    return Verdict(run, printable(plan.title), verdict, reason, judged, tuple(arms.values()), stacks, blocked, facts)


class _ArmObserver:
    """Gives each event of an arm to the measures that want it; knows who is gone and how the arm ended."""

    def __init__(self, arm: Arm) -> None:
        self._arm = arm
        self._measures = [measure(arm) for measure in measures.all_measures().values()]
        self._receipts = ReceiptBook(arm)
        self._ended: Ended | None = None
        self._absent = {role.name: "was not started" for role in arm.roles}
        self.stacks: list[Stack] = []
        self.hearers: dict[type[Event], list[Callable[[Any], None]]] = {
            Stack: [self.stacks.append],
            Spawned: [self._on_spawned],
            Exited: [self._on_exited],
            Ended: [self._on_ended],
        }
        listeners: list[Measure | ReceiptBook] = [*self._measures, self._receipts]
        for listener in listeners:
            for kind in listener.hears:
                self.hearers.setdefault(kind, []).append(listener.add)

    def _on_spawned(self, event: Spawned) -> None:
        self._absent.pop(event.subject, None)

    def _on_exited(self, event: Exited) -> None:
        """Note who is gone; after the end, everybody goes."""
        if self._ended is None:
            self._absent[event.subject] = "is gone"

    def _on_ended(self, event: Ended) -> None:
        self._ended = event

    def blocked(self) -> list[hang_diagnosis.BlockedProcess]:
        """Where each process stands that was looked at; none of a job that went on and completed."""
        if self._ended is not None and self._ended.outcome == "completed":
            return []
        return hang_diagnosis.explain(self._arm, self.stacks, self._absent)

    def result(self) -> ArmMeasures:
        """Gather outcome, receipts and quantities of the arm: all that checks may know."""
        quantities = [quantity for measure in self._measures for quantity in measure.quantities()]
        by_name = {(quantity.name, quantity.subject): quantity for quantity in quantities}
        arm = self._arm
        which = (arm.name, arm.of, arm.repeat, arm.workload.seed)
        return ArmMeasures(*which, self._ended, self._receipts.receipts(), by_name)


def between_runs(plan: Plan, facts: Mapping[str, Any]) -> Spread:
    """What runs differ by here: as this machine was calibrated with such a job when the run was made.

    Else the cautious default, or what another job's runs differ by, if that is more.
    """
    known, default = facts.get("calibration"), checks.BETWEEN_RUNS
    if not isinstance(known, Mapping):
        return default
    upper, job = float(known["between_runs"]["upper"]), plan.job(facts)
    same = is_same_job(known.get("job"), job)
    if not same and upper <= default.sd:
        return default
    n, disturbed = known["between_runs"]["n"], known.get("disturbed_runs", 0)
    source = f"calibrated here with {n} runs of {known['scenario']}"
    source += f", of which others disturbed {disturbed}" if 2 * disturbed > n else ""
    return Spread(upper, default.what, source if same else f"{source}, another job")


def _with_more(between: Spread, plan: Plan, check: checks.Check, of: str) -> Spread:
    """Calibrations know no faults, and no checkpoints, which goodput has in it: runs differ by the default at least."""
    arms = [arm for arm in plan.arms if arm.of in (of, check.baseline)]
    saving = check.name == Goodput.name and any(arm.workload.checkpoint for arm in arms)
    more = saving or any(arm.schedule for arm in arms)
    return max(between, checks.BETWEEN_RUNS, key=lambda spread: spread.sd) if more else between


def _check_arm(plan: Plan, repeats: Mapping[str, Sequence[ArmMeasures]], of: str, between: Spread) -> Iterator[Judged]:
    """The control must complete where a check names it; every other arm must meet what is expected.

    The baseline of a check is not judged by it.
    """
    given = checks.given(plan.expect)
    if of == checks.CONTROL:
        named = any(check.baseline == of for check in given)
        asked: list[checks.Check] = [Outcome(is_="completed")] if named else []
    else:
        asked = [check for check in given if check.baseline != of]
        if not any(isinstance(check, Outcome) for check in given):
            asked = [Outcome(is_="completed"), *asked]
    for check in asked:
        spread = _with_more(between, plan, check, of)
        finding = _careful(check, repeats[of], repeats.get(check.baseline or "", ()), spread)
        yield Judged(of, check.name, finding.verdict, finding.reason, finding.comparison)


def _careful(
    check: checks.Check, arms: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread
) -> Finding:
    try:
        if check.of_the_mean and check.baseline is None and len(arms) > 2:
            found = check.judge_repeats([pooled(arms, of_all=True)], baselines, between)
            return replace(found, reason=f"mean of {len(arms)} repeats: {found.reason}")
        return check.judge_repeats(arms, baselines, between)
    except Exception as error:  # a check that breaks says nothing about what it checks
        return Finding("unknown", f"the check itself broke: {type(error).__name__}: {error}")


def _doubt(receipt: Receipt) -> str:
    whom = f"{receipt.name} of {receipt.subject}"
    if receipt.restored is False:
        return f"{whom} was not undone: {receipt.afterwards}"
    doubt = f"the dose of {whom} is off by more than its tolerance" if receipt.happened else f"no receipt for {whom}"
    return f"{doubt}: {receipt.evidence}"


def _end(arm: ArmMeasures) -> str:
    """How an arm ended that did not train to its end: that may be why a fault has no receipt."""
    ended = arm.ended
    return (
        ""
        if ended is None or ended.outcome in ("completed", "stopped")
        else f"{arm.arm} {ended.outcome}: {ended.reason}"
    )


def _overall(judged: Sequence[Judged], arms: Sequence[ArmMeasures]) -> tuple[VerdictWord, str]:
    """A run that was cut short says nothing; then, a fault without a receipt is not what was asked.

    What the harness could not do in an arm of which nothing is asked takes nothing from the others.
    """
    asked = {check.arm for check in judged}
    for arm in arms:
        if arm.ended is None:
            return "invalid", f"the history of {arm.arm} has no end: the harness was killed, or could not write on"
        if arm.ended.outcome == "interrupted" or (arm.ended.outcome == "aborted" and arm.of in asked):
            joined = " by " if arm.ended.outcome == "interrupted" else ": "
            return "invalid", f"{arm.ended.outcome}{joined}{arm.ended.reason}"
    doubtful = {arm.arm: found for arm in arms if (found := [each for each in arm.receipts if not each.stands])}
    if doubtful:
        ends = [_end(arm) for arm in arms if arm.arm in doubtful]
        return "invalid", "; ".join(
            [*(_doubt(each) for found in doubtful.values() for each in found), *filter(None, ends)]
        )
    word = checks.worst([check.verdict for check in judged])
    which = [f"{check.check} of {check.arm}" for check in judged if check.verdict == word]
    reason = "every check passed" if word == "pass" else f"{word}: {', '.join(which)}"
    return word, reason + "".join(_alike(arm) for arm in arms if arm.of == checks.CONTROL and arm.of not in asked)


def _alike(control: ArmMeasures) -> str:
    """That a control, of which nothing is asked, did not train either; "" where it did."""
    ended = control.ended
    if ended is None or ended.outcome in ("completed", "stopped"):
        return ""
    return f"; without its faults it is {ended.outcome}: {ended.reason}"
