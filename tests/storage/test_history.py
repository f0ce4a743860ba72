from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import DamagedRunError
from harness.storage import history
from harness.vocabulary import events
from harness.vocabulary.events import Done, Waiting

PAST = [Waiting(1.0, "main", "worker/0", 0), Done(2.0, "main", "worker/0", 100)]
DATA = b"".join(events.encode(event) for event in PAST)


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    writer = history.HistoryWriter(tmp_path / "history.jsonl")
    for event in PAST:
        writer.append(events.encode(event))
    writer.close()
    assert list(history.read(tmp_path / "history.jsonl")) == PAST


@settings(deadline=None)
@given(st.integers(0, len(DATA)))
def test_every_prefix_is_readable(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    path = tmp_path_factory.mktemp("history") / "history.jsonl"
    path.write_bytes(DATA[:length])
    whole = DATA[:length].count(b"\n")
    assert list(history.read(path)) == PAST[:whole]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_bytes(DATA.replace(b'"step":0', b'"stop":0'))
    with pytest.raises(DamagedRunError, match=r"history\.jsonl:1: not an event"):
        list(history.read(path))
    with pytest.raises(DamagedRunError, match="cannot be read"):
        list(history.read(tmp_path / "nothing"))
