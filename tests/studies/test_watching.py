"""What earlier nights say, as far as it can be read."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

from harness.storage import ledger
from harness.studies import watching
from harness.studies.nights import REMOVED, Measured, Night, Past
from harness.studies.tracked import Tracked
from harness.studies.watched import Watched
from harness.studies.watching import Ready


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
    gone = {"lenet": REMOVED}
    eye = SimpleNamespace(watched=[], broken={}, left_out={})
    nights = [Night("n1", [lenet]), Night("n2", [], failure="no network")]
    assert watching._gone(nights, eye) == watching._gone(nights[:1], eye) == gone  # type: ignore[arg-type]
    told = Night("n3", [replace(lenet, state="failed")])
    assert watching._gone([*nights, told], eye) == {}  # type: ignore[arg-type]


def test_what_changed_while_a_night_ran_has_no_numbers_of_it() -> None:
    """A script that was edited after the first round: its reference had numbers of two."""
    kept, edited = (Measured(key, Tracked({}), {"main": {"a": [1.0]}}, {"main": ["completed"]}, "good") for key in "ab")

    def seen(**files: str) -> Ready:
        watched = [Watched(key, key, "", {}, Tracked({}, files=text), Past(), {}) for key, text in files.items()]
        return Ready(watched, {}, {}, {}, {})

    night = Night("n1", [kept, edited])
    same = watching.changed_meanwhile(night, seen(a="1", b="1"), seen(a="1", b="1"))
    assert same.scenarios == [kept, edited]
    for after in (seen(a="1", b="2"), seen(a="1")):  # another script, or none that can be read
        found = watching.changed_meanwhile(night, seen(a="1", b="1"), after).scenarios
        assert found[0] == kept
        assert (found[1].state, found[1].numbers, found[1].outcomes) == ("failed", {}, {})
        assert "changed while the night ran" in found[1].note


def test_a_broken_scenario_is_broken_in_every_environment(tmp_path: Path) -> None:
    """Else those of the others were told as removed."""
    path = tmp_path / "lenet.yaml"
    path.write_text("title: [")
    eye = object.__new__(watching._Eye)
    eye.broken, eye.watched = {}, []
    eye.look(path, "asv", [watching.Environment(label, {}, {}) for label in ("1.8.0", "1.9.1")])
    assert sorted(eye.broken) == sorted(watching._key("lenet", label) for label in ("1.8.0", "1.9.1"))
