"""Steps of a module that go as the one before: what is told of them is what is told where each is told in full."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.worker.own import hooks
from harness.worker.own.in_front import (
    in_front_of_an_iterator,
    in_front_of_forward_backward,
    in_front_of_update,
)
from harness.worker.own.loaders import Loaders
from harness.worker.own.owners import Owner
from harness.worker.own.seen import Seen
from harness.worker.own.training import Training
from harness.worker.own.usual import SeenAsUsual
from tests.worker.own.test_usual import WINDOW, Head, Steps


class Known(Owner):  # type: ignore[misc]
    """A module whose losses are the labels."""

    contexts = ("cpu(0)",)
    adds = False

    def __init__(self, of: Any) -> None:
        self.of = of

    def losses(self, labels: list[Head] | None) -> list[Head]:
        return list(labels or [])

    def arrays(self) -> Iterator[Any]:
        yield self.of, True, [Head((1,))], []


class BrokenError(Exception):
    """What a function of MXNet's raises."""


class Script:
    """What a script calls, in turn, and what was told of it; its classes are hooked as MXNet's are."""

    def __init__(self, kind: type[Seen], plain: bool, in_front: bool) -> None:
        job = SimpleNamespace(workers=1, kvstore="device", record_shapes=False, steps=None)
        self.told: list[tuple[int, ...]] = []
        self.channel = SimpleNamespace(emit=self._emit, heartbeat=self._at, is_own=True, step=0, spoke=math.inf)
        self.seen = seen = kind(job, self.channel, "worker/0", {})
        seen._started = seen._told = seen.listens = True
        seen._loaders = Loaders()
        seen._training = Training(SimpleNamespace(), seen._loaders)
        seen.steps = self.steps = Steps(is_plain=plain)
        self.breaks, self.comes, self.batches = "", "", 0
        modules, data = self._modules(), self._data()
        hooks._at_modules(modules, seen)
        loaders = SimpleNamespace(data=SimpleNamespace(DataLoader=type("DataLoader", (), {})))
        hooks._at_data(SimpleNamespace(gluon=loaders, io=data), seen)
        if in_front:
            base, kind_of_iterator = modules.BaseModule, data.DataIter
            kind_of_iterator.__next__ = in_front_of_an_iterator(seen, kind_of_iterator.__next__)
            base.forward_backward = in_front_of_forward_backward(seen, base.forward_backward)
            modules.Module.update = in_front_of_update(seen, modules.Module.update)
        self.iterators = {name: data.DataIter() for name in "abc"}
        self.modules = {name: modules.Module() for name in "mn"}

    def _modules(self) -> Any:
        script = self

        class BaseModule:
            for_training = True

            def forward_backward(self, data_batch: Any) -> None:
                self.forward(data_batch, is_train=True)
                self.backward()

            def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
                script.calls("forward")

            def backward(self) -> None:
                script.calls("backward")

        class Module(BaseModule):
            forward, backward = BaseModule.forward, BaseModule.backward

            def update(self) -> None:
                script.calls("update")

        Module.__module__ = "mxnet.module.module"  # MXNet's own
        others = {name: type(name, (), {}) for name in ("BucketingModule", "SequentialModule")}
        return SimpleNamespace(BaseModule=BaseModule, Module=Module, **others)

    def _data(self) -> Any:
        class DataIter:
            following: Any = None

            def __next__(self) -> Any:
                return self.following

            def reset(self) -> None:
                pass

        return SimpleNamespace(DataIter=DataIter)

    def calls(self, function: str) -> None:
        if function == self.comes:
            self.comes = ""
            self.elsewhere(lambda: self.batch("c", 3))
        if function == self.breaks:
            self.breaks = ""
            raise BrokenError(function)

    def _at(self, step: int) -> None:
        self.channel.step = step

    def _emit(self, kind: str, **fields: Any) -> None:
        if kind == "samples":
            self.told.append(tuple(fields["counts"]))

    def batch(self, iterator: str = "a", size: int = 8, pad: int = 0) -> Any:
        self.batches += 1
        own = self.iterators[iterator]
        own.following = SimpleNamespace(data=[Head((size, 4))], label=[Head((size,), self.batches)], pad=pad)
        return next(own)

    def trains(self, batch: Any, module: str = "m") -> None:
        self.modules[module].forward_backward(batch)
        self.modules[module].update()

    def usual(self, times: int) -> None:
        for _ in range(times):
            self.trains(self.batch())

    def by_parts(self) -> None:
        batch = self.batch()
        self.modules["m"].forward(batch, is_train=True)
        self.modules["m"].backward()
        self.modules["m"].update()

    def twice(self) -> None:
        batch = self.batch()
        self.modules["m"].forward_backward(batch)
        self.trains(batch)

    def fails(self, function: str) -> None:
        self.breaks = function
        with pytest.raises(BrokenError):
            self.trains(self.batch())

    def fails_and_goes_on(self, function: str) -> None:
        """A script that catches the error, and updates."""
        self.breaks = function
        batch = self.batch()
        with pytest.raises(BrokenError):
            self.modules["m"].forward_backward(batch)
        self.modules["m"].update()

    def makes_whole(self) -> None:
        """A batch of its own, of a padded one."""
        padded = self.batch("a", 8, 3)
        self.trains(SimpleNamespace(data=padded.data, label=padded.label, pad=0))

    def takes_labels(self) -> None:
        """For a metric, say, once it is trained with."""
        batch = self.batch()
        self.modules["m"].forward_backward(batch)
        batch.label = [Head((8,), -1)]
        self.modules["m"].update()

    def elsewhere(self, act: Callable[[], object]) -> None:
        thread = threading.Thread(target=act)
        thread.start()
        thread.join()

    def another_comes(self, function: str) -> None:
        """A thread that fetches what is not trained with."""
        self.comes = function
        self.usual(1)

    def validates(self) -> None:
        for _ in range(2):
            self.modules["m"].forward(self.batch("b", 3), is_train=False)

    def found(self) -> Any:
        """Samples of each step, where its losses came from, and which step is known to be under way."""
        losses = [[loss.number for loss in losses] for window in self.steps.windows for losses in window]
        return [count for counts in self.told for count in counts], losses, self.channel.step


