"""What is told of a trace in pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.replay import Failure, Replay
from harness.report import pools

TRACE = AllocationTrace("t", [(1, 3_000_000), (1, 0)])
MB = 1_000_000
NAIVE = Replay(PoolSettings(), 9, 3 * MB, 9 * MB, 0, 9 * MB, 6 * MB, 50 * MB, 8, 4, None, None, None, 9 * MB, 4 * MB)


def _round(cutoff: int, held: int = 5 * MB, **changes: object) -> Replay:
    return replace(NAIVE, settings=PoolSettings("Round", cutoff=cutoff), peak_held=held, **changes)  # type: ignore[arg-type]


UNPOOLED = replace(NAIVE, settings=PoolSettings("Unpooled"), peak_held=3 * MB, mallocs=900, lasts_from=3 * MB)


def _told(found: Sequence[Replay], gpu: int | None = None) -> str:
    console = Console(width=300)
    with console.capture() as capture:
        console.print(pools.render(TRACE, 100 * MB, found, gpu))
    return capture.get()


def test_the_default_and_unpooled_are_always_there_and_those_alike_share_a_line() -> None:
    many = [_round(20 + number, (5 + number) * MB) for number in range(11)]
    told = _told([_round(34), *many, NAIVE, UNPOOLED])
    assert "Round, cutoff 34, and 1 more alike" in told  # it holds as much as cutoff 20
    assert "Naive (MXNet's default)" in told
    assert "Unpooled" in told
    assert "Round, cutoff 30" not in told
    assert "13 of 14 settings are shown, --json has all" in told


def test_what_lasts_longest_is_told_beside_what_holds_least() -> None:
    told = _told([_round(28), NAIVE, UNPOOLED])
    assert "lasts with the least memory: Unpooled, from 3 MB: that, and not what is held, decides" in told
    assert "lasts from" not in _told([_round(28), NAIVE], gpu=0)


def test_what_grows_and_what_hardly_differs() -> None:
    told = _told([_round(28, held_before=4 * MB), NAIVE])
    assert "still growing when the trace ended: Round, cutoff 28; a longer training may hold more" in told
    assert "their order says little" not in told
    alike = _told([_round(28), _round(29, 5 * MB + 1)])
    assert "hold the same within 1%: their order says little" in alike
    assert "still growing" not in _told([_round(28), NAIVE])


def test_conclusions() -> None:
    failed = replace(NAIVE, failure=Failure(3, 5 * MB, 0, 0))
    assert pools.conclusion([failed]) == "settings: MXNet's defaults"
    assert pools.conclusion([failed, failed]).startswith("none lasts; the furthest comes: ")
    assert pools.conclusion([_round(28), failed]) == (
        "the first: MXNET_GPU_MEM_POOL_TYPE=Round MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF=28"
    )


def test_an_array_that_a_pool_has_no_place_for() -> None:
    told = _told([_round(28, failure=Failure(3, 5 * MB, 0, 0, beyond=True), lasts_from=None)])
    assert "33%, 5 MB, which the pool has no place for" in told
    assert "never" in told
