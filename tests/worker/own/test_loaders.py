"""Which batches a script trains with, and how many steps later."""

from __future__ import annotations

import threading

import pytest

from harness.worker.own.loaders import Loaders


class Loader:
    """Something that is iterated over, of some data."""

    def __init__(self, data: object = None) -> None:
        self._dataset = data


def fetched(*loaders: Loader | None, thread: int | None = None) -> list[tuple[int, float, Loader | None, int, int]]:
    """Batches of these, in order, each of as many samples as its place says."""
    return [(place, 0.0, loader, thread or threading.get_ident(), 0) for place, loader in enumerate(loaders, 1)]


def test_faults_act_on_batches_that_are_trained_with() -> None:
    loaders, train, other = Loaders(), Loader(), Loader()
    assert loaders.trains_with(train) and loaders.trains_with(other)  # nobody knows yet
    loaders.went_back(fetched(train))
    assert [loaders.trains_with(each) for each in (train, other, None)] == [True, False, False]


def test_a_loader_that_is_made_anew_for_each_epoch_is_known_by_its_data() -> None:
    loaders, data = Loaders(), Loader()
    loaders.went_back(fetched(Loader(data)))
    assert loaders.trains_with(Loader(data))
    assert not loaders.trains_with(Loader(Loader()))


def test_several_batches_at_once_are_of_validation() -> None:
    loaders, train, check, more = Loaders(), Loader(), Loader(), Loader()
    assert loaders.went_back(fetched(train)) == (1, 0.0)
    assert loaders.went_back(fetched(check, check, train)) == (3, 0.0)
    assert loaders.went_back(fetched(train, check, check)) == (1, 0.0)
    assert loaders.went_back(fetched(check, check)) == (0, 0.0)
    assert loaders.went_back(fetched(more)) == (1, 0.0)
    assert [loaders.trains_with(each) for each in (train, check, more)] == [True, False, True]


def test_what_another_thread_fetches_is_trained_with_in_its_order() -> None:
    loaders, train, check = Loaders(), Loader(), Loader()
    assert loaders.went_back(fetched(train, train, train, thread=7)) == (1, 0.0)
    assert loaders.went_back(fetched(check, check)) == (2, 0.0)
    assert loaders.went_back([]) == (3, 0.0)
    assert loaders.went_back([]) == (0, 0.0)
    assert [loaders.trains_with(each) for each in (train, check)] == [True, False]


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
    loaders, train, found = Loaders(), Loader(), list[int]()
    for count in batches:
        found += [loaders.comes(train) for _ in range(count)]
        loaders.went_back(fetched(*[train] * count))
    assert found == leads
    loaders.begins(train)
    assert loaders.comes(train) == leads[-1]  # it was seen to be


def test_a_batch_that_is_fetched_in_the_step_before_is_ahead() -> None:
    """Between backward and the update, as some scripts do it."""
    loaders, train = Loaders(), Loader()
    leads = list[int]()
    for step in range(3):
        loaders.went_back(fetched(train), step and step)
        leads.append(loaders.comes(train))
    assert leads == [0, 1, 2]  # of batches that were all fetched in step 0


def test_how_far_another_thread_is_ahead() -> None:
    loaders, train = Loaders(), Loader()
    loaders.went_back([])
    leads = list[int]()

    def fetch() -> None:
        leads.extend(loaders.comes(train) for _ in range(3))

    thread = threading.Thread(target=fetch)
    thread.start()
    thread.join()
    assert leads == [0, 1, 2]


def test_two_batches_a_step_of_an_iterator_that_is_made_anew_for_each_epoch_are_trained_with() -> None:
    loaders, first, second = Loaders(), Loader(), Loader()
    loaders.went_back(fetched(first, first))
    loaders.went_back(fetched(second, second))
    assert loaders.trains_with(second)


def test_arrays_of_the_scripts_own_leave_loaders_to_validation() -> None:
    loaders = Loaders()
    loaders.went_back([])
    assert not loaders.trains_with(Loader())
