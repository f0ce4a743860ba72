"""What docs/qualify.md says of two versions is what the kept answer of the command says."""

from __future__ import annotations

import json
import re
from collections import Counter

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "qualify.md").read_text()
KEPT = json.loads((ROOT / "results" / "qualify" / "1.8.0.post0-1.9.1.json").read_text())


def test_every_row_and_its_answer() -> None:
    section = PAGE.split("## 1.8.0")[1].split("## 1.7.0")[0]
    rows = re.findall(r"^\| ([^|]+) \| (go|no-go|not decided) \|", section, re.M)
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
    rows = re.findall(r"^\| ([^|]+) \| (go|no-go|not decided) \|", section, re.M)
    assert rows == [(row["title"], row["word"]) for row in OLD["rows"]]
    meaning, speed, fails = (OLD["rows"][place] for place in (1, 3, 5))
    words = Counter(reason["word"] for reason in meaning["reasons"])
    assert f"{words['no-go']} rows differ; {words['not decided']} could not be told" in section
    assert meaning["told"][0] == "7211 cases of 436 operators were compared" and "7,211 cases of 436" in section
    slower = [reason for reason in speed["reasons"] if "takes longer" in reason["text"]]
    assert f"calls of {len(slower)} operators take longer" in section
    assert Counter(reason["word"] for reason in fails["reasons"]) == {"no-go": 5, "not decided": 1}
    named = {reason["text"].split(":")[0] for row in OLD["rows"] for reason in row["reasons"]}
    named = {re.sub(r"(save_states)\..*", r"\1", name) for name in named}
    table = section.split("\n\n")[4]
    assert set(re.findall(r"`([^`]+)`", table)) <= named


def test_the_old_versions_speed_and_memory_as_they_are_kept() -> None:
    speed = OLD["rows"][3]
    faster = {each.split(":")[0]: each for each in speed["told"] if "new is faster" in each}
    numbers = {name: float(text.split("+")[1].split("%")[0]) for name, text in faster.items()}
    assert {name: round(value) for name, value in numbers.items()} == {
        "dist-sync": 36, "lenet": 69, "lstm": 105, "resnet18": 484
    }  # fmt: skip
    more = {"held memory": list[float](), "peak memory": list[float](), "start up": list[float]()}
    for reason in speed["reasons"]:
        if found := re.search(r"\+([\d.]+)% (held memory|peak memory|start up)", reason["text"]):
            more[found[2]].append(float(found[1]))
    ends = {kind: (len(each), round(min(each)), round(max(each))) for kind, each in more.items()}
    assert ends == {"held memory": (4, 28, 75), "peak memory": (4, 38, 54), "start up": (3, 18, 58)}
    (other,) = (reason["text"] for reason in speed["reasons"] if "computes something else" in reason["text"])
    assert (
        other.startswith("resnet18: new: it computes something else: first the loss of step 0") and "batchnorm" in other
    )


MIDDLE = json.loads((ROOT / "results" / "qualify" / "1.7.0.post2-1.8.0.post0.json").read_text())


def test_the_version_between_as_it_is_kept() -> None:
    section = PAGE.split("## 1.7.0.post2")[1].split("## 1.5.1")[0]
    reasons = [reason for row in MIDDLE["rows"] for reason in row["reasons"]]
    assert (MIDDLE["word"], {reason["word"] for reason in reasons}) == ("no-go", {"no-go"})
    assert f"{len(reasons)} rows differ" in section
    assert "21520 cases of 644 operators" in MIDDLE["rows"][1]["told"][0]
    rows = section.split("\n\n")[2]
    assert set(re.findall(r"^\| `([^`]+)`", rows, re.M)) == {reason["text"].split(":")[0] for reason in reasons}
