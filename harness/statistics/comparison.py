"""What a comparison comes to: an estimate, its interval, and what could have been seen at all."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

MIN_SAMPLES = 6
MIN_POINTS = 40
"""Of a slope: memory comes in stairs, and a series that is shorter may lie on one."""

CONFIDENT = 0.975
"""Of either side, so that an interval holds in 95 % of cases."""

Z = NormalDist().inv_cdf(CONFIDENT)
_POWER = (Z + NormalDist().inv_cdf(0.8)) / Z


@dataclass(frozen=True)
class Spread:
    """How much the logarithm of a number differs between ``what`` (``sd``), and where that is known from."""

    sd: float
    what: str
    source: str

    def __str__(self) -> str:
        digits = f"{self.sd:.0%}" if self.sd >= 0.995 else f"{100 * self.sd:.2g}%"
        return f"{digits} from {self.what} as {self.source}"


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


@dataclass(frozen=True)
class Ratio:
    """A comparison by ratio, and the ``basis`` of its interval in words."""

    comparison: Comparison
    basis: str
