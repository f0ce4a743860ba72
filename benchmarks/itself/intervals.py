"""Whether intervals hold the truth as often as they say, on series as machines make them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from harness.checks import BETWEEN_RUNS
from harness.statistics.compare import ratio
from harness.statistics.summary import summarize
from harness.statistics.trend import slope

Draw = Callable[[np.random.Generator, int], np.ndarray]
LENGTHS = (8, 12, 20, 40, 100, 400)
SERIES = 400
OFTEN = 0.1
"""Of the series: where intervals are shown for fewer, their share of wrong ones rests on a handful."""

_SETTLE = 200


def autoregressive(phi: float) -> Draw:
    """Gaussian, of first order, with a standard deviation of 1."""

    def draw(random: np.random.Generator, n: int) -> np.ndarray:
        steps = random.standard_normal(n + _SETTLE) * math.sqrt(1 - phi**2)
        values = np.empty_like(steps)
        level = steps[0]
        for place, step in enumerate(steps):
            values[place] = level = phi * level + step
        return values[-n:]

    return draw


def heavy(random: np.random.Generator, n: int) -> np.ndarray:
    """Student's t with 1.5 degrees of freedom: no variance."""
    return random.standard_t(1.5, n)


def lognormal(random: np.random.Generator, n: int) -> np.ndarray:
    """Skewed."""
    return random.lognormal(0.0, 1.0, n) - 1


def spiky(random: np.random.Generator, n: int) -> np.ndarray:
    """One window in twenty stalls for a hundred times the noise. The median is that of the rest, 1 of 19 further up."""
    stalls = random.random(n) < 0.05
    return random.standard_normal(n) + np.where(stalls, 100.0, 0.0) - SPIKY_MEDIAN


SPIKY_MEDIAN = 0.0660
"""What a standard normal has at 10/19."""


def jumping(random: np.random.Generator, n: int) -> np.ndarray:
    """A second level, a quarter of the time, for a tenth of the series at once; noise is a tenth of the distance."""
    switches = random.random(n + _SETTLE) < 10 / n
    upper, now = np.empty(n + _SETTLE), random.random() < 0.25
    for place, switch in enumerate(switches):
        now = (random.random() < 0.25) if switch else now
        upper[place] = now
    return upper[-n:] + 0.1 * random.standard_normal(n) - JUMPING_MEDIAN


JUMPING_MEDIAN = 0.0431
"""What a normal distribution of a standard deviation of 0.1 has at 2/3."""


def drifting(random: np.random.Generator, n: int) -> np.ndarray:
    """Noise around a line that rises by four times its standard deviation; the middle of it counts as the truth."""
    return random.standard_normal(n) + np.linspace(-2, 2, n)


KINDS: dict[str, Draw] = {
    "independent": autoregressive(0.0),
    "AR 0.3": autoregressive(0.3),
    "AR 0.6": autoregressive(0.6),
    "AR 0.9": autoregressive(0.9),
    "heavy": heavy,
    "lognormal": lognormal,
    "spiky": spiky,
    "jumping": jumping,
    "drifting": drifting,
}
"""Series whose median is 0."""


def shown_and_right(kind: str, n: int, series: int = SERIES) -> tuple[float, float]:
    """Shares of series of which an interval is shown, and of which one is shown that holds the truth."""
    random = np.random.default_rng(n)
    found = [summarize(list(KINDS[kind](random, n))) for _ in range(series)]
    shown = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    return len(shown) / series, sum(low <= 0 <= high for low, high in shown) / series


