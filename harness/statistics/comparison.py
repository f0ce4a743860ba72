"""What a comparison comes to: an estimate, its interval, and what could have been seen at all."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

MIN_SAMPLES = 6
MIN_PAIRS = 20
Z = NormalDist().inv_cdf(0.975)
_POWER = (Z + NormalDist().inv_cdf(0.8)) / Z


@dataclass(frozen=True)
class Comparison:
    """An estimate with its 95 % interval, from ``n`` samples or pairs."""

    estimate: float
    low: float
    high: float
    n: int

    @property
    def detectable(self) -> float:
        """The smallest change that would have shown in four of five tries (power 80 %, level 5 %, two-sided)."""
        return _POWER * (self.high - self.low) / 2
