from __future__ import annotations

import pytest

from harness import instructions
from harness.instructions import Credit, Instruction, Shutdown, Signal, Snapshot, Spawn, Throttle, Unthrottle


@pytest.mark.parametrize(
    "instruction",
    [
        Spawn("worker/0", ("python", "-c", "pass"), {"A": "1"}, "/tmp", "log"),
        Credit("worker/0", 50),
        Credit("worker/0", None),
        Signal("server/0", "STOP"),
        Throttle("worker/0", 3.0),
        Unthrottle("worker/0"),
        Snapshot("scheduler"),
        Shutdown("", 3.0),
    ],
)
def test_instructions_survive_the_way_to_the_agent(instruction: Instruction) -> None:
    line = instructions.encode(instruction)
    assert line.endswith(b"\n")
    assert instructions.decode(line) == instruction


def test_the_form_on_the_wire() -> None:
    assert instructions.encode(Credit("worker/1", 50)) == b'{"kind":"credit","role":"worker/1","until":50}\n'
