"""History and plan to a verdict. Pure, so that an old run can be judged again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import checks, measures, waits
from harness.checks import Finding, VerdictWord
from harness.checks.outcome import Outcome
from harness.events import Ended, Event, Exited, Spawned, Stack
from harness.evidence import ReceiptBook
from harness.measures import ArmMeasures, Measure, Quantity
from harness.plan import Plan
from harness.receipts import Receipt
from harness.statistics.compare import Comparison
from harness.waits import Wait

SCHEMA = "harness/verdict/1"
_RANK: tuple[VerdictWord, ...] = ("fail", "unknown", "invalid", "pass")


@dataclass(frozen=True)
class Judged:
    """One check on one arm."""

    arm: str
    check: str
    verdict: VerdictWord
    reason: str
    comparison: Comparison | None


@dataclass(frozen=True)
class Verdict:
    """The whole judgement of one run."""

    run: str
    title: str
    verdict: VerdictWord
    reason: str
    checks: Sequence[Judged]
    arms: Sequence[ArmMeasures]
    stacks: Sequence[Stack]
    waits: Sequence[Wait]
    facts: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """The documented form (see results/README.md): values, units, spread, receipts."""
        return {
            "schema": SCHEMA,
            "run": self.run,
            "title": self.title,
            "verdict": self.verdict,
            "reason": self.reason,
            "facts": dict(self.facts),
            "checks": [_check_json(check) for check in self.checks],
            "arms": [_arm_json(arm) for arm in self.arms],
            "stacks": [vars(stack) for stack in self.stacks],
            "waits": [vars(wait) for wait in self.waits],
        }


def _check_json(check: Judged) -> dict[str, Any]:
    compared = check.comparison
    return {
        **vars(check),
        "comparison": {**vars(compared), "detectable": compared.detectable} if compared else None,
    }


def _arm_json(arm: ArmMeasures) -> dict[str, Any]:
    ended = arm.ended
    return {
        "arm": arm.arm,
        "outcome": ended.outcome if ended else None,
        "reason": ended.reason if ended else "the history has no end",
        "blamed": ended.role if ended else "",
        "log": ended.log if ended else "",
        "receipts": [vars(receipt) for receipt in arm.receipts],
        "measures": [_quantity_json(quantity) for quantity in arm.quantities.values()],
    }


def _quantity_json(quantity: Quantity) -> dict[str, Any]:
    numbers = {name: _finite(getattr(quantity, name)) for name in ("value", "low", "high")}
    return {**vars(quantity), **numbers, "samples": [_finite(sample) for sample in quantity.samples]}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def judge(plan: Plan, past: Iterable[Event], run: str, facts: Mapping[str, Any]) -> Verdict:
    """Judge a history in one pass; ``facts`` are those of the machine, which go with every number."""
    observers = {arm.name: _ArmObserver(plan, arm.name) for arm in plan.arms}
    stacks: list[Stack] = []
    gone: dict[str, dict[str, str]] = {
        arm.name: {role.name: "was not started" for role in arm.roles} for arm in plan.arms
    }
    for event in past:
        observers[event.arm].add(event)
        if isinstance(event, Stack):
            stacks.append(event)
        elif isinstance(event, Exited) and observers[event.arm].runs:
            gone[event.arm][event.role] = "is gone"
        elif isinstance(event, Spawned):
            gone[event.arm].pop(event.role, None)
    arms = {name: observer.result() for name, observer in observers.items()}
    judged = [judged for arm in arms.values() for judged in _check_arm(plan, arms, arm)]
    waiting = [
        wait
        for arm in plan.arms
        for wait in waits.explain(arm, [stack for stack in stacks if stack.arm == arm.name], gone[arm.name])
    ]
    verdict, reason = _overall(judged, tuple(arms.values()))
    return Verdict(run, plan.title, verdict, reason, judged, tuple(arms.values()), stacks, waiting, facts)


class _ArmObserver:
    """Gives each event of an arm to the measures that want it."""

    def __init__(self, plan: Plan, name: str) -> None:
        self._name = name
        arm = plan.arm(name)
        self._measures = [measure(arm) for measure in measures.all_measures().values()]
        self._receipts = ReceiptBook(arm)
        self._ended: Ended | None = None
        self._hearers: dict[type[Event], list[Callable[[Event], None]]] = {}
        listeners: list[Measure | ReceiptBook] = [*self._measures, self._receipts]
        for listener in listeners:
            for kind in listener.hears:
                self._hearers.setdefault(kind, []).append(listener.add)

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._ended is None

    def add(self, event: Event) -> None:
        for hear in self._hearers.get(type(event), ()):
            hear(event)
        if isinstance(event, Ended):
            self._ended = event

    def result(self) -> ArmMeasures:
        found = [quantity for measure in self._measures for quantity in measure.quantities()]
        quantities = {(quantity.name, quantity.role): quantity for quantity in found}
        return ArmMeasures(self._name, self._ended, self._receipts.receipts(), quantities)


def _check_arm(plan: Plan, arms: dict[str, ArmMeasures], arm: ArmMeasures) -> Iterable[Judged]:
    """The control must complete; every other arm must meet what is expected, the baseline of a check excepted."""
    asked = checks.given(plan.expect)
    if arm.arm == checks.CONTROL or not any(isinstance(check, Outcome) for check in asked):
        asked = [Outcome(is_="completed"), *asked]
    for check in asked:
        if check.baseline == arm.arm or (arm.arm == checks.CONTROL and check is not asked[0]):
            continue
        finding = _careful(check, arm, arms.get(check.baseline or ""))
        yield Judged(arm.arm, check.name, finding.verdict, finding.reason, finding.comparison)


def _careful(check: checks.Check, arm: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
    try:
        return check.judge(arm, baseline)
    except Exception as error:  # a check that breaks says nothing about what it checks
        return Finding("unknown", f"the check itself broke: {type(error).__name__}: {error}")


def worst(verdicts: Iterable[VerdictWord]) -> VerdictWord:
    """Fail outranks unknown outranks invalid outranks pass."""
    return min(verdicts, key=_RANK.index)


def _overall(judged: Sequence[Judged], arms: Sequence[ArmMeasures]) -> tuple[VerdictWord, str]:
    """A run that was cut short says nothing; then, a fault without a receipt is not what was asked."""
    for arm in arms:
        if arm.ended is None:
            return "invalid", f"the history of {arm.arm} has no end: the harness was killed, or could not write on"
        if arm.ended.outcome in ("interrupted", "aborted"):
            return "invalid", f"{arm.ended.outcome} by {arm.ended.reason}"
    broken = [receipt for arm in arms for receipt in arm.receipts if receipt.restored is False]
    if broken:
        return "invalid", "; ".join(f"{one.name} of {one.role} was not undone: {one.afterwards}" for one in broken)
    unproven = [receipt for arm in arms for receipt in arm.receipts if not receipt.proven]
    if unproven:
        return "invalid", "; ".join(_unproven(receipt) for receipt in unproven)
    word = worst(check.verdict for check in judged)
    which = [f"{check.check} of {check.arm}" for check in judged if check.verdict == word]
    return word, "every check passed" if word == "pass" else f"{word}: {', '.join(which)}"


def _unproven(receipt: Receipt) -> str:
    return f"no receipt for {receipt.name} of {receipt.role}: {receipt.evidence}"
