"""Steps that go as the one before: what is told of them is what is told where each is told in full."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.worker.own.in_front import in_front_of_backward, in_front_of_next, in_front_of_step
from harness.worker.own.loaders import Loaders
from harness.worker.own.seen import Seen
from harness.worker.own.training import Training
from harness.worker.own.usual import SeenAsUsual
from tests.worker.own.test_training import Known, Named

WINDOW = 4


@dataclass(eq=False)
class Head:
    """An array that gradients come from, the how manieth, and whether it is a copy."""

    shape: tuple[int, ...]
    number: int = 0
    copied: bool = False
    context: str = "cpu(0)"

    @property
    def size(self) -> int:
        return self.shape[0] if self.shape else 1

    def copy(self) -> Head:
        return Head(self.shape, self.number, copied=True)


class Iterator:
    """Brings batches; one weakly referenced by what listens."""


@dataclass
class Steps:
    """Ends steps, and closes a window after every fourth."""

    step: int = 0
    is_plain: bool = True
    windows: list[list[list[Head]]] = field(default_factory=lambda: [[]])

    @property
    def closes(self) -> bool:
        return (self.step + 1) % WINDOW == 0

    @property
    def unread(self) -> list[list[Head]]:
        return self.windows[-1]

    @property
    def left(self) -> int:
        return WINDOW - self.step % WINDOW if self.is_plain else 0

    def ended(self, losses: list[Head]) -> None:
        self.windows[-1].append(losses)
        self.step += 1
        if self.step % WINDOW == 0:
            self.windows.append([])

    def computed(self) -> None:
        pass

    def updates(self) -> bool:
        return True

    def await_credit(self) -> None:
        pass

    def begin(self) -> None:
        pass


class Script:
    """What a script calls, in turn, and what was told of it."""

    def __init__(self, kind: type[Seen], plain: bool = True) -> None:
        job = SimpleNamespace(workers=1, kvstore="device", record_shapes=False, steps=None)
        self.told: list[tuple[int, ...]] = []
        self.channel = SimpleNamespace(emit=self._emit, heartbeat=self._at, is_own=True, step=0, spoke=math.inf)
        self.seen = kind(job, self.channel, "worker/0", {})
        self.seen._started = self.seen._told = self.seen.listens = True
        self.seen._loaders = Loaders()
        self.seen._training = Training(SimpleNamespace(), self.seen._loaders)
        self.seen.steps = self.steps = Steps(is_plain=plain)
        self.iterators = {name: Iterator() for name in "ab"}
        self.trainers = {name: Named(name) for name in "tu"}
        self.head, self.heads = Head(()), 0

    def _at(self, step: int) -> None:
        self.channel.step = step

    def _emit(self, kind: str, **fields: Any) -> None:
        if kind == "samples":
            self.told.append(tuple(fields["counts"]))

    def batch(self, iterator: str, size: int) -> None:
        self.seen.fetches()
        self.seen.fetched([Head((size, 8)), Head((size,))], self.iterators[iterator])

    def back(self, *shape: int) -> None:
        self.heads += 1
        self.head = Head(shape, self.heads)
        self.seen.goes_back([self.head], [None], False)

    def step(self, trainer: str, told: int) -> None:
        holder = self.trainers[trainer]
        self.seen.updates(Known, holder, told)
        self.seen.updated("Trainer.step", None, holder, told)

    def fails(self, trainer: str) -> None:
        self.seen.updates(Known, self.trainers[trainer])
        self.seen.failed()

    def changes(self) -> None:
        self.seen.changes(self.head)
        self.head = Head(self.head.shape)

    def elsewhere(self, act: Callable[[], object]) -> None:
        thread = threading.Thread(target=act)
        thread.start()
        thread.join()

    def usual(self, times: int, size: int = 8) -> None:
        for _ in range(times):
            self.batch("a", size)
            self.back(size)
            self.step("t", size)

    def found(self) -> Any:
        """Samples of each step, where its losses came from, and which step is known to be under way."""
        losses = [
            [(loss.number, loss.shape, loss.copied) for loss in losses]
            for window in self.steps.windows
            for losses in window
        ]
        return [count for counts in self.told for count in counts], losses, self.channel.step


class InFront(Script):
    """The same, where functions stand in front of hooks."""

    def __init__(self, plain: bool) -> None:
        super().__init__(SeenAsUsual, plain)
        seen = self.seen

        def back(head: Head) -> None:
            seen.goes_back([head], [None], False)

        def step(trainer: Named, told: int) -> None:
            if seen.updates(Known, trainer, told):
                seen.updated("Trainer.step", None, trainer, told)

        def following(iteration: Any) -> Any:
            seen.fetches()
            return seen.fetched(next(iteration._batches), iteration._loader)

        back.__wrapped__ = lambda head: None  # type: ignore[attr-defined]
        step.__wrapped__ = self._update  # type: ignore[attr-defined]
        self._next, self._back = in_front_of_next(following), in_front_of_backward(seen, back)
        self._step, self.breaks = in_front_of_step(seen, step), False

    def _update(self, trainer: Named, told: int) -> None:
        if self.breaks:
            raise ValueError("stale gradients")

    def batch(self, iterator: str, size: int) -> None:
        batches = iter([[Head((size, 8)), Head((size,))]])
        self._next(SimpleNamespace(_seen=self.seen, _loader=self.iterators[iterator], _batches=batches))

    def back(self, *shape: int) -> None:
        self.heads += 1
        self.head = Head(shape, self.heads)
        self._back(self.head)

    def step(self, trainer: str, told: int) -> None:
        self._step(self.trainers[trainer], told)

    def fails(self, trainer: str) -> None:
        usual = self.seen.usual
        if usual is None or usual.left < 2 or usual.head is None:
            super().fails(trainer)
            return
        self.breaks = True
        with pytest.raises(ValueError, match="stale"):
            self._step(self.trainers[trainer], usual.samples)
        self.breaks = False


ACTS = {
    "usual": lambda script: script.usual(1),
    "smaller": lambda script: (script.batch("a", 5), script.back(5), script.step("t", 5)),
    "smaller, untold": lambda script: (script.batch("a", 5), script.back(5), script.step("t", 8)),
    "one": lambda script: (script.batch("a", 1), script.back(1), script.step("t", 8)),
    "hardest": lambda script: (script.batch("a", 8), script.back(3), script.step("t", 8)),
    "mean": lambda script: (script.batch("a", 8), script.back(), script.step("t", 1)),
    "mean, told": lambda script: (script.batch("a", 8), script.back(), script.step("t", 8)),
    "checks": lambda script: [script.batch("b", 3) for _ in range(3)],
    "no batch": lambda script: (script.back(8), script.step("t", 8)),
    "twice": lambda script: (script.batch("a", 8), script.back(8), script.back(8), script.step("t", 8)),
    "two": lambda script: (script.usual(1), script.back(8), script.step("u", 8)),
    "in place": lambda script: (script.batch("a", 8), script.back(8), script.changes(), script.step("t", 8)),
    "late in place": lambda script: script.changes(),
    "in place elsewhere": lambda script: (
        *(script.batch("a", 8), script.back(8)),
        *(script.elsewhere(script.changes), script.step("t", 8)),
    ),
    "late in place elsewhere": lambda script: script.elsewhere(script.changes),
    "predicts elsewhere": lambda script: script.elsewhere(lambda: script.batch("b", 3)),
    "anew": lambda script: script.seen.begins(script.iterators["a"]),
    "skips": lambda script: script.batch("a", 8),
    "fails": lambda script: (script.batch("a", 8), script.back(8), script.fails("t")),
}


@given(st.lists(st.sampled_from(sorted(ACTS)), max_size=12), st.booleans())
def test_what_is_told_is_what_is_told_in_full(acts: list[str], plain: bool) -> None:
    scripts = Script(Seen, plain), Script(SeenAsUsual, plain), InFront(plain)
    for script in scripts:
        script.usual(4)
        for act in acts:
            ACTS[act](script)
            script.usual(2)
        script.usual(2 * WINDOW - script.steps.step % WINDOW)
        script.batch("a", 8)  # the step after them is under way
    assert scripts[1].found() == scripts[0].found()
    assert scripts[2].found() == scripts[0].found()


@pytest.mark.parametrize(
    ("act", "expected"),
    [
        ("usual", True),
        ("late in place", True),
        ("anew", True),
        ("smaller", False),
        ("checks", False),
        ("two", False),
        ("twice", False),
    ],
)
def test_which_steps_are_usual(act: str, expected: bool) -> None:
    script = Script(SeenAsUsual)
    script.usual(3)
    assert script.seen.usual is not None
    ACTS[act](script)
    assert (script.seen.usual is not None) is expected


def test_after_usual_steps_a_skipped_batch_is_no_batch_fetched_ahead() -> None:
    script = Script(SeenAsUsual)
    script.usual(4)
    script.seen.begins(script.iterators["a"])
    script.usual(3)
    script.batch("a", 8)  # and the script goes on with the next
    script.usual(2)
    assert script.seen._loaders.comes(script.iterators["a"]) == 0


def test_of_a_usual_step_nothing_is_booked() -> None:
    script = Script(SeenAsUsual)
    script.usual(3)
    script.batch("a", 8)
    script.back(8)
    assert (script.seen._booked.samples, script.seen._booked.calls, list(script.seen._fetched)) == (0, [], [])


def test_another_thread_takes_nothing_from_a_step_under_way() -> None:
    script = Script(SeenAsUsual)
    script.usual(3)
    script.batch("a", 8)
    thread = threading.Thread(target=script.batch, args=("b", 3))
    thread.start()
    thread.join()
    assert [batch.samples for batch in script.seen._fetched] == [3]
    script.back(8)
    script.step("t", 8)
    assert script.found()[0] == [8, 8, 8, 8]


def test_what_was_kept_of_a_step_is_let_go_at_the_end() -> None:
    script = Script(SeenAsUsual)
    script.usual(3)
    script.batch("a", 8)
    script.back(8)
    script.seen._leave()
    assert (script.seen.usual, script.seen._last, script.seen.kept) == (None, None, {})


def test_in_front_a_usual_step_calls_nothing_of_what_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    script = InFront(plain=True)
    script.usual(5)
    for name in ("fetches", "fetched", "goes_back", "updates", "updated"):
        monkeypatch.setattr(script.seen, name, None)
    script.usual(2)
    assert (script.steps.step, script.channel.step, len(script.steps.unread)) == (7, 7, 3)


@pytest.mark.parametrize(
    ("acts", "samples", "losses"),
    [
        (
            (("batch", "a", 25), ("back", 25), ("batch", "a", 25), ("back", 25), ("step", "t", 25)),
            25,
            [6],
        ),  # one skipped
        (
            (("batch", "a", 25), ("back", 25), ("batch", "a", 20), ("back", 20), ("step", "t", 45)),
            45,
            [5, 6],
        ),  # gathered
        ((("batch", "a", 25), ("back", 25), ("step", "u", 25), ("step", "t", 25)), 25, [5]),  # one loss, two trainers
        ((("batch", "a", 25), ("back", 25), ("step", "u", 25), ("back", 25), ("step", "t", 25)), 25, [6]),
    ],
)
def test_of_several_calls_of_backward_those_count_whose_gradients_do(
    monkeypatch: pytest.MonkeyPatch, acts: tuple[tuple[Any, ...], ...], samples: int, losses: list[int]
) -> None:
    """As gradients take the place of those before, unless the trainer is told that there are as many samples."""
    monkeypatch.setattr(Known, "adds", False)
    script = Script(Seen)
    script.usual(1, 25)
    for _ in range(3):
        script.batch("a", 25)
        script.back(25)
        script.step("u", 25)
        script.step("t", 25)
    for name, *arguments in acts:
        getattr(script, name)(*arguments)
    script.seen._tell_of_samples(script.steps.step)
    told, known, _ = script.found()
    assert told[-1] == samples
    assert [number for number, *_ in known[-1]] == losses
