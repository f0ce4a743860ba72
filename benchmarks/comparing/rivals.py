"""What `asv continuous` and `pyperf compare_to` would say of the same job, with their own statistics.

Each takes processes that followed one another, as it would start them: asv by turns, pyperf all of one side and then
all of the other. The slower side's times are so much longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean, median

from asv._stats import is_different
from asv_runner.statistics import compute_stats
from scipy.stats import ttest_ind

DRAWN = 200
FACTOR = 1.005
"""`--factor` of asv, whose default of 1.1 sees nothing below a tenth."""

Steps = Sequence[Sequence[float]]


def asv(runs: Steps, processes: int, samples: int, planted: float) -> Iterator[str]:
    """Answers of `asv continuous`: so many processes a side, by turns, and so many samples of each."""
    for chosen in _drawn(runs, 2 * processes):
        first = [seconds for run in chosen[0::2] for seconds in run[:samples]]
        other = [seconds * (1 + planted) for run in chosen[1::2] for seconds in run[:samples]]
        yield _asv_says(first, other)


def pyperf(runs: Steps, processes: int, planted: float) -> Iterator[str]:
    """Answers of `pyperf compare_to`: three values of each process, of 0.1 s each, after one that warms up."""
    for chosen in _drawn(runs, 2 * processes):
        first = [value for run in chosen[:processes] for value in _values(run)]
        other = [value * (1 + planted) for run in chosen[processes:] for value in _values(run)]
        test = ttest_ind(first, other)  # two-sample, two-tailed, 95 %, as pyperf's is_significant
        yield "undecided" if test.pvalue > 0.05 else "slower" if fmean(other) > fmean(first) else "faster"


def _drawn(runs: Steps, count: int) -> Iterator[Steps]:
    """Processes that followed one another; none where there are not twice as many: all would be the same ones."""
    random = Random(0)
    for _ in range(DRAWN if len(runs) >= 2 * count else 0):
        start = random.randrange(len(runs) - count + 1)
        yield runs[start : start + count]


def _asv_says(first: Sequence[float], other: Sequence[float]) -> str:
    _, mine = compute_stats(first, 1)
    _, theirs = compute_stats(other, 1)
    if not is_different(None, None, mine, theirs):
        return "undecided"
    ratio = median(other) / median(first)
    return "slower" if ratio > FACTOR else "faster" if ratio < 1 / FACTOR else "undecided"


def _values(steps: Sequence[float]) -> list[float]:
    """Means of as many steps as take 0.1 s, a power of two."""
    loops = 1
    while loops * median(steps) < 0.1:
        loops *= 2
    return [fmean(steps[at : at + loops]) for at in range(loops, min(4 * loops, len(steps) - loops + 1), loops)]
