"""The numbers that asv tracks: run a scenario for the commit that asv measures, or take the run that is there."""

from __future__ import annotations

import itertools
import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

from harness import checks
from harness.asv_bridge.environment import CUDA_VARIABLE, ENV_VARIABLE, MXNET_VARIABLE, SAVES_VARIABLE, SESSION_VARIABLE
from harness.asv_bridge.nights import NIGHT_VARIABLE, key_of
from harness.base.errors import DamagedRunError, NotPassedError, UntrustworthyRunError
from harness.checks import BETWEEN_RUNS
from harness.checks.drift import drift_of
from harness.checks.outcome import Outcome
from harness.execution import machine, request
from harness.execution.interruption import Interruption
from harness.execution.request import Planned
from harness.execution.run import execute, ignore
from harness.judging.judge import between_runs
from harness.judging.repeats import by_arm, pooled
from harness.judging.verdict import Verdict
from harness.planning.plan import Plan
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Target
from harness.storage import run_folder
from harness.storage.run_folder import RunFolder
from harness.targets import resolve, settings, unread
from harness.vocabulary.quantities import ArmMeasures, Quantity

_BETWEEN_NIGHTS, _IN_ALL = 0.05, 0.09
_AROUND = {1: (9, 0.235), 2: (5, 0.18), 3: (3, 0.18), 6: (3, 0.22)}
"""Samples for each repeat, and how far they lie around it (a logarithm), from so many repeats on.

Such that asv's test marks at most 2 % of nights that differ by 9 % in all: 7.5 % from run to run, 5 % between nights.
Where this machine is known to differ by more from run to run, by as much more.
"""

_MOST = 6
"""Repeats that asv is given: what a night differs by is in all of them, and asv takes each for one more witness."""


def samples(loaded: LoadedScenario, arm: str, quantity: str) -> dict[str, Any] | float:
    """All samples of one quantity of one arm, in asv's form; NaN where it is not available."""
    if NIGHT_VARIABLE in os.environ:
        rounds = (_of_night(loaded).get("numbers", {}).get(arm) or {}).get(quantity) or []
        told = [_beside_one(value) if quantity == "drift" else value for value in rounds]
        noise = _of_night(loaded).get("noise", 0.0) if quantity == "seconds_per_sample" else 0.0
        return {"samples": as_samples(median(told), told[1:] and told, noise), "number": 1} if told else math.nan
    judged = _judged(loaded)
    if judged is None:
        return math.nan
    plan, verdict = judged
    _trust(verdict, arm)
    tracked = _quantity(plan, verdict, arm, quantity)
    if tracked.value is None or not math.isfinite(tracked.value):
        _say(f"{quantity} of {arm} is not available: {tracked.note}")
        return math.nan
    repeats = sum(other.of == arm for other in verdict.arms)
    noise = known_noise(plan, verdict.facts) if quantity == "seconds_per_sample" else 0.0
    return {"samples": as_samples(tracked.value, tracked.samples if repeats > 1 else (), noise), "number": 1}


def as_samples(value: float, repeats: Sequence[float], noise: float = 0.0) -> list[float]:
    """What asv may take for noise: each repeat, or the one run there is, with others around it where nights differ.

    Samples from within runs made `asv compare` mark 28 % of the numbers of nights with the same code; a run alone, or a
    few repeats, are too few for its test to mark anything below 2.3 times as much. ``noise``: from run to run, where
    it is known, else 0.
    """
    centres = _thinned(repeats) or [value]
    count, width = _AROUND[max(least for least in _AROUND if least <= len(centres))]
    width *= max(1.0, math.hypot(noise, _BETWEEN_NIGHTS) / _IN_ALL)
    steps = [width * (2 * place / (count - 1) - 1) for place in range(count)]
    return [centre * math.exp(step) for centre in centres for step in steps]


def known_noise(plan: Plan, facts: Mapping[str, Any]) -> float:
    """By how much runs of such a job differ here, as it was calibrated; 0 where nobody did."""
    spread = between_runs(plan, facts)
    return 0.0 if spread == BETWEEN_RUNS else spread.sd


