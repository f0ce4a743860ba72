"""The commands of the page about one's own training, as a reader types them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import harness
from tests.e2e.test_own_scripts import GLUON

pytestmark = pytest.mark.e2e
PAGE = (ROOT / "docs" / "own-training.md").read_text()
TRIES = [line.split()[1:] for line in PAGE.splitlines() if line.startswith("    harness try")]


@pytest.mark.parametrize("words", TRIES, ids=[" ".join(words[1:]) for words in TRIES])
def test_what_the_page_types(target: Path, tmp_path: Path, words: list[str]) -> None:
    """In a folder where ``./train.py`` is the script that stands for everybody's."""
    (tmp_path / "train.py").write_bytes(GLUON.read_bytes())
    given = {"scenarios/own/gluon_train.py": str(GLUON), "~/env/bin/python": str(target)}
    command = harness(*(given.get(word, word) for word in words), cwd=tmp_path)
    assert command.code == 0, command.err
    assert "seen" in command.out
    (scenario,) = tmp_path.glob("*.yaml")
    assert harness("validate", scenario).code == 0
