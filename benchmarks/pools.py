"""What MXNet's pools make of three recorded trainings, as Markdown: ``python -m benchmarks.pools`` (docs/gpu.md)."""

import sys
from collections.abc import Iterator
from pathlib import Path

from harness.base.units import bytes_text
from harness.gpu import allocation_trace, best_pool
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import Replay
from harness.gpu.simulation import simulate

RECORDED = Path(__file__).parent.parent / "tests" / "recorded" / "h100"
TRACES = {
    "rnn": "an LSTM of two layers, lengths vary, 60 steps",
    "cnn": "resnet18, six sizes of images, 25 steps",
    "fixed": "resnet18, one size, 12 steps",
}
SCALE = 16
"""Arrays are those of a CPU training with small batches, times that."""

MEMORIES = (4 * 10**9, 8 * 10**9, 16 * 10**9)
AMPLE = 80 * 10**9
CUTOFFS = (20, 24, 26, 28, 32)
ASKED = (PoolSettings(), *(PoolSettings("Round", cutoff=cutoff) for cutoff in CUTOFFS), PoolSettings("Unpooled"))


def text() -> str:
    """A table for each trace."""
    return "\n".join(line for name, what in TRACES.items() for line in _table(_trace(name), what))


def _trace(name: str) -> AllocationTrace:
    return allocation_trace.read(RECORDED / f"{name}.trace.gz").scaled(SCALE)


def _table(trace: AllocationTrace, what: str) -> Iterator[str]:
    yield f"`{trace.name}`: {what}, {bytes_text(trace.peak)} live at most\n"
    yield f"| pool | held | calls | {' | '.join(f'with {bytes_text(memory)}' for memory in MEMORIES)} |"
    yield "|---" * (3 + len(MEMORIES)) + "|"
    for asked in ASKED:
        ample, *found = (simulate(trace, asked, memory) for memory in (AMPLE, *MEMORIES))
        row = [ample.settings.words, bytes_text(ample.peak_held), str(ample.calls), *map(_outcome, found)]
        yield f"| {' | '.join(row)} |"
    best = {
        memory: best_pool.ranked([simulate(trace, settings, memory) for settings in best_pool.candidates()])[0]
        for memory in MEMORIES
    }
    found_best = [each.settings.words if each.failure is None else "none lasts" for each in best.values()]
    yield f"| *best of {len(best_pool.candidates())}* | | | {' | '.join(found_best)} |\n"


def _outcome(found: Replay) -> str:
    if found.failure is not None:
        return f"out of memory after {found.served / found.events:.0%}"
    return f"{bytes_text(found.peak_held)}, {found.calls} calls"


if __name__ == "__main__":
    sys.stdout.write(text())
