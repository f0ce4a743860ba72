"""What docs/qualify.md says of two versions is what the kept answer of the command says."""

from __future__ import annotations

import json
import math
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
    section = PAGE.split("## 1.8.0")[1].split("## 1.7.0")[0]
    meaning, trains, speed, survival, fails = KEPT["rows"][1:]
    told = "; ".join([*speed["told"], *(each["text"] for each in speed["reasons"])])
    numbers = re.findall(r"([+-]\d\.\d\d%) (\([^)]*pairs\))", section)
    assert len(numbers) == 4
    for change, interval in numbers:
        assert f"{change} throughput {interval}" in told
    assert [each.endswith("+0.00% mean loss (+0.00% to +0.00%; 8 seeds)") for each in trains["told"]] == [True] * 4
    assert meaning["told"][0] == "14202 cases of 666 operators were compared" and "14,202 cases of 666" in section
    assert "38 cells" in survival["told"] and fails["reasons"] == []
    slower = {each["text"].split(":")[0] for each in speed["reasons"] if each["group"] == "operators that take longer"}
    assert f"calls of {len(slower)} operators take longer" in section
    sweep = json.loads((ROOT / "results" / "operators" / "1.8.0.post0-1.9.1.json").read_text())
    before = {each["op"] for each in sweep["differences"] if each["kind"] == "takes longer"}
    both = len(before & slower)
    assert (
        f"six operators that take longer, of which {both} are among the {len(slower)}" in section and len(before) == 6
    )


def test_every_reason_is_named() -> None:
    section = PAGE.split("## 1.8.0")[1].split("## 1.7.0")[0]
    reasons = KEPT["rows"][1]["reasons"]
    assert f"{len(reasons)} rows differ" in section
    for reason in reasons:
        assert f"`{reason['text'].split(':')[0]}`" in section
    assert "only as the processor has no AVX-512" in section
    assert ["amp on a CPU is not possible here" in each["text"] for each in KEPT["rows"][2]["reasons"]] == [True]


OLD = json.loads((ROOT / "results" / "qualify" / "1.5.1.post0-1.9.1.json").read_text())


def test_the_old_version_as_it_is_kept() -> None:
    section = PAGE.split("## 1.5.1.post0")[1]
    rows = re.findall(r"^\| ([^|]+) \| (go|no-go|not decided) \|", section, re.M)
    assert rows == [(row["title"], row["word"]) for row in OLD["rows"]]
    meaning, trains, speed, survival, fails = OLD["rows"][1:]
    words = Counter(reason["word"] for reason in meaning["reasons"])
    assert f"{words['no-go']} rows differ; {words['not decided']} could not be told" in section
    assert meaning["told"][0] == "7602 cases of 436 operators were compared" and "7,602 cases of 436" in section
    assert "resnet18: new is same: +0.14% mean loss (-1.83% to +2.15%; 8 seeds)" in trains["told"]
    assert len([each for each in trains["told"] if "new is same" in each and "mean loss" in each]) == 4
    slower = [reason for reason in speed["reasons"] if "takes longer" in reason["text"]]
    assert f"calls of {len(slower)} operators take longer" in section
    took = [int(each["text"].split(" µs")[0].split()[-1]) for each in slower]
    assert (min(took), max(took)) == (34, 2068)
    assert survival["told"] == ["38 cells"]
    assert [reason["text"].split(": ")[1] for reason in fails["reasons"]] == ["crashes", "hangs", "hangs", "hangs"]
    named = {reason["text"].split(":")[0] for row in OLD["rows"] for reason in row["reasons"]}
    named = {re.sub(r"(save_states)\..*", r"\1", name) for name in named}
    table = next(part for part in section.split("\n\n") if part.startswith("| operator |"))
    assert set(re.findall(r"`([^`]+)`", table)) <= named
    empty = [each["text"] for each in meaning["reasons"] if "refuses" in each["text"] and "delay_alloc" in each["text"]]
    assert len(empty) == 8 and "Eight operators" in section


def test_max_pooling_of_the_old_version_as_it_is_kept() -> None:
    reasons = {
        each["text"].split(":")[0]: each["text"] for each in OLD["rows"][1]["reasons"] if "each time" in each["text"]
    }
    assert {*reasons} == {
        "Pooling",
        *(f"gluon.nn.{kind}Pool{number}D" for kind in ("Max", "GlobalMax") for number in (1, 2, 3)),
    }
    assert all("others each time, in 6 passes and 8 calls by itself" in each for each in reasons.values())
    assert "of 14 calls none came to" in PAGE


