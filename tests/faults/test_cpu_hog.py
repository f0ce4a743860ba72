from __future__ import annotations

import pytest

from harness.faults.cpu_hog import CpuHog, Hogged
from harness.vocabulary.instructions import Act, Undo
from harness.vocabulary.receipts import Evidence

FAULT = CpuHog.model_validate({"select": {"role": "server"}, "at": {"step": 5}, "processes": 2})


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.inject("server/0", 3) == (Act("server/0", 3, "cpu_hog", {"processes": 2}),)
    assert FAULT.heal("server/0", 3) == (Undo("server/0", 3),)


@pytest.mark.parametrize(("burnt", "left", "proven", "restored"), [(0.5, 0, True, True), (0.1, 1, False, False)])
def test_it_is_proven_by_the_kernels_account(burnt: float, left: int, proven: bool, restored: bool) -> None:
    evidence = Evidence([Hogged(1.0, "main", "server/0", 3, 2, 2.0, burnt, 0.25, left)])
    assert (FAULT.receipt(evidence)[0], FAULT.restored(evidence)[0]) == (proven, restored)


def test_the_evidence_is_told() -> None:
    evidence = Evidence([Hogged(1.0, "main", "server/0", 3, 2, 2.0, 0.5, 0.25, 0)])
    sentence = "2 processes burnt 0.50 s of processor time in 2.00 s; the role's threads waited 0.25 s for a processor"
    assert FAULT.receipt(evidence)[1] == sentence
    assert FAULT.receipt(Evidence(())) == (False, "no hog was reported")
