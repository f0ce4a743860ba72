"""What a sweep that goes on knows of the one before; real targets are swept in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import json
from pathlib import Path

from harness.execution.sweep import _begun, _ended, read

LINES = [
    {"case": "op(2) base", "op": "op", "status": "error", "message": "infered_num_inputs (2 vs. 1)"},
    {"case": "op(3) base", "op": "op", "status": "ok"},
    {"case": "op(4) base", "op": "op", "status": "crashed", "signal": 11},
    {"end": "other"},
]


def test_what_became_of_cases_is_known_in_the_programs_words(tmp_path: Path) -> None:
    """An error's message tells how many tensors are wanted: without it other calls would be tried."""
    file = tmp_path / "from.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES) + '{"case": "cut o')
    assert len(list(read(file))) == 4
    assert _ended(file) == {"other"}
    assert _begun(file) == {
        "op": {"op(2) base": "infered_num_inputs (2 vs. 1)", "op(3) base": "ok", "op(4) base": "crashed"}
    }
