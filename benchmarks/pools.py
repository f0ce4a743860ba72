"""What MXNet's pools make of recorded trainings, as Markdown (docs/gpu.md).

python -m benchmarks.pools              # three trainings that an H100 replayed, too
python -m benchmarks.pools settings     # what a network is hybridized with, and which sizes it gets
python -m benchmarks.pools record       # the traces of the latter: some minutes
"""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.units import bytes_text
from harness.gpu import allocation_trace, best_pool
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import Replay
from harness.gpu.simulation import least_memory, simulate

RECORDED = Path(__file__).parent.parent / "tests" / "recorded" / "h100"
TRACES = {
    "rnn": "an LSTM of two layers, lengths vary, 60 steps",
    "cnn": "resnet18, six sizes of images, 25 steps",
    "fixed": "resnet18, one size, 12 steps",
}
SCALE = 16
"""Arrays are those of a CPU training with small batches, times that."""

MEMORIES = (4, 8, 16)
"""In GiB, as GPUs have them, and as the replays on real ones had (tests/recorded)."""

AMPLE = 80 * 10**9
_UNTOUCHED = 0.9
"""Of a GPU's memory, that a pool may hold without coming near its reserve of 5 %."""

_BYTES = tuple(memory * 2**30 for memory in MEMORIES)
CUTOFFS = (20, 24, 26, 28, 32)
ASKED = (PoolSettings(), *(PoolSettings("Round", cutoff=cutoff) for cutoff in CUTOFFS), PoolSettings("Unpooled"))

SCENARIOS = Path(__file__).parent.parent / "scenarios"
KEPT = Path(__file__).parent.parent / "results" / "pools"
LONG = ("workload.steps=60", "workload.batch_size=1024")
BUCKETS = (
    "workload.shapes={distribution: lognormal, median: 24, sigma: 0.4, min: 8, max: 64, buckets: [16, 24, 32, 48, 64]}"
)
LARGE = ("workload.steps=24", "workload.warmup=0", "workload.batch_size=16")


def _sides(shape: str) -> tuple[str, str]:
    """Heights and widths drawn alike."""
    return f"workload.shapes={shape}", f"workload.widths={shape}"


VARIED = _sides("{distribution: uniform, min: 32, max: 64}")
ROUNDED = _sides("{distribution: uniform, min: 32, max: 64, round_to: 16}")
ONE = _sides("{distribution: fixed, value: 64}")


@dataclass(frozen=True)
class Recording:
    """A trace that is kept, of one arm of a scenario with changes, and how many times as large its arrays are taken."""

    name: str
    what: str
    scenario: str
    arm: str
    changes: tuple[str, ...] = ()
    scale: int = SCALE

    @property
    def file(self) -> Path:
        """Where it is kept."""
        return KEPT / f"{self.name}.trace.gz"


LENGTHS, SIZES = "config/static-shape-variable.yaml", "training/photographs.yaml"
STAGES = "own/pipeline.yaml"
RECORDINGS = (
    Recording("lengths", "LSTM, lengths vary", LENGTHS, "dynamic", LONG),
    Recording("lengths-static-alloc", "with static_alloc", LENGTHS, "static-alloc", LONG),
    Recording("lengths-static-shape", "with static_alloc and static_shape", LENGTHS, "static-shape", LONG),
    Recording("lengths-buckets", "in five buckets", LENGTHS, "dynamic", (*LONG, BUCKETS)),
    Recording("lengths-buckets-static", "in five buckets, static_alloc", LENGTHS, "static-alloc", (*LONG, BUCKETS)),
    Recording("images", "resnet18, heights and widths vary", SIZES, "any", (*LARGE, *VARIED), 8),
    Recording("images-rounded", "rounded up to 16", SIZES, "any", (*LARGE, *ROUNDED), 8),
    Recording("images-one", "one size", SIZES, "any", (*LARGE, *ONE), 8),
    Recording("stages-kept", "images are prepared, then trained with", STAGES, "kept"),
    Recording("stages-freed", "with `del` and `waitall` between", STAGES, "freed"),
    Recording("stages-apart", "prepared by a process of its own", STAGES, "apart"),
)
POOLS = (PoolSettings(), *(PoolSettings("Round", cutoff=cutoff) for cutoff in (24, 28, 32)), PoolSettings("Unpooled"))


