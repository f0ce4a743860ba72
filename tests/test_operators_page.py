"""What docs/operators.md says of two versions is what the kept answer of the command says."""

from __future__ import annotations

import json

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "operators.md").read_text()
KEPT = json.loads((ROOT / "results" / "operators" / "1.8.0.post0-1.9.1.json").read_text())


def test_the_numbers_are_those_that_are_kept() -> None:
    said = f"of {KEPT['compared']:,} cases of {KEPT['operators']} operators and classes"
    assert said in PAGE.replace("\n", " ")
    assert f"both, {len(KEPT['differences'])} differ" in PAGE
    assert f"Of {len(KEPT['untaken'])} no call" in PAGE
    assert f"{len(KEPT['unstable'])} have cases that do not repeat themselves" in PAGE
    assert (len(KEPT["new"]), KEPT["gone"]) == (4, [])


def test_every_difference_has_its_row() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(rows) == len(KEPT["differences"])
    for row, each in zip(rows, KEPT["differences"], strict=True):
        assert row.startswith(f"| `{each['op']}` | {each['kind']} |")
        assert each["how"] in row or "!is_view" in each["how"]
