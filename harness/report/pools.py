"""What becomes of a trace of allocations in MXNet's memory pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.units import bytes_text
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.best_pool import BUSIER
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import GREW, Replay

SHOWN = 10
"""Lines of a ranking, beside those that are always there."""

_ALWAYS = (PoolSettings(), PoolSettings("Unpooled"))
_LEGEND = (
    "held: by the pool, at most; beyond: at most, beyond what is live; calls: of cudaMalloc and cudaFree; "
    "fails: after which part of the trace, for how large an array; "
)
_LASTS = "lasts from: the least memory with which no array fails, as what waits in a pool is given back first"
_LARGEST = "largest: the array that was still to be had in the end"


def render(
    trace: AllocationTrace, memory: int | None, found: Sequence[Replay], gpu: int | None = None
) -> RenderableType:
    """A line a setting, best first; those whose numbers are the same share one."""
    head = f"{trace.name}: {len(trace.events)} allocations and frees, {bytes_text(trace.peak)} live at most"
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("pool", overflow="fold", min_width=20)
    for column in ("held", "beyond", "lasts from" if gpu is None else "largest", "calls", "fails"):
        table.add_column(column, justify="right", no_wrap=True)
    groups = _groups(found)
    shown = [group for number, group in enumerate(groups) if number < SHOWN or _is_always_shown(group)]
    for group in shown:
        table.add_row(_name(group), *_cells(group[0], gpu))
    free = "all" if memory is None else bytes_text(memory)
    simulated = f"simulated, with {free} of GPU memory: MXNet 1.9.1's pools by their source"
    where = simulated if gpu is None else f"replayed on gpu({gpu}) with {free} of its memory, through MXNet's own pools"
    notes = [_LEGEND + (_LASTS if gpu is None else _LARGEST), *_notes(found, sum(map(len, shown)), gpu)]
    return Group(Text(head), Text(where), table, *map(Text, notes))


def conclusion(found: Sequence[Replay]) -> str:
    """Which settings, as the variables that ask MXNet for them."""
    first = found[0]
    asked = variables(first)
    if len(found) == 1:
        return f"settings: {asked}"
    return f"the first: {asked}" if first.failure is None else f"none lasts; the furthest comes: {asked}"


def variables(found: Replay) -> str:
    """That ask MXNet for the settings."""
    return " ".join(f"{name}={value}" for name, value in found.settings.environment.items()) or "MXNet's defaults"


def _notes(found: Sequence[Replay], shown: int, gpu: int | None) -> Iterator[str]:
    if len(found) > 1:
        all_ = f"; {shown} of {len(found)} settings are shown, --json has all" if shown < len(found) else ""
        yield f"best first: what serves most; then, with up to {BUSIER} times the fewest calls, what holds least{all_}"
        if _hardly_differ(found):
            yield f"those that serve all of it hold the same within {GREW - 1:.0%}: their order says little"
    lasting = [each for each in found if each.lasts_from is not None]
    if len(found) > 1 and lasting:
        least = min(lasting, key=lambda each: (each.lasts_from or 0, each.calls))
        yield (
            f"lasts with the least memory: {least.settings.words}, from {bytes_text(least.lasts_from or 0)}: "
            "that, and not what is held, decides whether memory runs out"
        )
    growing = [each.settings.words for each in found if each.still_grew and each.failure is None]
    if growing:
        some = growing[0] if len(growing) == 1 else f"{growing[0]} and {len(growing) - 1} more"
        yield f"still growing when the trace ended: {some}; a longer training may hold more"
    if gpu is None:
        yield "not in it: CUDA's context and libraries, and workspaces of a GPU's own operators, as cuDNN's"


def _hardly_differ(found: Sequence[Replay]) -> bool:
    held = [each.peak_held for each in found if each.failure is None]
    return len(held) > 1 and max(held) <= GREW * min(held)


def _groups(found: Sequence[Replay]) -> list[list[Replay]]:
    """Those with the same numbers together, in the order of their first ones."""
    groups: dict[tuple[object, ...], list[Replay]] = {}
    for each in found:
        of_gpu = each.largest if each.lasts_from is None else 0
        numbers = (each.peak_held, each.fragmentation, of_gpu, each.lasts_from, each.calls, each.served)
        groups.setdefault((*numbers, each.settings in _ALWAYS), []).append(each)
    return list(groups.values())


def _is_always_shown(group: Sequence[Replay]) -> bool:
    return group[0].settings in _ALWAYS


def _name(group: Sequence[Replay]) -> str:
    words = group[0].settings.words
    if group[0].settings == PoolSettings():
        words += " (MXNet's default)"
    return words if len(group) == 1 else f"{words}, and {len(group) - 1} more alike"


def _cells(each: Replay, gpu: int | None) -> Iterator[str]:
    yield from map(bytes_text, (each.peak_held, each.fragmentation))
    if gpu is None:
        yield "never" if each.lasts_from is None else bytes_text(each.lasts_from)
    else:
        yield bytes_text(each.largest)
    yield str(each.calls)
    yield _failure(each)


def _failure(each: Replay) -> str:
    failure = each.failure
    if failure is None:
        return "no"
    why = ", which the pool has no place for" if failure.beyond else ""
    return f"{each.served / each.events:.0%}, {bytes_text(failure.size)}{why}"