def record() -> None:
    """Make every trace anew, by the command that a user would type."""
    KEPT.mkdir(exist_ok=True)
    for each in RECORDINGS:
        each.file.unlink(missing_ok=True)
        changes = [word for change in each.changes for word in ("--set", change)]
        argv = ["pool", "record", SCENARIOS / each.scenario, "--arm", each.arm, *changes, "--write", each.file]
        subprocess.run([sys.executable, "-m", "harness", *map(str, argv)], check=True)


def settings_text() -> str:
    """A line for each trace: what is live, what each pool holds, the least memory with which it lasts, and the best."""
    sizes = ", ".join(map(str, MEMORIES))
    head = f"| training | live | {' | '.join(each.words for each in POOLS)} | best with {sizes} GiB |"
    lines = [head, "|---" * (3 + len(POOLS)) + "|"]
    for each in RECORDINGS:
        trace = allocation_trace.read(each.file).scaled(each.scale)
        cells = [_held_and_needed(trace, settings) for settings in POOLS]
        best = [*_best(trace)]
        told = best[:1] if len({*best}) == 1 else best
        lines.append(f"| {each.what} | {bytes_text(trace.peak)} | {' | '.join(cells)} | {'; '.join(told)} |")
    return "\n".join([*lines, ""])


def _held_and_needed(trace: AllocationTrace, settings: PoolSettings) -> str:
    held = simulate(trace, settings, AMPLE).peak_held
    return f"{bytes_text(held)}, {bytes_text(least_memory(trace, settings) or 0)}"


def _best(trace: AllocationTrace) -> Iterator[str]:
    """The first of all settings with each memory; one that holds little with ample memory does the same with less."""
    ample = [simulate(trace, settings, AMPLE) for settings in best_pool.candidates()]
    for memory in _BYTES:
        found = [
            each if each.peak_held < _UNTOUCHED * memory else simulate(trace, each.settings, memory) for each in ample
        ]
        first = best_pool.ranked(found)[0]
        yield first.settings.words if first.failure is None else "none lasts"


def text() -> str:
    """A table for each trace."""
    return "\n".join(line for name, what in TRACES.items() for line in _table(_trace(name), what))


def _trace(name: str) -> AllocationTrace:
    return allocation_trace.read(RECORDED / f"{name}.trace.gz").scaled(SCALE)


def _table(trace: AllocationTrace, what: str) -> Iterator[str]:
    yield f"`{trace.name}`: {what}, {bytes_text(trace.peak)} live at most\n"
    yield f"| pool | held | calls | {' | '.join(f'with {memory} GiB' for memory in MEMORIES)} |"
    yield "|---" * (3 + len(MEMORIES)) + "|"
    for asked in ASKED:
        ample, *found = (simulate(trace, asked, memory) for memory in (AMPLE, *_BYTES))
        row = [ample.settings.words, bytes_text(ample.peak_held), str(ample.calls), *map(_outcome, found)]
        yield f"| {' | '.join(row)} |"
    best = _best(trace)
    yield f"| *best of {len(best_pool.candidates())}* | | | {' | '.join(best)} |\n"


def _outcome(found: Replay) -> str:
    if found.failure is not None:
        return f"out of memory after {found.served / found.events:.0%}"
    return f"{bytes_text(found.peak_held)}, {found.calls} calls"


if __name__ == "__main__":
    asked = sys.argv[1] if sys.argv[1:] else ""
    if asked == "record":
        record()
    else:
        sys.stdout.write(settings_text() if asked == "settings" else text())