def test_how_fast_it_was_on_another_processor() -> None:
    kept = json.loads((ROOT / "results" / "qualify" / "1.5.1.post0-1.9.1-before.json").read_text())
    told = [re.match(r"([^:]+): new is faster: \+([\d.]+)% throughput", each) for each in kept["rows"][3]["told"]]
    faster = {each[1]: round(float(each[2])) for each in told if each}
    assert faster == {"dist-sync": 36, "lenet": 69, "lstm": 105, "resnet18": 484}


def test_the_old_versions_speed_and_memory_as_they_are_kept() -> None:
    speed = OLD["rows"][3]
    faster = {each.split(":")[0]: each for each in speed["told"] if "new is faster" in each and "throughput" in each}
    numbers = {name: float(text.split("+")[1].split("%")[0]) for name, text in faster.items()}
    assert {name: round(value) for name, value in numbers.items()} == {
        "dist-sync": 9, "lenet": 17, "lstm": 68, "resnet18": 246
    }  # fmt: skip
    more = {"held memory": list[float](), "peak memory": list[float](), "start up": list[float]()}
    for reason in speed["reasons"]:
        if found := re.search(r"\+([\d.]+)% (held memory|peak memory|start up)", reason["text"]):
            more[found[2]].append(float(found[1]))
    ends = {kind: (len(each), round(min(each)), round(max(each))) for kind, each in more.items()}
    assert ends == {"held memory": (4, 21, 47), "peak memory": (4, 33, 50), "start up": (1, 21, 21)}
    (other,) = (reason["text"] for reason in speed["reasons"] if "computes something else" in reason["text"])
    assert other.startswith("resnet18: new: it computes something else: first the loss of step 0")
    assert "differ by up to 0.05" in other


AGAIN = json.loads((ROOT / "results" / "qualify" / "1.7.0.post2-1.8.0.post0-trains-and-speed.json").read_text())
MIDDLE = json.loads((ROOT / "results" / "qualify" / "1.7.0.post2-1.8.0.post0.json").read_text())


def test_the_version_between_as_it_is_kept() -> None:
    section = PAGE.split("## 1.7.0.post2")[1].split("## 1.5.1")[0]
    rows = re.findall(r"^\| ([^|]+) \| (go|no-go|not decided) \|", section, re.M)
    assert rows == [(row["title"], row["word"]) for row in MIDDLE["rows"]]
    meaning, trains, speed, survival, fails = MIDDLE["rows"][1:]
    assert f"{len(meaning['reasons'])} rows differ" in section
    assert meaning["told"][0] == "14186 cases of 664 operators were compared" and "14,186 cases of 664" in section
    assert "38 cells" in survival["told"] and fails["reasons"] == []
    table = section.split("\n\n")[4]
    assert set(re.findall(r"^\| `([^`]+)`", table, re.M)) == {each["text"].split(":")[0] for each in meaning["reasons"]}
    (amp,) = (each["text"] for each in trains["reasons"])
    assert "amp on a CPU is not possible here" in amp
    assert "resnet18: new is same: +0.28% mean loss (-1.42% to +2.01%; 8 seeds)" in trains["told"]
    slower = [each["text"] for each in speed["reasons"] if each["group"] == "operators that take longer"]
    assert f"calls of {len(slower)} operators take longer" in section
    took = [int(each.split(" µs")[0].split()[-1]) for each in slower]
    assert (min(took), max(took)) == (29, 2099)
    assert {each.split(":")[0]: each.split("longer: ")[1][:4] for each in slower}.items() >= {
        "MAERegressionOutput": "2.17", "broadcast_mul": "1.86",
    }.items()  # fmt: skip


def test_the_version_between_is_as_fast_as_the_page_says() -> None:
    section = PAGE.split("## 1.7.0.post2")[1].split("## 1.5.1")[0]
    speed = MIDDLE["rows"][3]
    known = "; ".join([*speed["told"], *(each["text"] for each in speed["reasons"])])
    told = re.findall(r"([+-]\d\.\d\d%) (\([^)]*pairs\))", section)
    assert len(told) == 4
    for change, interval in told:
        assert re.search(rf"{re.escape(change)} throughput( over all of the time)? {re.escape(interval)}", known)
    more = [each["text"] for each in speed["reasons"] if "peak memory" in each["text"]]
    assert [round(float(each.split("+")[1].split("%")[0])) for each in more] == [4, 4]


