"""Pairs: one fresh start of every side, in turns that are short, and what is read from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.base.errors import DamagedRunError
from harness.execution import worker_archive
from harness.judging.verdict import Verdict
from harness.storage import calibration
from harness.storage.run_folder import RunFolder
from harness.studies import meaning
from harness.studies.compared import MEASURES, STARTS
from harness.studies.sides import Sides
from harness.vocabulary.events import Event, Window
from harness.vocabulary.quantities import ArmMeasures

RESOLVE = 0.01
"""How close counts as the same, unless somebody says."""

TURN_SECONDS = 0.006
"""Of a turn, or one step if that takes longer: many short turns tell most.

lenet with 6 ms a step, 9 pairs each by turns: ±0.44 % with 1,100 turns of one step, 0.61 % with 600 of two, 0.93 % with
350 of three; with 18 ms a step, 6 pairs each: ±0.9 % with 180 turns of one step, 1.4 % with 90 of two.
"""

TURNS, MEAN_TURNS = (20, 1000), 1000
"""Of each side in a pair: the least, the most, and what 1 % would take without the end below; of 2 % a quarter."""

PAIR_SECONDS = 1.0
"""Of all turns of a pair, by its fastest steps, if the least of them are not longer; in all it takes almost twice that.

About what a quick start takes: what tells twins apart lasts as long as they live, so that more pairs tell more than
longer ones. Two workers of lenet scattered by 1.54 % with 150 turns and 1.64 % with the first 60 of them (36 pairs);
laid out alike, by 1.1 % with 83 turns (367), of which 0.6 % is within pairs (24), where a pair starts in 1.6 s.
"""

PLAIN_SECONDS = 2.0
"""Where all pairs start as production does, which takes twice as long and more."""

WARMUP_TURNS = 3

PLAIN_EVERY = 5
"""Of so many pairs one starts as production does, and tells how long that takes; the others start sooner.

Most of an import of MXNet writes and compiles what is the same in every process (`harness/worker/compiled.py`).
"""

DISTURBED = {"used_by_others": 0.1, "stolen": 0.4}
"""Shares of the processors that others used, or the hypervisor took, beyond which a pair is disturbed.

Much is stolen on shared machines, all the time: turns are short so that it meets all sides alike.
"""


SLOWED = 0.1
"""Share of the time in which a GPU's clocks were lowered, for power or heat, beyond which a pair is disturbed."""


@dataclass(frozen=True)
class Pair:
    """One fresh start of every side: seconds that it took, effects by measure and side, and what disturbed it.

    ``first``: the numbers of the first side; ``parted``: how far each other side's final loss is from its, of itself,
    where they took as many steps.
    """

    run: str
    seconds: float
    effects: Mapping[str, Mapping[str, float]]
    first: Mapping[str, float]
    disturbed: str = ""
    parted: Mapping[str, float] = field(default_factory=dict)


def duet(
    scenario: Sides,
    number: int,
    step: float,
    resolve: float,
    workload: Mapping[str, Any],
    starts: bool,
    among: int = 2,
) -> str:
    """The scenario of a pair that takes turns; ``step`` is what one takes in seconds, 0 where nobody knows yet.

    ``starts``: it is to start as production does. ``among``: so many sides share the time of a pair.
    """
    turn = max(1, round(TURN_SECONDS / (step or TURN_SECONDS)))
    fit = (PLAIN_SECONDS if starts else PAIR_SECONDS) / (turn * step * among) if step else math.inf
    turns = round(min(MEAN_TURNS * (RESOLVE / resolve) ** 2, fit))
    quick = not starts and number % PLAIN_EVERY != 0
    turns = min(max(turns, TURNS[0]), TURNS[1])
    return scenario.duet(number, turn, turns, WARMUP_TURNS, workload, quick)


def counted(every: Sequence[Pair]) -> list[Pair]:
    """Those that nothing disturbed, and those that follow a disturbed one: a pair is made again once, not for ever.

    What disturbs a pair meets all of its sides: it makes effects scatter, and favours none. Whether a pair counts is
    known when it is made, and stays so: the interval holds for one sequence.
    """
    before = [None, *every]
    return [pair for last, pair in zip(before, every, strict=False) if not pair.disturbed or (last and last.disturbed)]


