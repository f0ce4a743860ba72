"""What earlier nights say, as far as it can be read."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from harness.storage import ledger
from harness.studies import watching
from harness.studies.nights import Measured, Night
from harness.studies.tracked import Tracked


def test_what_is_damaged_stops_no_later_night(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    known = ledger.of(tmp_path)
    known.append({"night.json": json.dumps(Night("n1", []).as_json()).encode()}, "night")
    known.append({"accepted.json": b'{"a1": "on purpose"}'}, "accept a1")
    damaged = known.append({"night.json": b"{"}, "night")
    for text in (b"{", b"[]", b'{"a1": 3}'):
        known.append({"accepted.json": text}, "accept a2")
    nights, accepted = watching.read(known)
    assert [night.id for night in nights] == ["n1", damaged[:10]]
    assert nights[1].failure.startswith(f"night.json of commit {damaged[:10]} is no night: ")
    assert accepted == {"a1": "on purpose"}


def test_what_vanished_is_told_also_after_a_night_that_could_not_run() -> None:
    lenet = Measured("lenet", Tracked({}), {}, {}, "good")
    gone = {"lenet": "its file was removed"}
    eye = SimpleNamespace(watched=[], broken={}, left_out={})
    nights = [Night("n1", [lenet]), Night("n2", [], failure="no network")]
    assert watching._gone(nights, eye) == watching._gone(nights[:1], eye) == gone  # type: ignore[arg-type]
    told = Night("n3", [replace(lenet, state="failed")])
    assert watching._gone([*nights, told], eye) == {}  # type: ignore[arg-type]
