"""What was collected of comparisons, as pages tell it; collecting takes hours and is for who asks for it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random
from statistics import stdev

import pytest
import yaml

from benchmarks.comparing import cases, command, configuration, rivals, table
from benchmarks.comparing.cases import Collected, Whole
from benchmarks.comparing.configuration import QUESTIONS, SCENARIOS, Told
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(cases, "KEPT", tmp_path)
    monkeypatch.setattr(configuration, "FILE", tmp_path / "configuration.jsonl")
    return tmp_path


def _collected(seed: int, duets: int = 60, runs: int = 50) -> Collected:
    random = Random(seed)

    def pairs(effect: float, count: int) -> list[tuple[float, float]]:
        return [(random.gauss(effect, 0.005), random.gauss(effect, 0.007)) for _ in range(count)]

    steps = [[0.01 * random.lognormvariate(level, 0.02) for _ in range(200)] for level in [0.0] * runs]
    return Collected("lenet", {}, 20.0, pairs(0.0, duets), pairs(-0.01, duets // 3), -0.00995, 5.0, steps)


def test_studies_of_a_case_are_told_together() -> None:
    cases.keep("first", _collected(1))
    cases.keep("second", _collected(2, duets=30))
    (found,) = cases.collected()
    assert (len(found.same), len(found.planted)) == (90, 30)
    assert len(found.runs) == 50, "those of two studies did not follow one another"
    cases.keep("second", _collected(2, duets=33))
    assert len(cases.collected()[0].same) == 93


def test_the_table_has_every_tool_and_what_it_rests_on() -> None:
    cases.keep("first", _collected(1))
    cases.keep_whole(Whole("lenet", 0.0, "same", 0.0, -0.01, 0.01, 8, 150.0))
    cases.keep_whole(Whole("lenet", 0.02, "slower", -0.02, -0.03, -0.01, 8, 150.0))
    lines = table.text().splitlines()
    assert lines[0] == "### lenet"
    told = ("60 pairs of 20 s, scatter ", "; 20 planted ones", "50 single runs")
    assert all(words in lines[2] for words in told)
    ours = next(line for line in lines if "harness compare" in line)
    two, one, half, alarms = (float(cell.strip(" %")) for cell in ours.split("|")[2:6])
    assert two > 99 and one > 95 and half > 90 and alarms < 1.5
    assert sum("asv continuous" in line for line in lines) == sum("pyperf compare_to" in line for line in lines) == 2
    assert lines[-2:] == [
        "- lenet, 0.0% planted: 1 comparisons from the command line: 1 same",
        "- lenet, 2.0% planted: 1 comparisons from the command line: 1 slower",
    ]


def test_pairs_of_whole_comparisons_take_the_place_of_others() -> None:
    cases.keep("first", _collected(1))
    alike = Whole("lenet", 0.0, "same", 0.0, -0.01, 0.01, 2, 30.0, [(0.01, 0.02), (-0.01, -0.02)])
    cases.keep_whole(alike)
    assert len(cases.collected()[0].same) == 60, "of planted ones there are none yet"
    cases.keep_whole(Whole("lenet", 0.02, "slower", -0.02, -0.03, -0.01, 1, 12.0, [(-0.02, -0.02)]))
    (found,) = cases.collected()
    assert (found.pair_seconds, found.same, found.planted) == (14.0, [(0.01, 0.02), (-0.01, -0.02)], [(-0.02, -0.02)])
    assert found.planted_asked == pytest.approx(-0.0198, abs=1e-4)
    assert len(found.runs) == 50


def test_the_page_tells_of_comparisons_whose_pairs_shared_their_luck() -> None:
    lines = (ROOT / "results" / "comparing" / "shared-luck.jsonl").read_text().splitlines()
    found = [Whole(**json.loads(line)) for line in lines]
    slower = [each.estimate for each in found if each.answer == "slower" and each.estimate is not None]
    assert [round(100 * estimate, 2) for estimate in sorted(slower, reverse=True)] == [-0.84, -0.87, -1.07]
    assert [each.planted for each in found] == [0.0] * 8
    assert all(each.estimate is not None and each.estimate < 0 for each in found)
    page = " ".join((ROOT / "docs" / "comparing.md").read_text().split())
    assert (
        "Of eight comparisons of lenet and its twin with two workers, three answered `slower` (-0.84 to -1.07 %)"
        in page
    )


def test_the_page_tells_what_addresses_make_of_twins() -> None:
    lines = (ROOT / "results" / "comparing" / "addresses.jsonl").read_text().splitlines()
    rows: dict[str, list[str]] = {}
    for each in map(json.loads, lines):
        row = f"| {each['case']} | {each['addresses']} | {each['turns']} |"
        rows.setdefault(row, []).append(f"{100 * stdev(each['effects']):.1f} % ({len(each['effects'])})")
    page = (ROOT / "docs" / "comparing.md").read_text()
    assert [row for row, told in rows.items() if f"{row} {', '.join(told)} |" not in page] == []
    assert len(rows) == 14


def test_pairs_of_one_comparison_are_beside_those_of_others() -> None:
    def found(*means: float) -> str:
        random = Random(3)
        return table._independent([[random.gauss(mean, 0.01) for _ in range(12)] for mean in means])

    assert "; pairs of one are as unlike as those of different ones (F = " in found(0.0, 0.0, 0.0, 0.0)
    assert "; pairs of one are more alike than those of different ones (F = " in found(0.0, 0.02, -0.02, 0.01)
    assert found(0.0) == ""


def test_what_an_interrupted_command_said_counts_only_where_parts_do(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.CompletedProcess([], 130, stdout="{}")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: ended)
    assert command.harness("calibrate") == "{}"
    with pytest.raises(KeyboardInterrupt):
        command.harness("compare", whole=True)


def test_rivals_see_what_is_large() -> None:
    runs = _collected(1).runs
    assert set(rivals.asv(runs, 10, 50, 0.2)) == {"slower"}
    assert set(rivals.pyperf(runs, 10, 0.2)) == {"slower"}
    assert list(rivals.asv(runs, 26, 50, 0.0)) == []  # more processes than there are


def test_every_question_of_configuration_is_one_that_its_scenario_asks() -> None:
    assert {asked.scenario for asked in QUESTIONS} == {path.stem for path in SCENARIOS.glob("*.yaml")}
    for asked in QUESTIONS:
        variants = yaml.safe_load((SCENARIOS / f"{asked.scenario}.yaml").read_text())["variants"]
        assert set(asked.sides) <= set(variants)


def test_answers_become_rows(kept: Path) -> None:
    told = Told("engine", "threaded", "naive", "throughput", "identical", "slower", -0.12, -0.2, None, 5)
    (kept / "configuration.jsonl").write_text(configuration.line(told))
    *_, row = configuration.rows()
    assert row == "| engine | naive | threaded | identical | throughput | slower | -11.3% (-18.1% to ?) | 5 |"


def test_the_page_tells_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(configuration, "FILE", ROOT / "results" / "comparing" / "configuration.jsonl")
    page = (ROOT / "docs" / "configuration.md").read_text()
    assert [row for row in configuration.rows() if row not in page] == []
    asked = {(asked.scenario, asked.sides[0], side, asked.measure) for asked in QUESTIONS for side in asked.sides[1:]}
    assert asked == {(told.scenario, told.first, told.side, told.measure) for told in configuration.kept()}


def test_the_page_has_the_table_of_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "KEPT", ROOT / "results" / "comparing")
    page = (ROOT / "docs" / "comparing.md").read_text()
    told = page.split("<!-- table: python -m benchmarks.comparing table -->\n")[1].split("\n<!-- end of table -->")[0]
    text = table.text()
    assert told == text.replace("### lenet\n\n", "lenet, one process: ").strip()
    names = ("lenet, one process", "lenet, two workers", "resnet18, one process", "a transformer, two workers")
    ours = [line.split("|")[2:6] for line in text.splitlines() if line.startswith("| `harness compare`")]
    for name, cells in zip((*names, "resnet18, two workers"), ours, strict=True):
        *seen, alarms = (float(cell.strip(" %")) for cell in cells)
        assert f"| {name} | {' | '.join(f'{share:g}' for share in seen)} | {alarms} |" in page