def test_the_version_between_trains_the_same_and_is_faster() -> None:
    _, trains, speed = AGAIN["rows"]
    means = [each.split(" mean loss")[0].rsplit(" ", 1)[1] for each in trains["told"] if "mean loss" in each]
    assert sorted(means) == ["+0.00%", "+0.00%", "+0.22%", "-0.00%", "-0.14%"]
    assert "resnet18: new is same: +0.22% mean loss (-0.40% to +0.85%; 8 seeds)" in trains["told"]
    found = [re.match(r"([^:]+): new is (faster|same): \+([\d.]+)% throughput", each) for each in speed["told"]]
    assert {each[1]: (each[2], round(float(each[3]))) for each in found if each} == {
        "dist-sync": ("faster", 27), "lenet-bfloat16": ("faster", 66), "lenet": ("faster", 51),
        "lstm": ("same", 1), "resnet18": ("faster", 6),
    }  # fmt: skip
    more = [re.search(r"\+(\d)\.\d+% peak memory", each["text"]) for each in speed["reasons"]]
    assert [round(float(each["text"].split("+")[1].split("%")[0])) for each in speed["reasons"]] == [4, 4] and all(more)
    assert any("alike as far as rounding lets anybody tell" in each for each in speed["told"])


def test_versions_beside_themselves_as_they_are_kept() -> None:
    section = PAGE.split("## A version beside itself")[1].split("\n## ")[0]
    rows = re.findall(
        r"^\| ([\d.post]+) \| go \| ([\d,]+) of (\d+) \| (\d+) \| (\d+) to (\d+) \| (\d+) \|", section, re.M
    )
    assert [row[0] for row in rows] == ["1.9.1", "1.8.0.post0", "1.7.0.post2"]
    for version, *told in rows:
        kept = json.loads((ROOT / "results" / "qualify" / f"{version}-itself.json").read_text())
        assert (kept["word"], [row["reasons"] for row in kept["rows"]]) == ("go", [[]] * 6)
        _, meaning, trains, speed, survival, _ = (row["told"] for row in kept["rows"])
        cases, operators = re.findall(r"\d+", meaning[0])
        pairs = [int(n) for each in speed for n in re.findall(r"new is same: \S+ throughput \(.*; (\d+) pairs\)", each)]
        (timed,) = (each.split()[2] for each in speed if each.startswith("calls of"))
        known = [f"{int(cases):,}", operators, timed, str(min(pairs)), str(max(pairs)), survival[-1].split()[0]]
        assert (told, len(pairs)) == (known, 5)
        assert [each.split("(")[1] for each in trains] == ["+0.00% to +0.00%; 8 seeds)"] * 5


def test_operators_of_the_version_between_asked_again() -> None:
    kept = json.loads((ROOT / "results" / "qualify" / "1.7.0.post2-1.8.0.post0-operators.json").read_text())
    meaning = {(each["op"], each["kind"]) for each in kept["differences"] if each["kind"] != "takes longer"}
    today = {tuple(each["text"].split(": ")[:2]) for each in MIDDLE["rows"][1]["reasons"]}
    assert today - meaning == {("LeakyReLU", "other gradients")} and meaning < today
    slower = {each["op"] for each in kept["differences"] if each["kind"] == "takes longer"}
    again = {each["text"].split(":")[0] for each in MIDDLE["rows"][3]["reasons"] if "takes longer" in each["text"]}
    assert (len(slower), kept["fickle"], kept["unmatched"]) == (48, [], [])
    told = f"names 48, of which {len(slower & again)} are among these"
    assert told in " ".join(PAGE.split()) and "five of the six rows of meaning" in " ".join(PAGE.split())


def test_each_operator_of_the_page_has_a_program() -> None:
    """Of less than 30 lines."""
    for kept, pair in ((OLD, "1.5.1.post0-1.9.1"), (KEPT, "1.8.0.post0-1.9.1"), (MIDDLE, "1.7.0.post2-1.8.0.post0")):
        folder = ROOT / "results" / "qualify" / pair
        programs = {path.stem: len(path.read_text().splitlines()) for path in folder.glob("*.py")}
        sure = [reason["text"] for reason in kept["rows"][1]["reasons"] if reason["word"] == "no-go"]
        named = {text.split(":")[0].strip("_").replace(".", "-") for text in sure}
        lacking = {name for name in named if not any(each.startswith(f"{name}-") for each in programs)}
        assert (lacking, max(programs.values()) < 30) == (set(), True)


def test_peaks_without_libraries_are_those_that_are_kept() -> None:
    lines = (ROOT / "results" / "qualify" / "peak-memory.jsonl").read_text().splitlines()
    peaks = [each for each in map(json.loads, lines) if each["measure"] == "peak_memory"]
    words = Counter((each["old"], each["new"], each["answer"]) for each in peaks)
    assert words == {
        ("1.7.0.post2", "1.8.0.post0", "same"): 4,
        ("1.8.0.post0", "1.9.1", "same"): 3,
        ("1.5.1.post0", "1.9.1", "more"): 4,
    }
    more = [math.expm1(each["estimate"]) for each in peaks if each["answer"] == "more"]
    assert (round(100 * min(more)), round(100 * max(more))) == (27, 31)
    assert {each["pairs"] for each in peaks} == {4, 5, 6}
    assert "27 to 31 % more in four of four" in " ".join(PAGE.split())
