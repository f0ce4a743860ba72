from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from harness.base import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3s", 3.0), ("250ms", 0.25), ("1.5 min", 90.0), ("20us", 2e-5), ("2h", 7200.0)],
)
def test_durations(text: str, seconds: float) -> None:
    assert units.parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize(("text", "size"), [("64MB", 64_000_000), ("1.5GiB", 1610612736), ("7 B", 7), ("2kB", 2000)])
def test_sizes(text: str, size: int) -> None:
    assert units.parse_size(text) == size


def test_percentages() -> None:
    assert units.parse_percentage("30%") == 0.3
    assert units.parse_percentage("0.5 %") == 0.005


@pytest.mark.parametrize("value", ["3", 3, "s", "-3s", True, None, ["3s"], "3 s s"])
def test_a_duration_needs_a_number_and_a_unit(value: object) -> None:
    with pytest.raises(ValueError, match="is not a duration; write a number and a unit, as in 3s, 250ms, 2min"):
        units.parse_duration(value)


def test_a_number_beyond_all_bounds_is_refused() -> None:
    with pytest.raises(ValueError):
        units.parse_size("9" * 400 + "B")


def test_an_unknown_unit_is_named_with_those_allowed() -> None:
    with pytest.raises(ValueError, match="has the unit 'parsecs'; allowed are us, ms, s, min, h"):
        units.parse_duration("3 parsecs")


@pytest.mark.parametrize("value", ["30", 30, 0.3, "%", "30 percent"])
def test_a_percentage_needs_its_sign(value: object) -> None:
    with pytest.raises(ValueError, match="is not a percentage"):
        units.parse_percentage(value)


class _Model(BaseModel):
    duration: units.Duration
    size: units.Size
    share: units.Percentage


@given(st.integers(0, 10**9), st.integers(0, 10**12), st.integers(0, 10**6))
def test_what_is_written_back_reads_the_same(microseconds: int, size: int, permille: int) -> None:
    text = {"duration": f"{microseconds}us", "size": f"{size}B", "share": f"{permille / 10}%"}
    model = _Model.model_validate(text)
    again = _Model.model_validate(model.model_dump())
    assert again.size == model.size
    assert again.duration == pytest.approx(model.duration, abs=1e-9)
    assert again.share == pytest.approx(model.share, abs=1e-11)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (999, "999 B"),
        (12_345_678, "12.3 MB"),
        (-100e6, "-100 MB"),
        (0, "0 B"),
        (999_600_000, "1 GB"),
        (1.5e12, "1500 GB"),
    ],
)
def test_bytes_for_people(value: float, text: str) -> None:
    assert units.bytes_text(value) == text


@pytest.mark.parametrize(("text", "bits"), [("200mbit", 2e8), ("1 gbit", 1e9), ("0.5gbit", 5e8), ("64kbit", 64e3)])
def test_bandwidths(text: str, bits: float) -> None:
    assert units.parse_bandwidth(text) == bits


@pytest.mark.parametrize(
    ("bits", "text"),
    [(2e8, "200 Mbit/s"), (1e9, "1 Gbit/s"), (64e3, "64 kbit/s"), (2.5e9, "2.5 Gbit/s"), (None, "unlimited")],
)
def test_bandwidths_for_people(bits: float | None, text: str) -> None:
    assert units.bandwidth_text(bits) == text


def test_a_duration_is_no_shorter_than_it_was() -> None:
    told = {113.2: "114s", 600.0: "10min", 1441.0: "25min", 23041.0: "6.5h", 36000.0: "10h"}
    assert {seconds: units.duration_at_least(seconds) for seconds in told} == told
    assert all(units.parse_duration(text) >= seconds for seconds, text in told.items())
