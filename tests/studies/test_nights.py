"""Nights in the ledger, and what they say of a scenario."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.base.errors import DamagedRunError
from harness.studies.nights import Answer, Measured, Moved, Night, past
from harness.studies.tracked import Tracked

OLD, NEW = (Tracked({"workload": {"steps": steps}}) for steps in (1, 2))
ALERT = Answer("a1", "lenet", "main", "throughput", "software", "slower", "the script", "n2", "", ("study",))


def _measured(seconds: float = 1.0, **changes: object) -> Measured:
    numbers = {"main": {"seconds_per_sample": [seconds, seconds * 1.01, seconds * 0.99], "final_loss": [2.0] * 3}}
    return replace(Measured("lenet", OLD, numbers, {"main": ["completed"] * 3}, "good"), **changes)  # type: ignore[arg-type]


def _nights(*measured: Measured) -> list[Night]:
    return [Night(f"n{number}", [each]) for number, each in enumerate(measured, 1)]


def test_a_night_comes_back_as_it_was_written() -> None:
    import json

    night = Night("n1", [_measured(answers=(ALERT,), note="why", reference="n0")], {"cores": 2}, 3, "", "c0ffee")
    assert Night.from_json(json.dumps(night.as_json()).encode(), "c0ffee") == night
    with pytest.raises(DamagedRunError, match=r"night.json of commit 0123456789 is no night"):
        Night.from_json(b'{"id": 1}', "0123456789abc")


def test_the_newest_good_night_is_what_others_are_compared_with() -> None:
    found = past(_nights(_measured(), _measured(tracked=NEW, state="undecided")), {}, "lenet")
    assert (found.night, found.reference and found.reference.tracked) == ("n1", OLD)
    assert found.last is not None and found.last.tracked == NEW
    assert past(_nights(_measured()), {}, "another").reference is None


def test_an_alert_is_no_good_night_before_it_is_accepted() -> None:
    nights = _nights(_measured(), _measured(tracked=NEW, state="alert", answers=[ALERT]))
    assert past(nights, {}, "lenet").night == "n1"
    assert past(nights, {"a1": "on purpose"}, "lenet").night == "n2"


def test_a_night_that_could_not_run_says_nothing() -> None:
    nights = [*_nights(_measured()), Night("n2", [], failure="no disk")]
    found = past(nights, {}, "lenet")
    assert (found.night, len(found.history["main"]["seconds_per_sample"])) == ("n1", 1)


def test_nights_in_a_row_that_could_not_tell_are_counted() -> None:
    undecided = _measured(tracked=NEW, state="undecided")
    assert past(_nights(_measured(), undecided, undecided), {}, "lenet").tried == 2
    unseen = replace(undecided, looked=False)
    assert past(_nights(_measured(), undecided, unseen, undecided, unseen), {}, "lenet").tried == 2
    assert past(_nights(undecided, _measured(), undecided), {}, "lenet").tried == 1
    assert past(_nights(undecided, replace(undecided, tracked=OLD)), {}, "lenet").tried == 1
    assert past(_nights(_measured()), {}, "lenet").tried == 0


SCATTER = (1.0, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998)


def test_history_begins_where_the_level_changed_and_says_so_until_it_is_explained() -> None:
    slower = [_measured(2 * seconds) for seconds in SCATTER]
    nights = _nights(*(_measured(seconds) for seconds in SCATTER), *slower)
    found = past(nights, {}, "lenet")
    assert len(found.history["main"]["seconds_per_sample"]) == 7
    (moved,) = found.moved
    assert (moved.arm, moved.quantity, moved.night) == ("main", "seconds_per_sample", "n7")
    assert moved.after - moved.before == pytest.approx(0.693, abs=0.01)
    told = replace(slower[0], answers=[replace(ALERT, word="machine")])
    assert past([*nights, Night("n15", [told])], {}, "lenet").moved == []
    unheard = replace(slower[0], answers=[replace(ALERT, word="not decided")])
    assert len(past([*nights, Night("n15", [unheard])], {}, "lenet").moved) == 1


def test_a_night_without_numbers_ends_no_history() -> None:
    nights = _nights(*[_measured()] * 6, _measured(numbers={}, outcomes={"main": ["crashed"]}))
    assert len(past(nights, {}, "lenet").history["main"]["seconds_per_sample"]) == 6


def test_a_loss_that_is_another_number_moves_its_series() -> None:
    other = {"main": {"final_loss": [2.001] * 3}}
    found = past(_nights(*[_measured()] * 6, *[_measured(numbers=other)] * 2), {}, "lenet")
    assert [(each.quantity, each.night) for each in found.moved] == [("final_loss", "n6")]
    assert isinstance(found.moved[0], Moved)


def test_numbers_of_another_job_are_of_another_history() -> None:
    found = past(_nights(*[_measured()] * 6, *[_measured(3.0, tracked=NEW)] * 2), {}, "lenet")
    assert (len(found.history["main"]["seconds_per_sample"]), found.moved) == (2, [])


def test_what_moved_about_when_software_changed_may_be_the_softwares() -> None:
    other = replace(OLD, files="train.py@1")
    for placed, one in ((other, ""), (OLD, OLD.fingerprint)):
        nights = _nights(*[_measured()] * 6, *[_measured(2.0, tracked=placed)] * 6)
        (moved,) = past(nights, {}, "lenet").moved
        assert (moved.night, moved.software) == ("n6", one)
    early = _nights(*[_measured()] * 4, *[_measured(tracked=other)] * 2, *[_measured(2.0, tracked=other)] * 6)
    (moved,) = past(early, {}, "lenet").moved
    assert moved.software == "", "a change of level may be placed late"


def test_what_was_told_since_the_last_good_night_and_not_accepted_is_known() -> None:
    alert = _measured(tracked=NEW, state="alert", answers=[ALERT])
    assert past(_nights(_measured(), alert, alert), {}, "lenet").pending == [ALERT]
    assert past(_nights(_measured(), alert), {"a1": "on purpose"}, "lenet").pending == []
    accepted = past(_nights(_measured(), replace(alert, note="b is not known")), {"a1": "on purpose"}, "lenet")
    assert (accepted.pending, accepted.alerts) == ([], [ALERT]), "more of it is another matter all the same"
    assert past(_nights(alert, _measured()), {}, "lenet").pending == []


def test_of_what_is_pending_it_is_known_how_much_it_was_when_it_was_told() -> None:
    nights = [
        _measured(),
        *(_measured(tracked=NEW, state="alert", answers=[replace(ALERT, effect=effect)]) for effect in (-0.05, -0.06)),
    ]
    assert [answer.effect for answer in past(_nights(*nights), {}, "lenet").pending] == [-0.05]
