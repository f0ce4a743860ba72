"""Compare two arms: the ratio of what they cost or give, its interval, and what could have been seen at all.

Processes are the unit: two that run the same code differ by memory layout and by what the machine does meanwhile. Where
each arm ran once, how much they differ is not seen, and has to come from elsewhere: a `Spread`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, median, stdev

from harness.statistics.comparison import CONFIDENT, MIN_SAMPLES, Comparison, Ratio, Spread, Z
from harness.statistics.summary import loosely, summarize

MIN_REPEATS = 3
"""Fewer say so little of what differs between them that the spread is taken from elsewhere."""

Series = Sequence[float]


def ratio(subjects: Sequence[Series], baselines: Sequence[Series], spread: Spread) -> Ratio | None:
    """Ratio of medians of two arms, a series for each repeat; None with too few samples, or medians not above zero.

    By pairs of repeats, each next to the other in time; with fewer than 3, by what is known of the ``spread``.
    """
    if any(len(series) < MIN_SAMPLES or not median(series) > 0 for series in (*subjects, *baselines)):
        return None
    if len(subjects) < MIN_REPEATS:
        return _of_runs(subjects, baselines, spread)
    return ratio_of_pairs([median(series) for series in subjects], [median(series) for series in baselines])


def ratio_of_pairs(subjects: Series, baselines: Series) -> Ratio:
    """Geometric mean of paired ratios of numbers above zero, with Student's interval over the pairs."""
    from scipy.special import stdtrit  # a tenth of a second that only judging pays

    logs = [math.log(one / other) for one, other in zip(subjects, baselines, strict=True)]
    half = float(stdtrit(len(logs) - 1, CONFIDENT)) * stdev(logs) / math.sqrt(len(logs))
    return Ratio(_from_logs(mean(logs), half, half, len(logs)), f"{len(logs)} repeats of each")


def difference_of_pairs(subjects: Series, baselines: Series) -> Comparison:
    """Mean of paired differences, with Student's interval over the pairs; ValueError for fewer than two."""
    from scipy.special import stdtrit  # a tenth of a second that only judging pays

    differences = [one - other for one, other in zip(subjects, baselines, strict=True)]
    n = len(differences)
    half = float(stdtrit(n - 1, CONFIDENT)) * stdev(differences) / math.sqrt(n)
    return Comparison(mean(differences), mean(differences) - half, mean(differences) + half, n)


def ratio_of_singles(subjects: Series, baselines: Series, spread: Spread) -> Ratio:
    """Of a number above zero that each run has once: by pairs, or with fewer than 3 by what is known of the spread."""
    if len(subjects) >= MIN_REPEATS:
        return ratio_of_pairs(subjects, baselines)
    between, n = Z * spread.sd * math.sqrt(2 / len(subjects)), len(subjects)
    estimate = mean(math.log(one / other) for one, other in zip(subjects, baselines, strict=True))
    return Ratio(_from_logs(estimate, between, between, n), _basis(n, spread))


def _of_runs(subjects: Sequence[Series], baselines: Sequence[Series], spread: Spread) -> Ratio:
    """The noise of each run and the spread between runs add up in squares, on either side (Zou and Donner, 2008)."""
    mine, theirs = _noise(subjects), _noise(baselines)
    between = 2 * (Z * spread.sd) ** 2 / len(subjects)
    logs = [mean(math.log(median(series)) for series in arm) for arm in (subjects, baselines)]
    below, above = math.sqrt(mine[0] + theirs[1] + between), math.sqrt(mine[1] + theirs[0] + between)
    n = min(map(len, (*subjects, *baselines)))
    return Ratio(_from_logs(logs[0] - logs[1], below, above, n), _basis(len(subjects), spread))


def _basis(runs: int, spread: Spread) -> str:
    return f"{'1 run' if runs == 1 else f'{runs} runs'} of each, and {spread}"


def _noise(arm: Sequence[Series]) -> tuple[float, float]:
    """Squares of how far the logarithm of a mean of medians may be below and above.

    Where a series is too short or too much alike for an interval, as if it were not, and by its middle half at least:
    what changes slowly differs between runs too, and is in their spread.
    """
    below, above = 0.0, 0.0
    for series in arm:
        found = summarize(series)
        low, high = found.low, found.high
        if low is None or high is None:
            low, high = loosely(series)
        below += (math.log(found.median / low) / len(arm)) ** 2 if low > 0 else math.inf
        above += (math.log(high / found.median) / len(arm)) ** 2
    return below, above


def _from_logs(estimate: float, below: float, above: float, n: int) -> Comparison:
    return Comparison(math.exp(estimate), math.exp(estimate - below), math.exp(estimate + above), n)
