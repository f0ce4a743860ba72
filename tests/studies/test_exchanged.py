"""What differs between files that either of two targets wrote and both read."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from harness.studies.exchanged import difference, line, with_files
from harness.studies.parity import NO_WAY_BACK, Parity

NOTHING = Parity((), (), (), 5, 2, (), (), ())


def _read(value: float) -> dict[str, Any]:
    written = {
        "dtype": "float32",
        "shape": [1],
        "data": base64.b64encode(np.float32([value]).tobytes()).decode(),
    }
    return {"status": "ok", "outputs": [written], "gradients": [], "changed": {}, "program": f"of {value}"}


REFUSED: dict[str, Any] = {"status": "error", "message": "ValueError: no such key", "program": "refused"}
CRASHED: dict[str, Any] = {"status": "crashed", "signal": 11}


def test_what_both_make_alike_is_no_difference() -> None:
    assert difference(line("files.x", 0, _read(1), _read(1))) is None
    assert difference(line("files.x", 1, REFUSED, REFUSED)) is None


def test_files_of_the_old_one_are_judged_by_what_the_new_one_makes_of_them() -> None:
    other = difference(line("files.x", 0, _read(1), _read(2)))
    assert other is not None
    assert (other.op, other.kind) == ("files.x", "other values")
    assert other.how == "files of the old one: output 0: 1 is 2, at 0"
    assert (other.case["case"], other.case["program"]) == ("files.x(files of the old one)", "of 1")
    refused = difference(line("files.x", 0, _read(1), REFUSED))
    assert refused is not None and refused.kind == "refuses"


def test_files_of_the_new_one_are_for_the_way_back() -> None:
    found = difference(line("files.x", 1, CRASHED, _read(2)))
    assert found is not None
    assert (found.kind, found.how) == (NO_WAY_BACK, "crashes: the process ends by signal 11")
    assert found.case["program"] == "of 2"
    assert difference(line("files.x", 1, _read(1), REFUSED)) is None  # the new one does not read its own: another row


def test_they_go_among_all_others_and_count() -> None:
    lines = [
        line("files.x", 1, REFUSED, _read(1)),
        line("files.x", 0, _read(1), _read(2)),
        line("files.y", 0, REFUSED, _read(1)),
        line("files.z", 0, REFUSED, REFUSED),
    ]
    found = with_files(NOTHING, lines)
    assert [each.kind for each in found.differences] == ["other values", NO_WAY_BACK]
    assert [(each.op, each.kind) for each in found.better] == [("files.y", "takes more")]
    assert found.compared == 5 + 3