class Medians:
    """The interval of a median, for series of 8 to 400 values."""

    params = [kind for kind in KINDS if kind != "jumping"]
    param_names = ("kind",)
    series = SERIES
    tiny = {"series": 20}

    def track_wrong(self, kind: str) -> float:
        """The largest share, over all lengths, of series of which an interval is shown that misses the truth."""
        return worst_of(kind, self.series)

    track_wrong.limit = 0.07

    def track_wrong_of_shown(self, kind: str) -> float:
        """The largest share, over lengths with an interval for a tenth of the series, of those that miss the truth."""
        over_lengths = (shown_and_right(kind, n, self.series) for n in LENGTHS)
        return max((1 - right / shown for shown, right in over_lengths if shown >= OFTEN), default=0.0)

    track_wrong_of_shown.limit = 0.12

    def track_shown(self, kind: str) -> float:
        """The share of series of 40 values of which an interval is shown."""
        return shown_and_right(kind, 40, self.series)[0]


class Jumps:
    """The same where levels jump: one that a series hardly visits cannot be seen in it."""

    series = SERIES
    tiny = {"series": 20}

    def track_wrong(self) -> float:
        """As that of `Medians`."""
        return worst_of("jumping", self.series)

    track_wrong.limit = 0.15


def worst_of(kind: str, series: int) -> float:
    """The largest share, over all lengths, of series of which an interval is shown that misses the truth."""
    over_lengths = (shown_and_right(kind, n, series) for n in LENGTHS)
    return max(shown - right for shown, right in over_lengths)


def wrong_slopes(phi: float, n: int, series: int, noise: float = 0.0) -> float:
    """The share of level series, with so much noise over them, whose slope has an interval that excludes 0."""
    random, wrong = np.random.default_rng(n), 0
    for _ in range(series):
        trend = slope(range(n), list(autoregressive(phi)(random, n) + noise * random.normal(size=n)))
        wrong += trend is not None and None not in (trend.low, trend.high) and not trend.low <= 0 <= trend.high
    return wrong / series


class Slopes:
    """The interval of a slope, for series of 40 to 400 values that have none."""

    series = SERIES
    tiny = {"series": 20}

    params = (0.0, 0.6, 0.9)
    param_names = ("phi",)

    def track_wrong(self, phi: float) -> float:
        """The largest share, over lengths, of series that are said to rise or fall."""
        return max(wrong_slopes(phi, n, self.series) for n in LENGTHS if n >= 40)

    track_wrong.limit = 0.08


class SlopesUnderNoise:
    """As `Slopes`, of series that wander under noise that is as large: neighbours hide what they have in common."""

    series = SERIES
    tiny = {"series": 20}

    params = (0.9, 0.97)
    param_names = ("phi",)

    def track_wrong(self, phi: float) -> float:
        """The largest share, over lengths; what wanders for as long as the series is hard to tell from a slope."""
        return max(wrong_slopes(phi, n, self.series, noise=1.0) for n in LENGTHS if n >= 40)

    track_wrong.limit = 0.30


def wrong_ratios(repeats: int, comparisons: int = SERIES) -> float:
    """The share of comparisons of two equal arms whose interval excludes 1.

    Runs differ as the default says; the machine's pace wanders by 5 % from repeat to repeat, for both arms alike; the
    thirty windows of a run are an AR 0.6 series of 3 %.
    """
    random, wrong = np.random.default_rng(repeats), 0
    for _ in range(comparisons):
        pace = np.cumsum(random.normal(0, 0.05, repeats))
        arms = [[_run(random, level) for level in pace] for _ in range(2)]
        compared = ratio(*arms, BETWEEN_RUNS)
        assert compared is not None
        wrong += not compared.comparison.low <= 1 <= compared.comparison.high
    return wrong / comparisons


def _run(random: np.random.Generator, level: float) -> list[float]:
    windows = 0.03 * autoregressive(0.6)(random, 30)
    return list(np.exp(level + random.normal(0, BETWEEN_RUNS.sd) + windows))


class Ratios:
    """The interval of the ratio of two arms that are the same."""

    comparisons = SERIES
    tiny = {"comparisons": 20}

    params = (1, 2, 3, 5, 10)
    param_names = ("repeats",)

    def track_wrong(self, repeats: int) -> float:
        """Share of comparisons that find a difference where there is none."""
        return wrong_ratios(repeats, self.comparisons)

    track_wrong.limit = 0.07
