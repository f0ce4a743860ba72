"""What becomes of a trace of allocations in MXNet's memory pools."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.units import bytes_text
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.replay import Replay


def render(
    trace: AllocationTrace, memory: int | None, found: Sequence[Replay], gpu: int | None = None
) -> RenderableType:
    """A line a setting, in their order: what the pool holds at most, and beyond what is live, the largest array that is
    still to be had in the end, calls of ``cudaMalloc`` and ``cudaFree``, and how far it comes.
    """
    head = f"{trace.name}: {len(trace.events)} allocations and frees, {bytes_text(trace.peak)} live at most"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("pool", overflow="fold")
    for column in ("held", "beyond live", "largest", "calls", "fails"):
        table.add_column(column, justify="right", no_wrap=True)
    for each in found:
        sizes = (each.peak_held, each.fragmentation, each.largest)
        table.add_row(each.settings.words, *map(bytes_text, sizes), str(each.calls), _failure(each))
    free = "all" if memory is None else bytes_text(memory)
    simulated = f"simulated, with {free} of GPU memory: MXNet 1.9.1's pools by their source"
    where = simulated if gpu is None else f"replayed on gpu({gpu}) with {free} of its memory, through MXNet's own pools"
    return Group(Text(head), Text(where), table)


def variables(found: Replay) -> str:
    """That ask MXNet for the settings."""
    return " ".join(f"{name}={value}" for name, value in found.settings.environment.items()) or "MXNet's defaults"


def _failure(each: Replay) -> str:
    failure = each.failure
    return "no" if failure is None else f"at {each.served / each.events:.0%}, for {bytes_text(failure.size)}"
