"""Whether training went where another arm's went: the mean loss over the last fifth of the steps.

One pair of trajectories says little: another seed ends elsewhere, and `dist_async` does so with the same one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import ClassVar

from pydantic import Field

from harness.base.units import Percentage
from harness.checks import BETWEEN_RUNS, Check, Finding, more, within
from harness.statistics.compare import MIN_REPEATS, ratio_of_pairs
from harness.statistics.comparison import Comparison, Ratio, Spread, Z
from harness.vocabulary.quantities import ArmMeasures

BETWEEN_SEEDS = Spread(0.2, "seed to seed", "a cautious default")
"""Chosen, not measured: so wide that one pair decides only what is absurd."""


class Drift(Check):
    """Relative difference of the final loss from another arm's, both ways; over ``seeds``, unless bits are equal."""

    name: ClassVar[str] = "drift"
    versus: str = Field(description="control, or the name of a variant")
    at_most: Percentage

    def judge(self, subject: ArmMeasures, baseline: ArmMeasures | None) -> Finding:
        assert baseline is not None
        return self.judge_repeats([subject], [baseline])

    def judge_repeats(
        self, subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures], between: Spread = BETWEEN_RUNS
    ) -> Finding:
        if all(_same_weights(*pair) for pair in zip(subjects, baselines, strict=True)):
            return Finding("pass", f"none: the same weights as {self.versus}, bit by bit")
        for arm in (*subjects, *baselines):
            if arm.get("final_loss").value is None:
                return Finding("invalid", f"no final loss of {arm.arm}: {arm.get('final_loss').note}")
        mine, theirs = _by_seed(subjects), _by_seed(baselines)
        if not all(math.isfinite(loss) and loss > 0 for loss in (*mine.values(), *theirs.values())):
            return Finding("invalid", f"no drift from {self.versus}: a loss is zero or below, or not finite")
        compared = _compare(mine, theirs)
        drift = compared.comparison
        verdict = within(drift.low, drift.high, -self.at_most, self.at_most)
        sentence = f"final loss {mean(mine.values()):.4g} against {mean(theirs.values()):.4g}: {drift.estimate:+.2%} "
        sentence += f"({drift.low:+.2%} to {drift.high:+.2%}; {compared.basis}); expected within ±{self.at_most:.2%}; "
        sentence += f"detectable: ±{drift.detectable:.2%}"
        for note in dict.fromkeys(arm.get("loss_curve").note for arm in (*subjects, *baselines)):
            sentence += f"; {note}" if note else ""
        if verdict == "invalid":
            lacking = "and other seeds change nothing" if _heed_no_seed(mine, theirs) else more("seeds", len(mine))
            sentence += f"; the interval lies across the limit, {lacking}"
        return Finding(verdict, sentence, drift)


def drift_of(subjects: Sequence[ArmMeasures], baselines: Sequence[ArmMeasures]) -> Comparison | None:
    """Relative difference of final losses, zero for equal weights; None where there is none."""
    if all(_same_weights(*pair) for pair in zip(subjects, baselines, strict=True)):
        return Comparison(0.0, 0.0, 0.0, len(subjects))
    if any(arm.get("final_loss").value is None for arm in (*subjects, *baselines)):
        return None
    mine, theirs = _by_seed(subjects), _by_seed(baselines)
    comparable = all(math.isfinite(loss) and loss > 0 for loss in (*mine.values(), *theirs.values()))
    return _compare(mine, theirs).comparison if comparable else None


def _by_seed(arms: Sequence[ArmMeasures]) -> dict[int, float]:
    """The mean final loss of each seed."""
    seeds = {
        arm.seed: [mean(other.get("final_loss").samples) for other in arms if other.seed == arm.seed] for arm in arms
    }
    return {seed: mean(losses) for seed, losses in seeds.items()}


def _compare(mine: Mapping[int, float], theirs: Mapping[int, float]) -> Ratio:
    """By pairs of seeds, or with too few of them by how far seeds may be apart."""
    pairs = [(loss, other) for loss, other in zip(mine.values(), theirs.values(), strict=True)]
    if _heed_no_seed(mine, theirs):
        return _of_one(pairs[:1], f"{len(pairs)} seeds that change nothing, as if 1")
    n = len(pairs)
    if n >= MIN_REPEATS:
        ratio = ratio_of_pairs(*zip(*pairs, strict=True))
        return Ratio(_relative(ratio.comparison), f"{n} seeds")
    return _of_one(pairs, "1 seed" if n == 1 else f"{n} seeds")


def _heed_no_seed(mine: Mapping[int, float], theirs: Mapping[int, float]) -> bool:
    """Whether each arm ends alike with all of several seeds, bit by bit."""
    return len(mine) > 1 and len(set(mine.values())) == len(set(theirs.values())) == 1


def _of_one(pairs: Sequence[tuple[float, float]], seeds: str) -> Ratio:
    """Too few pairs to tell what seeds do: by how far they may be apart."""
    n = len(pairs)
    estimate = math.exp(mean(math.log(loss / other) for loss, other in pairs))
    factor = math.exp(Z * BETWEEN_SEEDS.sd * math.sqrt(2 / n))
    return Ratio(
        _relative(Comparison(estimate, estimate / factor, estimate * factor, n)), f"{seeds}, and {BETWEEN_SEEDS}"
    )


def _relative(ratio: Comparison) -> Comparison:
    return Comparison(ratio.estimate - 1, ratio.low - 1, ratio.high - 1, ratio.n)


def _same_weights(subject: ArmMeasures, baseline: ArmMeasures) -> bool:
    mine, theirs = subject.get("different_weights"), baseline.get("different_weights")
    return mine.value == theirs.value == 1 and mine.note == theirs.note