def _thinned(repeats: Sequence[float]) -> Sequence[float]:
    """All of them, or means of neighbours in their order, which have the same mean."""
    if len(repeats) <= _MOST:
        return repeats
    ordered = sorted(repeats)
    ends = [round(place * len(ordered) / _MOST) for place in range(_MOST + 1)]
    return [mean(ordered[start:end]) for start, end in itertools.pairwise(ends)]


def not_passed(loaded: LoadedScenario, arm: str) -> float:
    """0 where the run and the arm pass; NotPassedError otherwise, so that asv shows it and does not exit with 0."""
    if NIGHT_VARIABLE in os.environ:
        night = _of_night(loaded)
        if night and night["against"]:
            raise NotPassedError(night["against"])
        return 0.0 if night else math.nan
    judged = _judged(loaded)
    if judged is None:
        return math.nan
    _, verdict = judged
    if not verdict.trusted:
        raise NotPassedError(f"run {verdict.run}: {verdict.verdict}: {verdict.reason}")
    for check in verdict.checks:
        if check.arm == arm and check.verdict != "pass":
            raise NotPassedError(f"run {verdict.run}: {check.verdict}: {check.check}: {check.reason}")
    return 0.0


def _of_night(loaded: LoadedScenario) -> dict[str, Any]:
    """What a night measured of a scenario in this environment; nothing where it was left out."""
    versions = {"mxnet": os.environ.get(MXNET_VARIABLE, ""), **json.loads(os.environ.get(CUDA_VARIABLE, "{}"))}
    axis = key_of(versions, json.loads(os.environ.get(ENV_VARIABLE, "{}")))
    numbers = json.loads(Path(os.environ[NIGHT_VARIABLE]).read_text(encoding="utf-8"))
    found: dict[str, Any] = numbers.get(axis, {}).get(loaded.name, {})
    return found


def _judged(loaded: LoadedScenario) -> tuple[Plan, Verdict] | None:
    """The plan for this environment and the verdict on its run; None where it cannot be run here."""
    project = Path(os.environ.get("ASV_CONF_DIR", "."))
    if other := _other_target(loaded.scenario.target):
        _say(f"{loaded.name} is left out: {other}")
        return None
    planned = request.planned(loaded, _targets(loaded))
    plan = planned.plan
    if missing := machine.unmet(plan):
        _say(f"left out: {missing}")
        return None
    folder = _finished(project, plan) or _run(project, planned)
    if folder is None:
        return None
    return plan, Verdict.from_json(folder.read_json("verdict.json"))


def _other_target(target: Target) -> str | None:
    """Why a scenario with a target of its own cannot stand for this environment's."""
    version = os.environ.get(MXNET_VARIABLE)
    cuda = json.loads(os.environ.get(CUDA_VARIABLE, "{}"))
    for name in ("cuda", "nccl", "cudnn"):
        own = getattr(target, name)
        if version and own is not None and own != cuda.get(name):
            return f"it asks for {name} {own}, the environment has {cuda.get(name) or 'none'}"
    if target.python or (target.mxnet and version and target.mxnet != version):
        return f"it asks for {target.python or f'mxnet {target.mxnet}'}, the environment is mxnet {version}"
    return None


def _targets(loaded: LoadedScenario) -> dict[str, Target]:
    """The environment's version and variables over the scenario's."""
    env = json.loads(os.environ.get(ENV_VARIABLE, "{}"))
    cuda = json.loads(os.environ.get(CUDA_VARIABLE, "{}"))
    found = resolve.settled(loaded, os.environ.get(MXNET_VARIABLE), None, env)
    return {name: _with(target, cuda) for name, target in found.items()}


def _with(target: Target, versions: Mapping[str, str]) -> Target:
    """The versions, where the target has none of its own, and is no interpreter."""
    own = {name: version for name, version in versions.items() if getattr(target, name) is None}
    return target if target.python else target.model_copy(update=own)


