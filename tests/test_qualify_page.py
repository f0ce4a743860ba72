"""What docs/qualify.md says of two versions is what the kept answer of the command says."""

from __future__ import annotations

import json
import re

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "qualify.md").read_text()
KEPT = json.loads((ROOT / "results" / "qualify" / "1.8.0.post0-1.9.1.json").read_text())


def test_every_row_and_its_answer() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (go|no-go|not decided) \|", PAGE, re.M)
    assert rows == [(row["title"], row["word"]) for row in KEPT["rows"]]
    assert f"1.9.1: {KEPT['word']}" in PAGE


def test_the_numbers_are_those_that_are_kept() -> None:
    told = " ".join(line for row in KEPT["rows"] for line in row["told"])
    for number in re.findall(r"[+-]\d\.\d\d% \([^)]*pairs\)", PAGE.split("## 1.8.0")[1]):
        change, interval = number.split(" ", 1)
        assert f"{change} throughput {interval}" in told
    assert told.count("new is same: +0.00% final loss") == 4
    assert "38 cells" in told and "21537 cases of 646 operators" in told


def test_every_reason_is_named() -> None:
    section = PAGE.split("## 1.8.0")[1]
    (row,) = (row for row in KEPT["rows"] if row["word"] == "no-go")
    assert len(row["reasons"]) == 3
    for reason in row["reasons"]:
        assert f"`{reason['text'].split(':')[0]}`" in section


OLD = json.loads((ROOT / "results" / "qualify" / "1.5.1.post0-1.9.1.json").read_text())


def test_the_old_version_as_it_is_kept() -> None:
    section = PAGE.split("## 1.5.1.post0")[1]
    reasons = [reason for row in OLD["rows"] for reason in row["reasons"]]
    differ = [reason for reason in reasons if reason["word"] == "no-go"]
    assert f"{len(differ)} rows differ and {len(reasons) - len(differ)} could not be told" in section
    assert OLD["word"] == "no-go" and "12549 cases of 415 operators" in OLD["rows"][1]["told"][0]
    named = {reason["text"].split(":")[0] for reason in differ}
    rows = section.split("\n\n")[2]
    assert set(re.findall(r"`([^`]+)`", rows)) <= named


MIDDLE = json.loads((ROOT / "results" / "qualify" / "1.7.0.post2-1.8.0.post0.json").read_text())


def test_the_version_between_as_it_is_kept() -> None:
    section = PAGE.split("## 1.7.0.post2")[1].split("## 1.5.1")[0]
    reasons = [reason for row in MIDDLE["rows"] for reason in row["reasons"]]
    assert (MIDDLE["word"], {reason["word"] for reason in reasons}) == ("no-go", {"no-go"})
    assert f"{len(reasons)} rows differ" in section
    assert "21520 cases of 644 operators" in MIDDLE["rows"][1]["told"][0]
    rows = section.split("\n\n")[2]
    assert set(re.findall(r"^\| `([^`]+)`", rows, re.M)) == {reason["text"].split(":")[0] for reason in reasons}
