"""Numbers of GPUs, from what NVML said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harness.measures.gpus import Gpus
from harness.planning.plan import Plan
from harness.vocabulary.events import Event, GpuFault, GpuMissing, GpuSampled, Started, Window
from harness.vocabulary.quantities import Quantity

TEXT = 'title: t\nworkload: {model: mlp, steps: 100, warmup: 20}\ntopology: {contexts: ["gpu(0)"]}\n'
GB = 10**9


def sampled(t: float, slowed: tuple[str, ...] = (), missing: dict[str, str] | None = None, **values: float) -> Event:
    return GpuSampled(t, "main", "gpu/0", values, missing or {}, list(slowed), {})


@pytest.fixture
def measured(plan_of: Callable[..., Plan]) -> Callable[..., dict[str, Quantity]]:
    def measure(*events: Event, text: str = TEXT) -> dict[str, Quantity]:
        found: Any = Gpus(plan_of(text).arms[0])
        for event in events:
            found.add(event)
        return {quantity.name: quantity for quantity in found.quantities()}

    return measure


STARTED = Started(2.0, "main", "")


def test_medians_are_of_training_and_the_peak_of_all_of_it(measured: Callable[..., dict[str, Quantity]]) -> None:
    idle = sampled(1.0, memory_used=9 * GB, sm_clock=345, ecc_errors=4)
    busy = [sampled(3.0 + n, memory_used=(n + 1) * GB, sm_clock=1980, ecc_errors=4 + (n == 2)) for n in range(3)]
    found = measured(idle, STARTED, *busy)
    assert (found["gpu_memory_used"].value, found["gpu_memory_used"].unit) == (2 * GB, "B")
    assert found["gpu_memory_peak"].value == 3 * GB
    assert found["sm_clock"].value == 1980
    assert found["ecc_errors"].value == 1
    assert found["gpu_memory_used"].subject == "gpu/0"


def test_clocks_that_fell_are_a_share_with_the_reasons(measured: Callable[..., dict[str, Quantity]]) -> None:
    found = measured(STARTED, *(sampled(t, ("power cap",) if t == 4 else (), sm_clock=1) for t in range(3, 7)))
    assert found["gpu_slowed"].value == 0.25
    assert found["gpu_slowed"].note == "of 4 samples: power cap in 1"


def test_what_nvml_refuses_is_not_available_in_its_words(measured: Callable[..., dict[str, Quantity]]) -> None:
    missing = {"power": "not supported", "slowed": "not supported", "xid": "events are not told"}
    found = measured(STARTED, sampled(3.0, missing=missing, sm_clock=1))
    assert (found["gpu_power"].value, found["gpu_power"].note) == (None, "not supported")
    assert (found["gpu_slowed"].value, found["gpu_slowed"].note) == (None, "not supported")
    assert (found["xid"].value, found["xid"].note) == (None, "events are not told")


def test_errors_are_counted_and_a_gpu_that_is_lost_says_so(measured: Callable[..., dict[str, Quantity]]) -> None:
    fault = GpuFault(4.0, "main", "gpu/0", 79)
    lost = GpuMissing(5.0, "main", "gpu/0", "gpu is lost")
    found = measured(STARTED, sampled(3.0, sm_clock=1000), fault, lost)
    assert (found["xid"].value, found["xid"].note) == (1, "79")
    assert found["sm_clock"].value == 1000
    assert "the GPU was lost: gpu is lost" in found["sm_clock"].note
    assert "the GPU was lost: gpu is lost" in found["gpu_slowed"].note


def test_a_sampler_that_ends_or_stands_still_leaves_nothing_known(measured: Callable[..., dict[str, Quantity]]) -> None:
    """A pass on the samples before would say more than is known."""
    good = [STARTED, sampled(3.0, sm_clock=1980, ecc_errors=0)]
    for more in ([Window(60.0, "main", "worker/0", 0, 10, 50.0)], [GpuMissing(4.0, "main", "", "the sampler ended")]):
        found = measured(*good, *more)
        unknown = ("gpu_slowed", "xid", "gpu_lost", "ecc_errors", "gpu_memory_peak")
        assert [found[name].value for name in unknown] == [None] * 5
    assert found["xid"].note == "sampling ended: the sampler ended"
    assert measured(*good, Window(4.4, "main", "worker/0", 0, 10, 1.0))["xid"].value == 0


@pytest.mark.parametrize(
    ("times", "trained", "note"),
    [
        ([2.5 + n / 2 for n in range(40)], 22.0, ""),
        ([2.5, 3.0, 3.5, 12.5, 13.0, 13.5], 14.0, "no sample for 9 s of training"),
        ([9.0, 9.5, 10.0, 10.5, 11.0], 11.2, "no sample for 7 s of training"),
        ([2.5, 3.0, 3.5], 7.5, "no sample in the last 4 s of training"),
        ([2.5, 6.5, 7.0], 7.5, "no sample for 4 s of training"),
    ],
)
def test_a_time_of_which_there_is_no_sample_leaves_nothing_known(
    measured: Callable[..., dict[str, Quantity]], times: list[float], trained: float, note: str
) -> None:
    """A short training is known by more of its time than five seconds of silence would leave."""
    found = measured(STARTED, *(sampled(t, sm_clock=1) for t in times), Window(trained, "main", "worker/0", 0, 10, 1.0))
    assert (found["gpu_slowed"].value, found["gpu_slowed"].note.partition(": ")[0]) == (
        (None, note) if note else (0.0, f"of {len(times)} samples")
    )


def test_a_question_that_was_not_answered_for_a_while(measured: Callable[..., dict[str, Quantity]]) -> None:
    every = [2.5 + n / 2 for n in range(40)]
    silent = [t for t in every if 6.0 < t < 16.0]
    samples = [sampled(t, memory_used=GB, **({} if t in silent else {"ecc_errors": 0})) for t in every]
    found = measured(STARTED, *samples, Window(22.0, "main", "worker/0", 0, 10, 1.0))
    assert (found["ecc_errors"].value, found["gpu_memory_peak"].value) == (None, GB)
    assert found["ecc_errors"].note == "no answer for 10 s of training: nobody knows why"


def test_what_was_seen_before_is_told_even_so(measured: Callable[..., dict[str, Quantity]]) -> None:
    ended = GpuMissing(9.0, "main", "", "the sampler ended")
    hot = sampled(4.0, ("power cap",), sm_clock=1400, ecc_errors=3)
    found = measured(STARTED, sampled(3.0, sm_clock=1980, ecc_errors=1), hot, GpuFault(5.0, "main", "gpu/0", 31), ended)
    assert (found["gpu_slowed"].value, found["ecc_errors"].value, found["xid"].value) == (0.5, 2, 1)


def test_the_first_reason_stays(measured: Callable[..., dict[str, Quantity]]) -> None:
    """NVML's word comes before the end of who told it."""
    both = [GpuMissing(1.0, "main", "", "driver not loaded"), GpuMissing(1.1, "main", "", "the sampler ended")]
    assert measured(*both)["gpu_slowed"].note == "driver not loaded"


