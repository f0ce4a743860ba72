from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import ValidationError

from harness.faults.pause import Pause
from harness.vocabulary.events import Signalled
from harness.vocabulary.instructions import Signal
from harness.vocabulary.receipts import Evidence

WRITTEN = {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "for": {"time": "3s"}}
FAULT = Pause.model_validate(WRITTEN)


def _evidence(stopped: str, before: str, after: str, ran: float = 0.5) -> Evidence:
    return Evidence(
        [
            Signalled(1.0, "main", "worker/1", 0, "STOP", "S", stopped, 0.5),
            Signalled(4.0, "main", "worker/1", 0, "CONT", before, after, ran),
        ],
        (),
        (),
    )


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.inject("worker/1", 0) == (Signal("worker/1", "STOP", 0),)
    assert FAULT.heal("worker/1", 0) == (Signal("worker/1", "CONT", 0),)
    assert (FAULT.life.seconds, FAULT.life.suspends) == (3.0, True)


@pytest.mark.parametrize(
    ("states", "proven"), [("TTS", True), ("TTR", True), ("STS", False), ("TSS", False), ("TTT", False)]
)
def test_it_is_proven_by_the_state_at_both_ends(states: str, proven: bool) -> None:
    assert FAULT.receipt(_evidence(*states))[0] is proven


def test_it_must_not_run_in_between() -> None:
    assert not FAULT.receipt(_evidence(*"TTS", ran=0.6))[0]
    assert FAULT.restored(_evidence(*"TTS")) == (True, "/proc state S")
    assert FAULT.restored(_evidence(*"TTT"))[0] is False


def test_a_pause_that_ended_early_has_another_dose() -> None:
    early = Evidence(
        [*_evidence(*"TTS").events[:1], Signalled(3.0, "main", "worker/1", 0, "CONT", "T", "S", 0.5)], (), ()
    )
    assert FAULT.receipt(early)[0]
    assert FAULT.dose(early) == (False, "2.000 s apart, 3 s were asked")


def test_of_a_process_that_left_meanwhile_nobody_can_tell_how_long_it_stood() -> None:
    left = _evidence("T", "", "")
    assert FAULT.receipt(left) == (True, "/proc state T after STOP, gone before CONT, gone after it")
    assert FAULT.dose(left)[0] is None
    assert FAULT.receipt(_evidence("S", "", ""))[0] is False


def test_another_pause_proves_nothing() -> None:
    failed = _evidence(*"SSS").events
    assert not FAULT.receipt(Evidence([*failed, *_evidence(*"TTS").events], (), ()))[0]


def test_the_evidence_is_told() -> None:
    sentence = "/proc state T after STOP, T before CONT, S after it; 0.0 ms run in between"
    assert FAULT.receipt(_evidence(*"TTS")) == (True, sentence)
    assert FAULT.dose(_evidence(*"TTS")) == (True, "3.000 s apart, 3 s were asked")
    assert FAULT.receipt(Evidence((), (), ())) == (False, "no STOP was sent")
    begun = Evidence(_evidence(*"TTS").events[:1])
    assert FAULT.receipt(begun) == (True, "/proc state T after STOP")
    assert FAULT.dose(begun) == (False, "no CONT was sent")


def test_a_paused_process_takes_no_steps_so_that_it_lasts_a_time() -> None:
    with pytest.raises(ValidationError):
        Pause.model_validate({**WRITTEN, "for": {"steps": 10}})


def test_its_dose_is_its_time_within_a_tenth_or_what_a_prompt_agent_takes() -> None:
    lasted = {seconds: FAULT.dose(_apart(seconds))[0] for seconds in (2.69, 2.71, 3.29, 3.31)}
    assert lasted == {2.69: False, 2.71: True, 3.29: True, 3.31: False}
    assert FAULT.dose(_evidence("T", "", "")) == (None, "it left meanwhile")


@pytest.mark.parametrize(
    ("seconds", "fits"), [(0.0, False), (0.017, False), (0.018, True), (0.069, None), (0.08, False)]
)
def test_a_busy_machine_makes_a_short_pause_longer_never_shorter(seconds: float, fits: bool | None) -> None:
    short = Pause.model_validate({**WRITTEN, "for": {"time": "20ms"}})
    assert short.dose(_apart(seconds))[0] is fits


def _apart(seconds: float) -> Evidence:
    stop, cont = _evidence(*"TTS").events
    return Evidence([stop, replace(cont, t=1.0 + seconds)])


def test_a_process_that_was_gone_by_then_did_not_stand() -> None:
    assert FAULT.receipt(_evidence("", "", ""))[1].startswith("/proc state gone after STOP")


def test_what_it_ran_is_told_in_milliseconds() -> None:
    assert FAULT.receipt(_evidence(*"TTS", ran=0.7))[1].endswith("; 200.0 ms run in between")
