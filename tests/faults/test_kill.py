from __future__ import annotations

import pytest

from harness.faults import Heals
from harness.faults.kill import Kill
from harness.vocabulary.events import Exited, Signalled
from harness.vocabulary.instructions import Signal
from harness.vocabulary.receipts import Evidence
from harness.vocabulary.schedule import Select

FAULT = Kill.model_validate({"select": {"role": "server", "rank": 0}, "at": {"time": "2s"}})


def _evidence(after: str, signal: int | None) -> Evidence:
    events = [
        Signalled(1.0, "main", "server/0", 0, "KILL", "S", after, 0.0),
        Exited(1.1, "main", "server/0", None, signal),
    ]
    return Evidence(events, (), ())


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.select == Select(role="server", rank=0)
    assert FAULT.inject("server/0", 0) == (Signal("server/0", "KILL", 0),)
    assert not isinstance(FAULT, Heals)
    assert FAULT.life.terminates


@pytest.mark.parametrize(
    ("after", "signal", "proven"), [("Z", 9, True), ("", 9, True), ("S", 9, False), ("Z", 15, False)]
)
def test_it_is_proven_by_the_exit_status_and_proc(after: str, signal: int, proven: bool) -> None:
    assert FAULT.receipt(_evidence(after, signal))[0] is proven


def test_the_evidence_is_told() -> None:
    assert FAULT.receipt(_evidence("Z", 9)) == (True, "ended by signal 9; /proc shows it state Z")
    assert FAULT.receipt(Evidence((), (), ())) == (False, "no KILL was sent")