def test_an_error_of_nobody_knows_which_gpu_counts_for_each(measured: Callable[..., dict[str, Quantity]]) -> None:
    found = measured(STARTED, sampled(3.0, sm_clock=1), GpuFault(4.0, "main", "", 79))
    assert (found["xid"].value, found["xid"].note) == (1, "79")


def test_memory_that_no_sample_tells_has_no_peak(measured: Callable[..., dict[str, Quantity]]) -> None:
    found = measured(STARTED, sampled(3.0, missing={"memory_used": "not supported"}, sm_clock=1))
    assert (found["gpu_memory_peak"].value, found["gpu_memory_peak"].note) == (None, "not supported")


def test_none_that_can_be_asked(measured: Callable[..., dict[str, Quantity]]) -> None:
    found = measured(GpuMissing(1.0, "main", "", "nvml shared library not found"))
    assert list(found) == ["gpu_slowed"]
    assert found["gpu_slowed"].note == "nvml shared library not found"


def test_training_on_processors_has_no_such_numbers(measured: Callable[..., dict[str, Quantity]]) -> None:
    assert measured(STARTED, text=TEXT.replace("gpu(0)", "cpu(0)")) == {}


def test_what_stops_answering_says_nothing_of_the_rest(measured: Callable[..., dict[str, Quantity]]) -> None:
    unknown = dict.fromkeys(("ecc_errors", "slowed", "sm_clock"), "unknown error")
    first = sampled(3.0, sm_clock=1, ecc_errors=0)
    partly = [sampled(3.5 + n / 2, missing=unknown, memory_used=GB) for n in range(40)]
    found = measured(STARTED, first, *partly, Window(23.0, "main", "worker/0", 0, 10, 1.0))
    for name in ("ecc_errors", "gpu_slowed"):
        assert (found[name].value, found[name].note) == (
            None,
            "no answer in the last 20 s of training: unknown error",
        )
    assert found["gpu_memory_peak"].value == GB
    nothing = [sampled(3.5 + n / 2, missing=unknown) for n in range(40)]
    found = measured(STARTED, first, *nothing, Window(23.0, "main", "worker/0", 0, 10, 1.0))
    assert found["gpu_lost"].note == "no sample in the last 20 s of training"


def test_what_links_carried_is_told_by_the_second(measured: Callable[..., dict[str, Quantity]]) -> None:
    """From the first sample of training to its last, whatever they carried before."""
    before = sampled(1.0, nvlink_sent=1, nvlink_received=1)
    during = [sampled(3.0 + n, nvlink_sent=1000 + 50 * n, nvlink_received=0) for n in range(3)]
    found = measured(before, STARTED, *during)
    assert (found["nvlink_sent"].value, found["nvlink_sent"].unit) == (50, "B/s")
    assert found["nvlink_received"].value == 0


def test_no_rate_of_one_sample_or_of_a_counter_that_was_set_back(measured: Callable[..., dict[str, Quantity]]) -> None:
    back = [sampled(3.0, nvlink_sent=1000), sampled(4.0, nvlink_sent=10)]
    for samples in (back, back[:1]):
        found = measured(STARTED, *samples)
        assert (found["nvlink_sent"].value, found["nvlink_sent"].note) == (None, "no rate can be told")
    assert (
        measured(STARTED, sampled(3.0, missing={"nvlink_sent": "not supported"}))["nvlink_sent"].note == "not supported"
    )
