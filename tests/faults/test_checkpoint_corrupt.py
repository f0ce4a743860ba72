from __future__ import annotations

from harness.faults.checkpoint_corrupt import CheckpointCorrupt, Damaged
from harness.vocabulary.instructions import Act
from harness.vocabulary.receipts import Evidence

FAULT = CheckpointCorrupt.model_validate(
    {"select": {"role": "worker", "rank": 0}, "at": {"step": 60}, "how": "truncate"}
)


def test_what_it_asks_the_agent_to_do() -> None:
    assert FAULT.inject("worker/0", 2) == (Act("worker/0", 2, "checkpoint_corrupt", {"how": "truncate"}),)
    assert FAULT.life.instantaneous


def test_it_is_proven_by_the_files_hash() -> None:
    damaged = Damaged(1.0, "main", "worker/0", 2, "50.checkpoint", "a" * 64, "b" * 64, 100, 50)
    sentence = "50.checkpoint: 100 bytes, SHA-256 aaaaaaaa, became 50 bytes, bbbbbbbb"
    assert FAULT.receipt(Evidence([damaged])) == (True, sentence)
    none = Damaged(1.0, "main", "worker/0", 2, "", "", "", 0, 0)
    assert FAULT.receipt(Evidence([none])) == (False, "there was no checkpoint")
