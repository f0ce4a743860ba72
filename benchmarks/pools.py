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
from harness.gpu.simulation import simulate

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
    """A line for each trace: what is live, what each pool holds, and the least memory with which it lasts."""
    lines = ["| training | live | " + " | ".join(each.words for each in POOLS) + " |", "|---" * (2 + len(POOLS)) + "|"]
    for each in RECORDINGS:
        trace = allocation_trace.read(each.file).scaled(each.scale)
        cells = [_held_and_needed(trace, settings) for settings in POOLS]
        lines.append(f"| {each.what} | {bytes_text(trace.peak)} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _held_and_needed(trace: AllocationTrace, settings: PoolSettings) -> str:
    return f"{bytes_text(simulate(trace, settings, AMPLE).peak_held)}, {bytes_text(_needed(trace, settings))}"


def _needed(trace: AllocationTrace, settings: PoolSettings) -> int:
    """The least memory of a GPU with which a trace lasts, to within a hundredth."""
    low, high = trace.peak, AMPLE
    while high - low > low // 100:
        middle = (low + high) // 2
        lasts = simulate(trace, settings, middle).failure is None
        low, high = (low, middle) if lasts else (middle, high)
    return high


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
    best = {
        memory: best_pool.ranked([simulate(trace, settings, memory) for settings in best_pool.candidates()])[0]
        for memory in _BYTES
    }
    found_best = [each.settings.words if each.failure is None else "none lasts" for each in best.values()]
    yield f"| *best of {len(best_pool.candidates())}* | | | {' | '.join(found_best)} |\n"


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
