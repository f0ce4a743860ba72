"""What files of sweeps say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.base.errors import DamagedRunError
from harness.execution.sweep_lines import begun, ended, given_up, read

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
    assert ended(file) == {"other"}
    assert begun(file) == {
        "op": {"op(2) base": "infered_num_inputs (2 vs. 1)", "op(3) base": "ok", "op(4) base": "crashed"}
    }


def test_who_was_given_up_is_known_unless_a_later_pass_had_all_of_it(tmp_path: Path) -> None:
    lines = (
        [{"end": "op"}, {"end": "one", "unswept": "died"}, {"end": "two", "unswept": "died"}],
        [{"end": "one"}, {"end": "two", "unswept": "died"}, {"end": "op", "unswept": "died"}],
    )
    files = [tmp_path / name for name in ("from.jsonl", "from-again.jsonl")]
    for file, each in zip(files, lines, strict=True):
        file.write_text("".join(json.dumps(line) + "\n" for line in each))
    assert (given_up(files[0]), given_up(*files)) == ({"one", "two"}, {"two"})


def test_what_is_no_file_is_told() -> None:
    with pytest.raises(DamagedRunError, match="cannot be read: is a directory"):
        list(read(Path("/")))
