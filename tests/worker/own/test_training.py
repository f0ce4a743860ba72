"""Who takes a script's steps."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from harness.worker.own.loaders import Loaders
from harness.worker.own.owners import Owner, StoreOwner
from harness.worker.own.training import Training


@dataclass(eq=False)
class Named:
    """A trainer."""

    name: str


class Known(Owner):  # type: ignore[misc]
    """An owner of one parameter."""

    contexts = ("cpu(0)",)

    def __init__(self, of: Named) -> None:
        self.of = of

    def arrays(self) -> Any:
        yield self.of.name, True, [Array(self.of.name)], []


@dataclass
class Array:
    name: str
    context: str = field(default="cpu(0)")


def counted(steps: str) -> str:
    """Of trainers that step in this order, those whose steps count; after a capital letter no gradients came before."""
    loaders = Loaders()
    training, found = Training(SimpleNamespace(), loaders), ""
    trainers = {name: Named(name) for name in steps.lower()}
    for letter in steps:
        name = letter.lower()
        if name == letter:
            loaders.went_back([])
        if training.takes_step(Known, trainers[name]):
            training.stepped()
            found += name
    return found


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("aaa", "aaa"),
        ("abab", "aa"),  # a GAN
        ("abbabb", "abbb"),  # the critic steps twice as often: it is the better clock
        ("aaabbb", "aaabbb"),  # trained in a function that is called twice
        ("aaabaaab", "aaabaa"),  # a critic that steps three times as often, from the first step on
        ("aabcabca", "aabb"),
        ("aaaBaaaBaaa", "aaaaaaaaa"),  # two trainers of one loss, of which the second steps now and then
    ],
)
def test_the_first_counts_until_another_takes_its_place(steps: str, expected: str) -> None:
    assert counted(steps) == expected


def test_weights_are_of_all_that_step_beside_it() -> None:
    training = Training(SimpleNamespace(), Loaders())
    one, two = Named("a"), Named("b")
    for trainer in (one, two, one, two):
        if training.takes_step(Known, trainer):
            training.stepped()
    trained, fixed = training.parameters("cpu(0)")
    assert ([name for name, _ in trained], fixed) == (["a", "b"], [])


def test_weights_are_of_all_that_step_by_turns() -> None:
    loaders = Loaders()
    training = Training(SimpleNamespace(), loaders)
    trainers = {name: Named(name) for name in "ab"}
    for name in "aaabbbaaabbb":
        loaders.went_back([])
        if training.takes_step(Known, trainers[name]):
            training.stepped()
    assert sorted(name for name, _ in training.parameters("cpu(0)")[0]) == ["a", "b"]
    assert training.beside == 1


def test_of_three_by_turns_none_is_lost_and_who_never_comes_back_is_no_part() -> None:
    loaders = Loaders()
    training = Training(SimpleNamespace(), loaders)
    trainers = {name: Named(name) for name in "abcd"}  # all are kept
    for name in "dddaaabbbcccaaabbbccc":
        loaders.went_back([])
        if training.takes_step(Known, trainers[name]):
            training.stepped()
    assert sorted(name for name, _ in training.parameters("cpu(0)")[0]) == ["a", "b", "c"]


def test_who_steps_in_another_thread_counts_once_the_first_stands_still() -> None:
    training, one, two = Training(SimpleNamespace(), Loaders()), Named("a"), Named("b")
    training.takes_step(Known, one)
    assert elsewhere(training, two, [0] * 9) == [True] * 6 + [False] * 3
    assert training.is_clock(Known, two)
    assert training.beside == 0  # one step of the first, before


def test_who_steps_in_another_thread_at_the_same_time_never_does() -> None:
    training, one, two = Training(SimpleNamespace(), Loaders()), Named("a"), Named("b")
    training.takes_step(Known, one)
    assert elsewhere(training, two, [0, 0, 1, *[1] * 20]) == [True] * 23
    assert training.steps_apart(Known, two, (1,))  # also where the first thread has ended
    assert training.beside == 1


def elsewhere(training: Training, trainer: Named, places: list[int]) -> list[bool]:
    """Whether its steps are apart, in a thread of its own while who counts stands at these places."""
    told = list[bool]()
    steps = lambda: told.extend(training.steps_apart(Known, trainer, (place,)) for place in places)  # noqa: E731
    thread = threading.Thread(target=steps)
    thread.start()
    thread.join()
    return told


def test_who_is_gone_trains_nothing() -> None:
    loaders = Loaders()
    training = Training(SimpleNamespace(), loaders)
    for _ in range(2):
        trainer = Named("a")
        for _ in range(3):
            loaders.went_back([])
            if training.takes_step(Known, trainer):
                training.stepped()
    assert training.beside == 0


def test_a_trainer_takes_the_place_of_a_kvstore() -> None:
    training, store, trainer = Training(SimpleNamespace(), Loaders()), Named("store"), Named("trainer")
    assert training.is_clock(StoreOwner, store)
    assert training.takes_step(Known, trainer)
    assert not training.is_clock(StoreOwner, store)


def test_a_round_of_a_kvstore_begins_with_the_key_that_came_first() -> None:
    training = Training(SimpleNamespace(), Loaders())
    assert [training.begins_anew(key) for key in (3, 5, 3, 5)] == [True, False, True, False]
