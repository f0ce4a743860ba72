from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from harness.cli._console import Console
from harness.planning.plan import Plan
from harness.report.progress import Board, progress
from harness.vocabulary.events import Ended, Healed, Injected, Loss, Memory, Started, Window

SLOW = {"slow": {"select": {"role": "worker", "rank": 1}, "at": {"step": 30}, "for": {"steps": 20}, "factor": 3}}
AT = ("main", "worker/1")


def test_the_board_knows_step_rate_loss_memory_and_faults(fault_plan: Callable[..., Plan]) -> None:
    board = Board(fault_plan(SLOW))
    assert board.note(Started(1.0, "main", "")) == "main: training"
    assert board.note(Injected(2.0, *AT, 0, 30)) == "main: slow of worker/1 begins at step 30"
    board.note(Window(3.0, *AT, 30, 10, 0.5))
    board.note(Loss(3.0, *AT, 30, [2.0, 1.5]))
    board.note(Memory(3.0, *AT, 40, 155_000_000, 0, 0, None, None, None))
    assert board.lines()[1] == "main worker/1 starting step 40/100 640 samples/s loss 1.5 155 MB «slow»"
    assert board.note(Healed(4.0, *AT, 0, 50)) == "main: slow of worker/1 ends at step 50"
    assert board.note(Ended(5.0, "main", "", "completed", "why")) == "main: completed: why"
    assert "«slow»" not in board.lines()[1]


def test_the_head_tells_how_far_it_is_and_fits_80_columns(fault_plan: Callable[..., Plan]) -> None:
    times = iter([100.0, 101.0, 130.0, 130.0])
    board = Board(fault_plan(SLOW), lambda: next(times))
    assert board.head() == "starting, 1 s"
    for worker in ("worker/0", "worker/1"):
        board.note(Window(3.0, "main", worker, 40, 10, 0.5))
        board.note(Loss(3.0, "main", worker, 40, [1.5]))
    board.note(Injected(2.0, "main", "worker/1", 0, 30))
    assert board.head() == "arm main (1 of 2), 30 s, about 90 s left"
    console = Console(file=io.StringIO(), width=80)
    console.print(board.table())
    shown = console.file.getvalue()
    for what in ("worker/1", "step 50/100", "640 samples/s", "loss 1.5", "«slow»"):
        assert what in shown


def test_no_color_leaves_no_escape_sequence(fault_plan: Callable[..., Plan], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = Console(file=io.StringIO(), force_terminal=True)
    with progress(fault_plan(SLOW), console) as observe:
        observe(Started(1.0, "main", ""))
    console.print("words", style="bold red")
    assert console.file.getvalue().splitlines()[-1] == "words"
    assert "\x1b" not in console.file.getvalue()


class _Broken(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def test_a_broken_terminal_ends_no_run(fault_plan: Callable[..., Plan]) -> None:
    with progress(fault_plan(SLOW), Console(file=_Broken())) as observe:
        observe(Started(1.0, "main", ""))
        observe(Started(1.0, "main", ""))
