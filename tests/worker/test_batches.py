from __future__ import annotations

import numpy as np
import pytest

from harness.worker.batches import Batches, OwnBatches
from harness.worker.failures import WrongAnswerError


def _batches(
    input_kind: str = "image", rank: int = 0, workers: int = 1, seed: int = 1, batch_size: int = 4, **given: object
) -> Batches:
    fields = {"dataset": "digits", "batch_sizes": [batch_size], "sizes": [8], **given}
    return Batches(input_kind=input_kind, seed=seed, rank=rank, workers=workers, **fields)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(("kind", "shape"), [("image", (4, 1, 8, 8)), ("flat", (4, 64)), ("sequence", (4, 8, 8))])
def test_forms(kind: str, shape: tuple[int, ...]) -> None:
    data, labels = _batches(kind)(0)
    assert data.shape == shape
    assert data.dtype == np.float32
    assert labels.shape == (4,)
    assert 0 <= data.min() <= data.max() == 1.0


def test_sizes_follow_the_plan_step_by_step() -> None:
    batches = _batches("sequence", sizes=[5, 12])
    assert [batches(step)[0].shape for step in range(3)] == [(4, 5, 8), (4, 12, 8), (4, 5, 8)]


def test_images_as_high_and_as_wide_as_the_plan_says() -> None:
    data, square = (_batches(sizes=[size])(0)[0] for size in ((8, 16), 8))
    assert data.shape == (4, 1, 8, 16)
    assert np.array_equal(data[:, :, :, ::2], square)


def test_the_same_seed_gives_the_same_batches() -> None:
    assert np.array_equal(_batches()(3)[0], _batches()(3)[0])
    assert not np.array_equal(_batches()(3)[0], _batches(seed=2)(3)[0])


def test_workers_share_out_what_one_worker_with_a_larger_batch_sees() -> None:
    one, _ = _batches(batch_size=8)(5)
    shares = [_batches(rank=rank, workers=2)(5)[0] for rank in (0, 1)]
    assert np.array_equal(np.concatenate(shares), one)


def test_batches_of_several_sizes_follow_each_other_without_a_gap() -> None:
    def stream(rank: int, workers: int, steps: int, sizes: list[int]) -> list[int]:
        batches = _batches(rank=rank, workers=workers, batch_sizes=sizes)
        return [place for step in range(steps) for place in batches.places(step)]  # type: ignore[no-untyped-call]

    whole = stream(0, 1, 100, [40])
    assert stream(0, 1, 3, [3, 1, 2]) + stream(0, 1, 6, [3, 1, 2])[6:] == whole[:12]
    assert sorted(stream(0, 2, 3, [3, 1, 2]) + stream(1, 2, 3, [3, 1, 2])) == sorted(whole[:12])
    assert [len(_batches(batch_sizes=[3, 1])(step)[1]) for step in range(4)] == [3, 1, 3, 1]


def test_places_are_those_of_the_samples_of_a_batch() -> None:
    batches = _batches(batch_size=1000)
    data, labels = batches(1)
    each = [batches.one(place % batches.count, 8) for place in batches.places(1)]  # type: ignore[no-untyped-call]
    assert np.array_equal(data, np.stack([one for one, _ in each]))
    assert labels.tolist() == [label for _, label in each]


def test_an_epoch_has_every_sample_once() -> None:
    batches = _batches(batch_size=1797)
    first, second = batches(0)[0], batches(1)[0]
    assert not np.array_equal(first, second)
    assert np.array_equal(np.sort(first.sum(axis=(1, 2, 3))), np.sort(second.sum(axis=(1, 2, 3))))


def test_a_batch_may_span_two_epochs() -> None:
    data, _ = _batches(batch_size=1000)(1)
    assert data.shape[0] == 1000


def test_synthetic_images_have_three_channels() -> None:
    data, labels = _batches(dataset="synthetic", sizes=[16])(0)
    assert data.shape == (4, 3, 16, 16)
    assert set(labels) <= set(range(10))


