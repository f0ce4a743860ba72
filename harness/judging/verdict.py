"""The verdict on a run, and its JSON form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from harness.base.errors import DamagedRunError
from harness.checks import VerdictWord
from harness.judging.hang_diagnosis import BlockedProcess
from harness.statistics.comparison import Comparison
from harness.vocabulary.events import Ended, Stack
from harness.vocabulary.quantities import ArmMeasures, Quantity
from harness.vocabulary.receipts import Receipt

SCHEMA = "harness/verdict/4"
Part = TypeVar("Part")
Self = TypeVar("Self", bound="Verdict")


_ENDLESS = {"low": -math.inf, "high": math.inf}
"""Ends of an interval that are null in JSON."""


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
    blocked: Sequence[BlockedProcess]
    facts: Mapping[str, Any]

    def arm(self, name: str) -> ArmMeasures:
        """The measures of the arm of that name; KeyError where there is none."""
        arms = {arm.arm: arm for arm in self.arms}
        return arms[name]

    @property
    def trusted(self) -> bool:
        """Whether numbers of the run are of what was asked: every arm came to an end, and every receipt stands.

        A control of which nothing is asked may be aborted.
        """
        asked = {check.arm for check in self.checks}
        return all(_ended(arm, arm.of in asked) for arm in self.arms) and all(
            receipt.stands for arm in self.arms for receipt in arm.receipts
        )

    def measures(self) -> list[dict[str, Any]]:
        """A record for each quantity of each arm, as pandas takes them: ``pandas.DataFrame(verdict.measures())``."""
        names = ("name", "subject", "unit", "value", "low", "high", "n", "note")
        return [
            {"run": self.run, "arm": arm.of, "repeat": arm.repeat, **{name: getattr(quantity, name) for name in names}}
            for arm in self.arms
            for quantity in arm.quantities.values()
        ]

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
            "blocked": [vars(process) for process in self.blocked],
        }

    @classmethod
    def from_json(cls: type[Self], body: Mapping[str, Any]) -> Self:
        """The verdict of its JSON form; DamagedRunError when it is none, or of another version."""
        schema = body.get("schema") if isinstance(body, Mapping) else type(body).__name__
        if schema != SCHEMA:
            raise DamagedRunError(f"this is {schema!r}, not {SCHEMA!r}; judge the run again")
        try:
            return cls(
                body["run"],
                body["title"],
                body["verdict"],
                body["reason"],
                [_check(check) for check in body["checks"]],
                [_arm(arm) for arm in body["arms"]],
                [Stack(**stack) for stack in body["stacks"]],
                [BlockedProcess(**process) for process in body["blocked"]],
                body["facts"],
            )
        except (KeyError, TypeError) as error:
            raise DamagedRunError(f"not a verdict: {type(error).__name__}: {error}") from error


def _check_json(check: Judged) -> dict[str, Any]:
    return {**vars(check), "comparison": _comparison_json(check.comparison) if check.comparison else None}


def _comparison_json(compared: Comparison) -> dict[str, Any]:
    """An end that nobody knows is null: a number beside one that may be zero has any ratio."""
    ends = {name: _finite(getattr(compared, name)) for name in ("low", "high", "detectable")}
    return {**vars(compared), **ends}


def _arm_json(arm: ArmMeasures) -> dict[str, Any]:
    ended = arm.ended
    return {
        "arm": arm.arm,
        "of": arm.of,
        "repeat": arm.repeat,
        "seed": arm.seed,
        "ended": ended.t if ended else None,
        "outcome": ended.outcome if ended else None,
        "reason": ended.reason if ended else "the history has no end",
        "blamed": ended.subject if ended else "",
        "log": ended.log if ended else "",
        "stage": ended.stage if ended else "",
        "steps": ended.steps if ended else None,
        "receipts": [vars(receipt) for receipt in arm.receipts],
        "measures": [_quantity_json(quantity) for quantity in arm.quantities.values()],
    }


def _quantity_json(quantity: Quantity) -> dict[str, Any]:
    numbers = {name: _finite(getattr(quantity, name)) for name in ("value", "low", "high")}
    return {**vars(quantity), **numbers, "samples": [_finite(sample) for sample in quantity.samples]}


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _check(body: Mapping[str, Any]) -> Judged:
    return _known(Judged, {**body, "comparison": _comparison(body["comparison"]) if body["comparison"] else None})


def _comparison(body: Mapping[str, Any]) -> Comparison:
    ends = {name: endless if body[name] is None else body[name] for name, endless in _ENDLESS.items()}
    return _known(Comparison, {**body, **ends})


def _arm(body: Mapping[str, Any]) -> ArmMeasures:
    ended = None
    if body["outcome"] is not None:
        words = (body["outcome"], body["reason"], body["log"], body["stage"], body.get("steps"))
        ended = Ended(body["ended"], body["arm"], body["blamed"], *words)
    quantities = [_quantity(measure) for measure in body["measures"]]
    return ArmMeasures(
        body["arm"],
        body["of"],
        body["repeat"],
        body["seed"],
        ended,
        [_known(Receipt, receipt) for receipt in body["receipts"]],
        {(quantity.name, quantity.subject): quantity for quantity in quantities},
    )


def _quantity(body: Mapping[str, Any]) -> Quantity:
    """A sample that was not finite is null in JSON."""
    samples = tuple(math.nan if sample is None else sample for sample in body["samples"])
    return _known(Quantity, {**body, "samples": samples})


def _known(kind: type[Part], body: Mapping[str, Any]) -> Part:
    """An object from its fields; what later versions add is left out."""
    return kind(**{field.name: body[field.name] for field in fields(kind)})  # type: ignore[arg-type]


def _ended(arm: ArmMeasures, asked: bool) -> bool:
    """Whether an arm came to an end by itself, or one of which nothing is asked was given up."""
    return arm.ended is not None and arm.ended.outcome not in (
        ("interrupted", "aborted") if asked else ("interrupted",)
    )