ACTS = {
    "usual": lambda script: script.usual(1),
    "smaller": lambda script: script.trains(script.batch("a", 5)),
    "padded": lambda script: script.trains(script.batch("a", 8, 3)),
    "of another": lambda script: script.trains(script.batch("b")),
    "by parts": lambda script: script.by_parts(),
    "twice": lambda script: script.twice(),
    "two modules": lambda script: (script.usual(1), script.trains(script.batch(), "n")),
    "no batch": lambda script: script.trains(SimpleNamespace(data=[Head((8, 4))], label=[Head((8,), 99)], pad=0)),
    "updates again": lambda script: script.modules["m"].update(),
    "validates": lambda script: script.validates(),
    "skips": lambda script: script.batch(),
    "anew": lambda script: script.iterators["a"].reset(),
    "forward fails": lambda script: script.fails("forward"),
    "forward fails, and it goes on": lambda script: script.fails_and_goes_on("forward"),
    "takes labels": lambda script: script.takes_labels(),
    "made of a padded one": lambda script: script.makes_whole(),
    "update fails": lambda script: script.fails("update"),
    "predicts elsewhere": lambda script: script.elsewhere(lambda: script.batch("c", 3)),
    "another comes in forward": lambda script: script.another_comes("forward"),
    "another comes in backward": lambda script: script.another_comes("backward"),
    "another comes in update": lambda script: script.another_comes("update"),
}


@given(st.lists(st.sampled_from(sorted(ACTS)), max_size=12), st.booleans())
def test_what_is_told_is_what_is_told_in_full(acts: list[str], plain: bool) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hooks, "ModuleOwner", Known)
        patched.setattr("harness.worker.own.training.ModuleOwner", Known)
        scripts = Script(Seen, plain, in_front=False), Script(SeenAsUsual, plain, in_front=True)
        for script in scripts:
            script.usual(4)
            for act in acts:
                ACTS[act](script)
                script.usual(3)
            script.usual(2 * WINDOW - script.steps.step % WINDOW)
            script.batch()  # the step after them is under way
    assert scripts[1].found() == scripts[0].found()


def test_in_front_a_usual_step_calls_nothing_of_what_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "ModuleOwner", Known)
    script = Script(SeenAsUsual, plain=True, in_front=True)
    script.usual(5)
    for name in ("fetches", "fetched", "passes", "goes_back", "updates", "updated", "goes_forward_and_back"):
        monkeypatch.setattr(script.seen, name, None)
    script.usual(2)
    assert (script.steps.step, script.channel.step, len(script.steps.unread)) == (7, 7, 3)


def test_after_usual_steps_a_skipped_batch_is_no_batch_fetched_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "ModuleOwner", Known)
    script = Script(SeenAsUsual, plain=True, in_front=True)
    script.usual(5)
    script.iterators["a"].reset()
    script.usual(1)
    script.batch()  # and the script goes on with the next
    script.usual(2)
    assert script.seen._loaders.comes(script.iterators["a"]) == 0


def test_a_module_of_another_kind_is_told_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that trains with other labels than the iterator gave, or sometimes with more."""
    monkeypatch.setattr(hooks, "ModuleOwner", Known)
    script = Script(SeenAsUsual, plain=True, in_front=True)
    script.usual(5)
    assert script.seen.usual is not None
    module = script.modules["m"]
    module.forward = functools.partial(type(module).forward, module)
    script.usual(2)
    script.usual(WINDOW)
    assert script.seen.usual is None
    script = Script(SeenAsUsual, plain=True, in_front=True)
    script.modules["m"] = type("Mixed", (type(script.modules["m"]),), {"__module__": "train"})()
    script.usual(5)
    assert script.seen.usual is None


def test_once_nobody_listens_the_script_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "ModuleOwner", Known)
    script = Script(SeenAsUsual, plain=True, in_front=True)
    script.usual(5)
    batch = script.batch()
    script.modules["m"].forward_backward(batch)
    assert script.seen.usual.head is batch
    monkeypatch.setattr(script, "calls", lambda function: script.seen._leave())
    script.modules["m"].update()
    assert not script.seen.listens