def step_seconds(past: Iterable[Event]) -> float:
    """What a step takes in the slowest arm of a history, by its fastest window beyond the first; 0 without any."""
    steps: dict[str, list[float]] = {}
    for event in past:
        if isinstance(event, Window) and event.first > 0:
            steps.setdefault(event.arm, []).append(event.seconds / event.steps)
    return max((min(each) for each in steps.values()), default=0.0)


def seconds_of(folder: RunFolder) -> float:
    """What a whole run took, from its first process to its verdict; DamagedRunError where its status does not say."""
    return _when(folder, "ended") - began(folder)


def began(folder: RunFolder) -> float:
    """When its first process was started, as a Unix time; DamagedRunError where its status does not say."""
    return _when(folder, "started")


def _when(folder: RunFolder, what: str) -> float:
    status = folder.read_json("status.json")
    try:
        return float(status[what])
    except (LookupError, TypeError, ValueError) as error:
        raise DamagedRunError(f"{folder.path / 'status.json'} does not say when the run {what}") from error


def pair_of(verdict: Verdict, seconds: float, scenario: Sides, in_turns: bool) -> Pair:
    """What a run of all sides says."""
    arms = {arm.of: arm for arm in verdict.arms}
    first = arms[scenario.sides[0].name]
    effects: dict[str, dict[str, float]] = {}
    measures = {name: each if in_turns else each.without_turns() for name, each in MEASURES.items()}
    steps = steps_of(verdict)
    as_long = {side.name for side in scenario.sides[1:] if steps.get(side.name) == steps.get(first.of)}
    for name, measure in measures.items():
        for side in scenario.sides[1:]:
            if in_turns and side.name not in as_long and name != STARTS:
                continue
            if (effect := measure.apart(first, arms[side.name], in_turns)) is not None:
                effects.setdefault(name, {})[side.name] = effect
    known = {name: measure.value(first) for name, measure in measures.items()}
    values = {name: value for name, value in known.items() if value is not None}
    disturbed = filter(None, (disturbance(verdict.facts), _slowed(verdict.arms)))
    parted = {side: _parted(first, arms[side]) for side in sorted(as_long)}
    known_apart = {side: apart for side, apart in parted.items() if apart is not None}
    return Pair(verdict.run, seconds, effects, values, " and ".join(disturbed), known_apart)


def steps_of(verdict: Verdict) -> dict[str, int]:
    """Those that each side took which trained to its end."""
    return {arm.of: arm.ended.steps for arm in verdict.arms if arm.ended and arm.ended.steps is not None}


def _parted(first: ArmMeasures, other: ArmMeasures) -> float | None:
    """How far final losses are apart, of the larger one; also where they have no ratio."""
    one, two = (MEASURES["drift"].value(arm) for arm in (first, other))
    return None if one is None or two is None else meaning.relative(one, two)


def _slowed(arms: Sequence[ArmMeasures]) -> str:
    """GPUs whose clocks fell, by the worst share of samples."""
    every = [quantity for arm in arms for quantity in arm.of_subjects("gpu_slowed") if quantity.value is not None]
    worst = max(every, key=lambda quantity: quantity.value or 0.0, default=None)
    if worst is None or (worst.value or 0.0) <= SLOWED:
        return ""
    return f"{worst.subject} had lower clocks for {worst.value:.0%} of the time"


def what_ran(folder: RunFolder, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Of a run: the harness, files, the machine, and the target of each side that came so far as to say."""
    plan, told = folder.plan(), facts.get("target")
    targets = facts.get("targets") or {arm.name: told for arm in plan.arms if told}
    files = worker_archive.copies(folder.path / "worker.pyz")
    machine = {f"{name} of the machine": value for name, value in calibration.machine(facts).items()}
    if (fixed := facts.get("fixed_addresses")) is not None and any(arm.turn for arm in plan.arms):
        machine["the fixing of addresses (`harness doctor` tells why)"] = fixed
    of_targets = {f"the target of {arm}": each for arm, each in targets.items()}
    return {"the harness": plan.harness, **files, **machine, **of_targets}


def disturbance(of_run: Mapping[str, Any]) -> str:
    """What others took of the processors during a run, by its facts, or "" where that is little."""
    facts = of_run.get("disturbance", {})
    words = {"used_by_others": "others used", "stolen": "the hypervisor took"}
    shares = {name: facts.get(name) or 0.0 for name in words}
    told = [f"{words[name]} {share:.0%} of the processors" for name, share in shares.items() if share > DISTURBED[name]]
    if facts.get("throttled") not in (None, 0, "not available"):
        told.append("a control group held processes back")
    return " and ".join(told)