def test_what_is_held_back_is_never_trained_on() -> None:
    batches = _batches(batch_size=1497, held_back=300)
    data, labels = batches.held_back()
    assert (data.shape, labels.shape) == ((300, 1, 8, 8), (300,))
    seen = {image.tobytes() for step in range(2) for image in batches(step)[0]}
    everything = _batches(batch_size=1797)(0)[0]
    assert len(seen | {image.tobytes() for image in data}) == len({image.tobytes() for image in everything})


def test_batches_of_a_users_function() -> None:
    asked = []

    def function(**named: int) -> tuple[object, object]:
        asked.append(named)
        return np.zeros((4, named["size"])), np.zeros(4)

    batches = OwnBatches(function, [4], [5, 12], 7, 1, 2)  # type: ignore[no-untyped-call]
    assert [batches(step)[0].shape for step in (0, 1)] == [(4, 5), (4, 12)]
    assert batches.sized(0, 9)[0].shape == (4, 9)
    assert asked[1] == {"step": 1, "batch_size": 4, "size": 12, "seed": 7, "rank": 1, "workers": 2}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (([1], np.zeros(1)), "batches returned a list and a ndarray; it must return two numpy arrays"),
        (np.zeros((2, 2)), "batches returned ndarray; it must return two numpy arrays"),
        ((np.zeros(4), np.zeros(3)), "batches returned 4 samples and 3 labels; 4 were asked for"),
        ((np.zeros(2), np.zeros(2)), "batches returned 2 samples and 2 labels; 4 were asked for"),
    ],
)
def test_batches_of_a_users_function_are_what_was_asked_for(made: object, message: str) -> None:
    batches = OwnBatches(lambda **_: made, [4], [1], 7, 0, 1)  # type: ignore[no-untyped-call]
    with pytest.raises(WrongAnswerError, match=message):
        batches(0)


def test_of_drawn_images_a_perfect_pupil_knows_every_class() -> None:
    """Labels are those of a linear teacher: what is linear can learn them."""
    data, labels = _batches("flat", dataset="synthetic", batch_size=150, samples=150)(0)
    wanted = np.eye(10)[labels.astype(int)]
    weights, *_ = np.linalg.lstsq(data - 0.5, wanted, rcond=None)
    assert ((data - 0.5).dot(weights).argmax(axis=1) == labels).mean() == 1.0
    assert len(set(labels)) == 10


def test_in_texts_most_tokens_follow_from_the_one_before() -> None:
    data, following = _batches("tokens", dataset="text", batch_size=100, sizes=[50])(0)
    assert data.shape == following.shape == (100, 50)
    assert np.array_equal(data[:, 1:], following[:, :-1])
    usual = {}
    for token, after in zip(data.ravel(), following.ravel(), strict=True):
        usual.setdefault(token, []).append(after)
    most = sum(max(each.count(value) for value in set(each)) for each in usual.values())
    assert 0.89 <= most / data.size <= 0.95


def test_a_text_that_is_longer_than_there_are_tokens_begins_again() -> None:
    data, _ = _batches("tokens", dataset="text", sizes=[1500], samples=8)(0)
    assert np.array_equal(data[:, :400], data[:, 1024:1424])


def test_ids_of_a_field_are_its_own_and_few_are_frequent() -> None:
    data, labels = _batches("ids", dataset="clicks", batch_size=500, sizes=[8])(0)
    assert data.shape == (500, 8)
    assert np.array_equal(data // 1000, np.tile(np.arange(8), (500, 1)))
    assert (data[:, 0] == 0).mean() > 0.3
    assert 0.2 <= labels.mean() <= 0.8


def test_there_are_as_many_samples_as_asked() -> None:
    few, many = (_batches("ids", dataset="clicks", batch_size=2000, samples=n)(0)[0] for n in (20, 2000))
    assert len(np.unique(few, axis=0)) <= 20 < len(np.unique(many, axis=0))
