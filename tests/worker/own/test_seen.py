"""Who counts a script's steps."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.worker.own.owners import Owner, StoreOwner
from harness.worker.own.seen import Seen, Training, matches


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
    training, found = Training(SimpleNamespace()), ""
    trainers = {name: Named(name) for name in steps.lower()}
    for letter in steps:
        name = letter.lower()
        if name == letter:
            training.went_back([])
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
    training = Training(SimpleNamespace())
    one, two = Named("a"), Named("b")
    for trainer in (one, two, one, two):
        if training.takes_step(Known, trainer):
            training.stepped()
    trained, fixed = training.parameters("cpu(0)")
    assert ([name for name, _ in trained], fixed) == (["a", "b"], [])


class Loader:
    """Something that is iterated over, of some data."""

    def __init__(self, data: object = None) -> None:
        self._dataset = data


def fetched(*loaders: Loader | None, thread: int | None = None) -> list[tuple[int, float, Loader | None, int, int]]:
    """Batches of these, in order, each of as many samples as its place says."""
    return [(place, 0.0, loader, thread or threading.get_ident(), 0) for place, loader in enumerate(loaders, 1)]


def test_faults_act_on_batches_that_are_trained_with() -> None:
    training, train, other = Training(SimpleNamespace()), Loader(), Loader()
    assert training.trains_with(train) and training.trains_with(other)  # nobody knows yet
    training.went_back(fetched(train))
    assert [training.trains_with(each) for each in (train, other, None)] == [True, False, False]


def test_a_loader_that_is_made_anew_for_each_epoch_is_known_by_its_data() -> None:
    training, data = Training(SimpleNamespace()), Loader()
    training.went_back(fetched(Loader(data)))
    assert training.trains_with(Loader(data))
    assert not training.trains_with(Loader(Loader()))


def test_several_batches_at_once_are_of_validation() -> None:
    training, train, check, more = Training(SimpleNamespace()), Loader(), Loader(), Loader()
    assert training.went_back(fetched(train)) == (1, 0.0)
    assert training.went_back(fetched(check, check, train)) == (3, 0.0)
    assert training.went_back(fetched(train, check, check)) == (1, 0.0)
    assert training.went_back(fetched(check, check)) == (0, 0.0)
    assert training.went_back(fetched(more)) == (1, 0.0)
    assert [training.trains_with(each) for each in (train, check, more)] == [True, False, True]


def test_what_another_thread_fetches_is_trained_with_in_its_order() -> None:
    training, train, check = Training(SimpleNamespace()), Loader(), Loader()
    assert training.went_back(fetched(train, train, train, thread=7)) == (1, 0.0)
    assert training.went_back(fetched(check, check)) == (2, 0.0)
    assert training.went_back([]) == (3, 0.0)
    assert training.went_back([]) == (0, 0.0)
    assert [training.trains_with(each) for each in (train, check)] == [True, False]


@pytest.mark.parametrize(
    ("batches", "leads"),
    [
        ([1, 1, 1, 1], [0, 0, 0, 0]),
        ([2, 2, 2], [0, 0, 0, 0, 0, 0]),  # two a step
        ([2, 1, 1, 1], [0, 0, 0, 1, 1]),  # one ahead
        ([3, 1, 1], [0, 0, 0, 0, 2]),
    ],
)
def test_how_far_a_loader_is_ahead(batches: list[int], leads: list[int]) -> None:
    training, train, found = Training(SimpleNamespace()), Loader(), list[int]()
    for count in batches:
        found += [training.comes(train) for _ in range(count)]
        training.went_back(fetched(*[train] * count))
    assert found == leads
    training.begins(train)
    assert training.comes(train) == leads[-1]  # it was seen to be


def test_a_batch_that_is_fetched_in_the_step_before_is_ahead() -> None:
    """Between backward and the update, as some scripts do it."""
    training, train = Training(SimpleNamespace()), Loader()
    leads = list[int]()
    for step in range(3):
        training.went_back(fetched(train), step and step)
        leads.append(training.comes(train))
    assert leads == [0, 1, 2]  # of batches that were all fetched in step 0


def test_how_far_another_thread_is_ahead() -> None:
    training, train = Training(SimpleNamespace()), Loader()
    training.went_back([])
    leads = list[int]()

    def fetch() -> None:
        leads.extend(training.comes(train) for _ in range(3))

    thread = threading.Thread(target=fetch)
    thread.start()
    thread.join()
    assert leads == [0, 1, 2]


def test_two_batches_a_step_of_an_iterator_that_is_made_anew_for_each_epoch_are_trained_with() -> None:
    training, first, second = Training(SimpleNamespace()), Loader(), Loader()
    training.went_back(fetched(first, first))
    training.went_back(fetched(second, second))
    assert training.trains_with(second)


def test_arrays_of_the_scripts_own_leave_loaders_to_validation() -> None:
    training = Training(SimpleNamespace())
    training.went_back([])
    assert not training.trains_with(Loader())


def test_a_trainer_takes_the_place_of_a_kvstore() -> None:
    training, store, trainer = Training(SimpleNamespace()), Named("store"), Named("trainer")
    assert training.is_clock(StoreOwner, store)
    assert training.takes_step(Known, trainer)
    assert not training.is_clock(StoreOwner, store)


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("out/a.params", "{folder}/out/*.params", True),
        ("out/deep/a.params", "{folder}/out/*.params", False),
        ("out/a.params", "{folder}/sub/../out/*.params", True),
        ("link/a.params", "{folder}/out/*.params", True),
        ("out/a.params", "{folder}/link/*.params", True),
        ("out/deep/a.params", "{folder}/**/*.params", True),
        ("out/a.states", "{folder}/out/*.params", False),
        ("out/a.params", "{folder}/out/a.params", True),
    ],
)
def test_which_files_a_pattern_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, pattern: str, expected: bool
) -> None:
    for name in ("out/deep", "sub"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("out")
    monkeypatch.chdir(tmp_path)
    assert matches(path, pattern.format(folder=tmp_path)) is expected


@pytest.mark.parametrize(
    ("samples", "heads", "told", "expected"),
    [
        (32, [16, 16], 16, 32),
        (0, [16, 16], 16, 16),  # two losses of one batch
        (0, [16, 16], 64, 16),  # the same, on four workers
        (0, [16, 16], 32, 32),  # two parts of one batch
        (0, [16, 16], 1, 32),
        (0, [], np.float32(8.0), 8),
        (0, [], 1, None),  # the loss is a mean already
        (np.int64(4), [], None, 4),
        (0, [], "many", None),
        (0, [], None, None),
    ],
)
def test_samples_of_a_step(samples: Any, heads: list[int], told: Any, expected: int | None) -> None:
    seen = Seen(SimpleNamespace(workers=4, kvstore="device"), None, "worker/0", {})
    seen._booked.samples, seen._booked.heads, seen._booked.largest = samples, sum(heads), max(heads, default=0)
    found = seen._count(told)
    assert found == expected
    assert type(found) in (int, type(None))


def test_what_a_trainer_is_told_counts_only_where_nothing_else_ever_did() -> None:
    seen = Seen(SimpleNamespace(workers=1, kvstore="device"), None, "worker/0", {})
    seen._booked.samples = 10
    assert seen._count(10) == 10
    seen._booked.samples = 0
    assert seen._count(1) is None
    job = Seen(SimpleNamespace(workers=2, kvstore="dist_sync"), None, "worker/0", {})
    assert job._count(20) is None  # of one worker, or of all


def test_what_another_thread_calls_is_heard_while_this_one_is_within_a_function() -> None:
    seen, heard = Seen(SimpleNamespace(), None, "worker/0", {}), []
    seen.listens = seen.within.deaf = True
    thread = threading.Thread(target=lambda: heard.append(seen.hears))
    thread.start()
    thread.join()
    assert (heard, seen.hears) == ([True], False)


def test_a_round_of_a_kvstore_begins_with_the_key_that_came_first() -> None:
    training = Training(SimpleNamespace())
    assert [training.begins_anew(key) for key in (3, 5, 3, 5)] == [True, False, True, False]
