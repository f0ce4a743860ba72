from __future__ import annotations

import pytest

from harness.vocabulary import instructions
from harness.vocabulary.instructions import (
    Act,
    Connect,
    Credit,
    Direction,
    Host,
    Instruction,
    Scratch,
    Share,
    Shutdown,
    Signal,
    Snapshot,
    Spawn,
    Survey,
    Undo,
)

LINK, FREE = Direction(1e9, 0.001, 0.0005, 1000), Direction(None, 0.0, 0.0, 1)


@pytest.mark.parametrize(
    "instruction",
    [
        Spawn("worker/0", ("python", "-c", "pass"), {"A": "1"}, "/tmp", "log"),
        Spawn("worker/0", ("python",), {}, "/tmp", "log", "worker-0"),
        Spawn("worker/0", (), {}, "/tmp", "log", share=Share(1, 3, 2), scratch=Scratch("/a", "/b", "/a/c")),
        Connect("", (Host("a", "10.77.0.1", LINK, LINK), Host("b", "10.77.0.2", LINK, FREE)), 9000, 7),
        Survey(""),
        Credit("worker/0", 50),
        Credit("worker/0", None),
        Signal("server/0", "STOP", 0),
        Act("worker/0", 4, "slow", {"factor": 3.0}),
        Undo("worker/0", 4),
        Snapshot("scheduler"),
        Shutdown("", 3.0),
    ],
)
def test_instructions_survive_the_way_to_the_agent(instruction: Instruction) -> None:
    line = instructions.encode(instruction)
    assert line.endswith(b"\n")
    assert instructions.decode(line) == instruction


def test_the_form_on_the_wire() -> None:
    assert instructions.encode(Credit("worker/1", 50)) == b'{"kind":"credit","subject":"worker/1","until":50}\n'
