"""Which batches a script trains with, and how many steps later."""

from __future__ import annotations

import threading

import pytest

from harness.worker.own.loaders import Batch, Loaders


class Loader:
    """Something that is iterated over, of some data."""

    def __init__(self, data: object = None) -> None:
        self._dataset = data


def fetched(*loaders: Loader | None, thread: int | None = None) -> list[Batch]:
    """Batches of these, in order, each of as many samples as its place says, each waited for by a second."""
    return [Batch(place, 1.0, loader, thread or threading.get_ident(), 0) for place, loader in enumerate(loaders, 1)]


def samples(found: tuple[list[Batch], float]) -> list[int]:
    """Of the batches that gradients come from."""
    return [batch.samples for batch in found[0]]


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
    assert samples(loaders.went_back(fetched(train))) == [1]
    assert samples(loaders.went_back(fetched(check, check, train))) == [3]
    assert samples(loaders.went_back(fetched(train, check, check))) == [1]
    assert samples(loaders.went_back(fetched(check, check))) == []
    assert samples(loaders.went_back(fetched(more))) == [1]
    assert [loaders.trains_with(each) for each in (train, check, more)] == [True, False, True]


def test_what_another_thread_fetches_is_trained_with_in_its_order() -> None:
    loaders, train, check = Loaders(), Loader(), Loader()
    assert samples(loaders.went_back(fetched(train, train, train, thread=7))) == [1]
    assert samples(loaders.went_back(fetched(check, check))) == [2]
    assert samples(loaders.went_back([])) == [3]
    assert samples(loaders.went_back([])) == []
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
    for _ in range(leads[-1]):
        loaders.went_back([])  # of the last ones
    loaders.begins(train)
    assert loaders.comes(train) == leads[-1]  # it was seen to be


def test_batches_that_were_skipped_put_no_loader_ahead() -> None:
    """As where a script goes on from a checkpoint: at the end no gradients came without a batch."""
    loaders, train = Loaders(), Loader()
    for count in (3, 1, 1):
        for _ in range(count):
            loaders.comes(train)
        loaders.went_back(fetched(*[train] * count))
    assert loaders.comes(train) == 2
    loaders.begins(train)
    assert loaders.comes(train) == 0


def test_what_nobody_trained_with_is_left_where_a_loader_begins_anew() -> None:
    """As by a script that measures its accuracy on what it trains with; of one that is ahead some are still to come."""
    loaders, train, other = Loaders(), Loader(), Loader()
    loaders.went_back(fetched(train))
    batches = fetched(train, other, train)
    assert loaders.are_left(train, batches) == [batches[0], batches[2]]
    assert loaders.are_left(train, fetched(train, thread=7)) == []
    loaders.went_back(fetched(train, train))
    ahead = Loaders()
    ahead.went_back(fetched(train, train))
    ahead.went_back(fetched(train))
    assert ahead.are_left(train, batches) == [batches[0]]


def test_what_was_checked_with_before_arrays_are_trained_with_is_no_input() -> None:
    loaders, check = Loaders(), Loader()
    loaders.went_back(fetched(check, check, check))
    loaders.stepped()
    loaders.went_back([])
    loaders.stepped()
    assert not loaders.trains_with(check)
    assert samples(loaders.went_back(fetched(check, check, check))) == []


def test_two_loaders_of_parts_of_the_same_data_are_apart() -> None:
    loaders, data = Loaders(), Loader()
    train, check = Loader(data), Loader(data)
    loaders.went_back(fetched(train))
    assert not loaders.trains_with(check)
    del train
    assert loaders.trains_with(check)  # it may be made anew for each epoch


def test_the_wait_is_for_all_loaders_of_a_step() -> None:
    loaders, slow, fast, check = Loaders(), Loader(), Loader(), Loader()
    assert loaders.went_back(fetched(slow, fast))[1] == 2.0
    assert loaders.went_back(fetched(check, check, slow, fast))[1] == 2.0


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


def test_what_was_checked_with_is_of_other_iterators_in_this_thread() -> None:
    train, check = Loader(), Loader()
    own, others = fetched(check, train, check), fetched(check, thread=7)
    found = Loaders.checked_with([*own, *others], [own[1]])
    assert found == [own[0], own[2]]
    assert Loaders.checked_with(fetched(train), own[1:2]) == []


def test_a_thread_that_predicts_before_the_first_gradients_brings_nothing_to_train_with() -> None:
    loaders, train, predicts = Loaders(), Loader(), Loader()
    assert samples(loaders.went_back([*fetched(predicts, thread=7), *fetched(None, train)[1:]])) == [2]
    assert [loaders.trains_with(each) for each in (train, predicts)] == [True, False]


def test_a_thread_that_brings_all_is_known_once_steps_come_without_batches_of_their_own() -> None:
    """The main thread evaluates, or initialises shapes, with another loader before its first gradients."""
    loaders, train, other = Loaders(), Loader(), Loader()
    brought = [Batch(samples, 1.0, train, 1, 0) for samples in (11, 12, 13, 14)]
    loaders.went_back([*brought[:2], *fetched(other)])
    assert samples(loaders.went_back(brought[2:3])) == [12]
    assert [samples(loaders.went_back(brought[3:])), samples(loaders.went_back([]))] == [[13], [14]]
    assert [loaders.trains_with(each) for each in (train, other)] == [True, False]


class Data:
    """Of two samples, made anew for each epoch."""

    def __len__(self) -> int:
        return 2


def test_data_that_are_made_anew_are_known_by_their_kind_and_length_once_the_old_are_gone() -> None:
    loaders, data = Loaders(), Data()
    loaders.went_back(fetched(Loader(data)))
    assert not loaders.trains_with(Loader(Data()))  # those of the first are there: others are for something else
    del data
    assert loaders.trains_with(Loader(Data()))
    assert not loaders.trains_with(Loader([1, 2]))
    assert not loaders.trains_with(Loader())


def test_where_each_batch_waits_for_one_step_more_steps_have_the_batch_before() -> None:
    """Once that is known for a whole pass; a step for which none was fetched has the one that waits."""
    loaders, train = Loaders(), Loader()
    for expected in ([3, 4, 4], [2, 3, 4]):
        loaders.begins(train)
        found = list[int]()
        for sizes in ((2, 3), (4,), ()):
            for _ in sizes:
                loaders.comes(train)
            found += samples(loaders.went_back([Batch(size, 1.0, train, threading.get_ident(), 0) for size in sizes]))
            loaders.stepped()
        assert found == expected
