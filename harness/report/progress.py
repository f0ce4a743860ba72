"""Live progress: a table that is redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from harness.base.units import bytes_text
from harness.planning.plan import Plan
from harness.vocabulary.events import (
    Done,
    Ended,
    Event,
    Exited,
    Healed,
    Injected,
    Loss,
    Memory,
    Progress,
    Started,
    Waiting,
    Window,
)

LINE_SECONDS = 5.0
REDRAWS_A_SECOND = 8
_LEAST_SHARE = 0.05
"""Of a run, before which nobody can tell how long the rest takes."""


@dataclass
class _Worker:
    step: int = 0
    rate: str = ""
    loss: str = ""
    memory: str = ""
    state: str = "starting"
    faults: list[str] = field(default_factory=list)


class Board:
    """What is known of the arm that runs, from its events; ``clock`` gives seconds."""

    def __init__(self, plan: Plan, clock: Callable[[], float] = time.monotonic) -> None:
        self._plan, self._clock, self._began = plan, clock, clock()
        self.arm = ""
        self.steps: int | None = None
        self.workers: dict[str, _Worker] = {}

    def note(self, event: Event) -> str | None:
        """Take in one event; returns a line when something worth a line of its own happened."""
        if event.arm != self.arm:
            self._begin(event.arm)
        if isinstance(event, Ended):
            return f"{event.arm}: {event.outcome}: {event.reason}"
        if isinstance(event, Started):
            return f"{event.arm}: training"
        if isinstance(event, Injected | Healed):
            return self._fault(event)
        if event.subject in self.workers:
            self._worker(event, self.workers[event.subject])
        return None

    def _begin(self, name: str) -> None:
        arm = self._plan.arm(name)
        self.arm, self.steps = name, arm.workload.steps
        self.workers = {worker: _Worker() for worker in arm.workers}

    def _fault(self, event: Injected | Healed) -> str:
        injection = self._plan.arm(event.arm).schedule[event.fault]
        name = injection.part.name
        begins = isinstance(event, Injected)
        if event.subject in self.workers:
            marks = self.workers[event.subject].faults
            marks.append(name) if begins else marks.remove(name)
        when = "" if event.step is None else f" at step {event.step}"
        return f"{event.arm}: {name} of {event.subject} {'begins' if begins else 'ends'}{when}"

    def _worker(self, event: Event, worker: _Worker) -> None:
        if isinstance(event, Progress | Waiting):
            worker.step, worker.state = event.step, "training"
        elif isinstance(event, Window):
            worker.step = event.first + event.steps
            batch = self._plan.arm(event.arm).workload.batch_size
            unit = "steps/s" if batch is None else "samples/s"
            worker.rate = f"{event.steps * (batch or 1) / event.seconds:.4g} {unit}" if event.seconds else ""
        elif isinstance(event, Loss):
            worker.loss = f"loss {event.values[-1]:.4g}" if event.values[-1] is not None else "loss not finite"
        elif isinstance(event, Memory):
            worker.memory = bytes_text(event.resident)
        elif isinstance(event, Done):
            worker.state = "done"
        elif isinstance(event, Exited):
            worker.state = "gone"

    def lines(self) -> list[str]:
        """One line a worker."""
        return [" ".join(filter(None, (self.arm, *cells))) for cells in self._cells()]

    def table(self) -> Table:
        """How far it is, then one row a worker, that 80 columns hold; memory is in what is shown at the end."""
        table = Table(box=box.SIMPLE, show_header=False, pad_edge=False, title=Text(self.head()), title_justify="left")
        for _ in range(5):
            table.add_column(no_wrap=True, overflow="ellipsis")
        for name, state, step, rate, loss, _, marks in self._cells():
            there = state in ("starting", "training") and step != f"step 0/{self.steps}"
            table.add_row(*map(Text, (name, step if there else state, rate, loss, marks)))
        return table

    def head(self) -> str:
        """Which arm of how many, for how long, and for how long still, if steps are counted."""
        names = [arm.name for arm in self._plan.arms]
        before = names.index(self.arm) if self.arm else 0
        seconds = self._clock() - self._began
        words = [f"arm {self.arm} ({before + 1} of {len(names)})" if self.arm else "starting", f"{seconds:.0f} s"]
        if self._plan.arms[0].turn is not None:  # all arms at once, each with its own steps
            return f"{len(names)} arms take turns, {seconds:.0f} s"
        through = (before + self._share) / len(names)
        if through > _LEAST_SHARE:
            words.append(f"about {seconds * (1 / through - 1):.0f} s left")
        return ", ".join(words)

    @property
    def _share(self) -> float:
        """The part of the arm's steps that is through."""
        if not self.steps or not self.workers:
            return 0.0
        return min(1.0, sum(worker.step for worker in self.workers.values()) / self.steps / len(self.workers))

    def _cells(self) -> Iterator[tuple[str, ...]]:
        for name, worker in self.workers.items():
            step = f"step {worker.step}" + (f"/{self.steps}" if self.steps is not None else "")
            marks = " ".join(f"«{fault}»" for fault in worker.faults)
            yield name, worker.state, step, worker.rate, worker.loss, worker.memory, marks


@contextmanager
def progress(plan: Plan, console: Console) -> Iterator[Callable[[Event], None]]:
    """Show events as they come; yields what to call with each."""
    board = Board(plan)
    with suppress(OSError):
        console.print(f"{plan.scenario}: {plan.title}", highlight=False, markup=False)
    if not console.is_terminal or console.no_color:  # what is drawn again takes escape sequences
        yield _unless_broken(_PlainLines(board, console).note)
        return
    with Live(console=console, refresh_per_second=REDRAWS_A_SECOND, transient=True, get_renderable=board.table) as live:

        def note(event: Event) -> None:
            if line := board.note(event):
                live.console.print(line, highlight=False, markup=False)

        yield _unless_broken(note)


def _unless_broken(note: Callable[[Event], None]) -> Callable[[Event], None]:
    """Nobody may be looking any more; that must not end a run."""
    broken = False

    def careful(event: Event) -> None:
        nonlocal broken
        if not broken:
            try:
                note(event)
            except OSError:
                broken = True

    return careful


class _PlainLines:
    """A line for each thing that happens, and for each worker every few seconds."""

    def __init__(self, board: Board, console: Console) -> None:
        self._board, self._console = board, console
        self._next = time.monotonic() + LINE_SECONDS

    def note(self, event: Event) -> None:
        line = self._board.note(event)
        lines = [line] if line else []
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            lines += self._board.lines()
        for text in lines:
            self._console.print(text, highlight=False, markup=False, soft_wrap=True)
