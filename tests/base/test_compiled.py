"""Libraries that are compiled where they are needed."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from harness.base import compiled


def test_options_and_content_make_another_library(tmp_path: Path) -> None:
    source = tmp_path / "answer.c"
    source.write_text("#ifndef ANSWER\n#define ANSWER 41\n#endif\nint answer(void) { return ANSWER; }\n")
    plain, other = compiled.library(source, tmp_path), compiled.library(source, tmp_path, ("-DANSWER=42",))
    assert [ctypes.CDLL(str(path)).answer() for path in (plain, other)] == [41, 42]
    source.write_text("int answer(void) { return 43; }\n")
    assert compiled.library(source, tmp_path) not in (plain, other)


def test_what_the_compiler_says_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    source = tmp_path / "broken.c"
    source.write_text("int answer(void) { return nothing; }\n")
    with pytest.raises(RuntimeError, match="failed"):
        compiled.library(source, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []
