from __future__ import annotations

import pytest

from harness.faults.cpu_hog import Hogged
from harness.vocabulary import events
from harness.vocabulary.events import Ended, Exited, Injected, Loss


def test_an_event_is_one_line_of_json() -> None:
    event = Exited(1.5, "main", "worker/1", None, 9)
    line = b'{"t":1.5,"arm":"main","subject":"worker/1","kind":"exited","status":null,"signal":9}\n'
    assert events.encode(event) == line
    assert events.decode(line) == event


def test_every_kind_has_its_own_word() -> None:
    assert events.KINDS["spawn_failed"] is events.SpawnFailed
    assert events.KINDS["injected"] is Injected
    assert events.KINDS["hogged"] is Hogged
    assert len(events.KINDS) == len(events.Event.__subclasses__())


def test_two_events_of_one_kind_name_both_places() -> None:
    with pytest.raises(TypeError, match=r"'done' is defined by both harness\.vocabulary\.events and tests\."):
        type("Done", (events.Event,), {"__module__": __name__})


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'{"t":1}',
        b'{"t":1,"arm":"a","subject":"r","kind":"nonsense"}',
        b'{"t":1,"arm":"a","subject":"r","kind":"done"}',
        b'{"t":1,"arm":"a","subject":"r","kind":"done","step":1,"more":2}',
    ],
)
def test_what_is_no_event_is_an_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        events.decode(line)


def test_a_line_from_before_a_field_was_there_is_read() -> None:
    line = b'{"t":1,"arm":"a","subject":"","kind":"ended","outcome":"completed","reason":"","log":"","stage":""}'
    assert events.decode(line) == Ended(1, "a", "", "completed", "", steps=None)


def test_not_a_number_never_gets_into_a_history() -> None:
    with pytest.raises(ValueError):
        events.encode(Loss(0.0, "main", "worker/0", 0, [float("nan")]))