def _run(project: Path, planned: Planned) -> RunFolder | None:
    """None where its target does not run on this machine's GPUs."""
    interpreters = resolve.interpreters(planned.plan, _say, planned.written)
    for name, near in unread.of_plan(planned.plan, interpreters).items():
        _say(settings.does_nothing(name, near))
    if reason := machine.unfit(planned.plan, interpreters):
        _say(f"left out: {reason}")
        return None
    origin = {"asv_commit": _commit(), "asv_session": os.environ.get(SESSION_VARIABLE, "")}
    with Interruption().watched() as interruption:
        run = execute(planned.request(interpreters, project / "results", **origin), ignore, interruption)
    if run.status == "interrupted":
        raise KeyboardInterrupt
    return run.folder


def _say(line: str) -> None:
    """asv shows it with --show-stderr."""
    sys.stderr.write(line + "\n")


def _commit() -> str:
    return os.environ.get("ASV_COMMIT", "")


def _finished(project: Path, plan: Plan) -> RunFolder | None:
    """The newest finished run of this plan for this commit that asv has not stored yet.

    asv saves when a whole environment is through: runs younger than its file are of this `asv run`, or of one that
    crashed, and are not made again. Where asv does not save (``--dry-run``), only runs of this `asv run` count.
    """
    saved = _saved_at(project)
    for folder in reversed(list(run_folder.every(project / "results"))):
        try:
            status = folder.read_json("status.json")
            if _ours(status, plan) and status["status"] == "finished":
                return folder if status["ended"] > saved else None
        except (DamagedRunError, TypeError, KeyError):
            continue
    return None


def _ours(status: dict[str, Any], plan: Plan) -> bool:
    origin = status["origin"]
    if status["plan"] != plan.hash or origin.get("asv_commit") != _commit():
        return False
    return os.environ.get(SAVES_VARIABLE) != "0" or origin.get("asv_session") == os.environ.get(SESSION_VARIABLE)


def _saved_at(project: Path) -> float:
    name = f"{_commit()[:8]}-{os.environ.get('ASV_ENV_NAME', '')}.json"
    files = (project / "results" / "asv").glob(f"*/{name}")
    return max((file.stat().st_mtime for file in files), default=0.0)


def _trust(verdict: Verdict, arm: str) -> None:
    """Numbers count only of a run that is trusted, and where the arm ended as expected."""
    if not verdict.trusted:
        raise UntrustworthyRunError(f"run {verdict.run}: {verdict.reason}")
    for check in verdict.checks:
        if check.arm == arm and check.check == Outcome.name and check.verdict != "pass":
            raise UntrustworthyRunError(f"run {verdict.run}: {check.reason}")


def _quantity(plan: Plan, verdict: Verdict, arm: str, name: str) -> Quantity:
    repeats = by_arm(verdict.arms)
    if name == "drift":
        return _drift(repeats[arm], repeats[_baseline(plan)])
    measured = pooled(repeats[arm])
    whole = measured.get(name)
    return whole if whole.value is not None else measured.worst(name)


def _baseline(plan: Plan) -> str:
    """What checks compare with, else the first arm."""
    named = [check.baseline for check in checks.given(plan.expect) if check.baseline]
    return named[0] if named else plan.arms[0].of


def _drift(subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures]) -> Quantity:
    """Of all repeats together, and of each."""
    drift, unit = drift_of(subjects, baselines), "1 is none"
    if drift is None:
        return Quantity("drift", unit, None, note="no final loss to compare")
    each = [drift_of([one], [other]) for one, other in zip(subjects, baselines, strict=True)]
    samples = tuple(_beside_one(found.estimate) for found in each if found is not None)
    return Quantity("drift", unit, _beside_one(drift.estimate), drift.n, samples=samples)


def _beside_one(drift: float) -> float:
    """How far it is off, for a comparison by ratio: of numbers about zero one is many times another by chance."""
    return 1 + abs(drift)
