"""Delta debugging, without runs: what still does it is a predicate."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.faults import Entry, entry_model
from harness.studies.shrink import Shrink, halved, minimal, shortest

EntryModel = entry_model()


def _slow(steps: int) -> Entry:
    return EntryModel.model_validate(
        {"slow": {"select": {"role": "server"}, "at": {"step": 1}, "for": {"steps": steps}, "factor": 2}}
    )


def _pause(time: str) -> Entry:
    return EntryModel.model_validate(
        {"pause": {"select": {"role": "server"}, "at": {"step": 1}, "for": {"time": time}}}
    )


@given(st.integers(1, 30), st.sets(st.integers(0, 29), max_size=5))
def test_what_it_takes_together_is_found_whatever_the_size(count: int, needed: set[int]) -> None:
    needed = {number for number in needed if number < count}
    asked: list[tuple[int, ...]] = []

    def still(items: Sequence[int]) -> bool:
        asked.append(tuple(items))
        return needed <= set(items)

    smallest = minimal(range(count), still)
    assert needed <= set(smallest) and len(smallest) == max(1, len(needed))
    assert len(asked) == len(set(asked))


def test_either_of_two_is_enough() -> None:
    assert len(minimal(range(8), lambda items: 2 in items or 5 in items)) == 1


@pytest.mark.parametrize(
    ("entry", "shorter"),
    [(_slow(9), _slow(4)), (_slow(1), None), (_pause("2s"), _pause("1s")), (_pause("200ms"), None)],
)
def test_durations_are_halved_down_to_what_makes_sense(entry: Entry, shorter: Entry | None) -> None:
    assert halved(entry) == shorter


def test_a_fault_for_good_has_no_duration() -> None:
    assert halved(EntryModel.model_validate({"kill": {"select": {"role": "server"}, "at": {"step": 1}}})) is None


def test_each_fault_is_made_as_short_as_it_may_be() -> None:
    def still(entries: Sequence[Entry]) -> bool:
        slow, pause = (entry.fault.life for entry in entries)
        return (slow.steps or 0) >= 5 and (pause.seconds or 0.0) >= 0.5

    assert shortest([_slow(40), _pause("2s")], still) == [_slow(5), _pause("500ms")]


def test_the_trials_in_all_are_told_as_if_nothing_more_could_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Shrink, "text", lambda self, entries: repr(entries))
    study = Shrink.__new__(Shrink)
    slow, pause = _slow(1), _pause("200ms")
    study.entries, study.outcome, study._outcomes = [slow, pause], "hung", {}
    assert study.total == 4  # both, none, each alone
    study._outcomes[study._key([slow, pause])] = "hung"
    study._outcomes[study._key([])] = "completed"
    assert study.total == 4
    study._outcomes[study._key([slow])] = "hung"
    assert study.total == 3
    study._outcomes[study._key([slow, pause])] = "completed"
    assert study.total == 3
