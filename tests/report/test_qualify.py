"""A qualification on a screen: the answer, a row a question, reasons as they were said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from harness.report import qualify as report
from harness.scenario.schema import Target
from harness.statistics.sequential import Look
from harness.studies import study_folder
from harness.studies.compare import Compare
from harness.studies.finding import Question
from harness.studies.pairs import Pair
from harness.studies.qualification import NEW, Asked
from harness.studies.qualify import Qualify
from harness.studies.row import Reason, Row


def _text(of: object) -> str:
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(of)
    return console.export_text()


def test_nothing_is_known_yet(tmp_path: Path) -> None:
    study = Qualify(Asked(Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1"), {}, rows=("starts", "operators")))
    study.folder = study_folder.create(tmp_path, "qualify", study.question)
    text = _text(report.render(study))
    assert text.startswith("NOT DECIDED as far as asked (starts, operators): mxnet 1.8.0.post0 → mxnet 1.9.1")
    assert text.count("it was not asked yet") == 3


def test_what_options_left_out_is_in_the_first_line() -> None:
    asked = Asked(Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1"), {})
    assert "as far as asked" not in report.headline(Qualify(asked))
    few = replace(asked, operators=("sin",), faults=("kill",), topologies=())
    told = "as far as asked (operators: sin; topologies: none; faults: kill): mxnet 1.8.0.post0"
    assert told in report.headline(Qualify(few))
    both = Target(mxnet="1.9.1", horovod="0.28.1")
    without = replace(asked, old=both, new=both, topologies=("dist_sync", "dist_async"))
    assert "as far as asked (topologies: dist_sync, dist_async)" in report.headline(Qualify(without))
    speed = replace(few, rows=("speed",))
    assert "as far as asked (speed): " in report.headline(Qualify(speed))


def test_reasons_of_a_row() -> None:
    reasons = (Reason("[bold]it\x1b[31m crashes"), Reason("unclear", "not decided"), Reason("old", accepted="we know"))
    text = _text(report.of_row(Row("means the same", reasons, ("ten cases",))))
    assert "no-go" in text
    assert "[bold]it" in text and "\x1b" not in text
    assert "accepted: old: we know" in text
    assert "ten cases" in text


def test_a_row_without_reasons_and_one_with_very_many() -> None:
    assert "nothing speaks against it" in _text(report.of_row(Row("starts")))
    many = tuple(Reason(f"reason {number}") for number in range(30))
    text = _text(report.of_row(Row("starts", many)))
    assert "and 18 more" in text
    assert "reason 12" not in text


def test_what_more_pairs_would_decide_says_how_it_has_more_time(tmp_path: Path) -> None:
    values = {"title": "t", "workload": {"model": "mlp", "steps": 50}}
    study = Qualify(Asked(Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1"), {"one": values}))
    study.folder = study_folder.create(tmp_path, "qualify", study.question)
    part = Compare(study.asked_.sides("one"), Question("throughput", 0.03, 100.0))
    part.folder = study_folder.create(tmp_path, "compare", part.question)
    for effect in (0.04, -0.04, 0.02, -0.02, 0.06, -0.05):
        effects = {name: {NEW: effect} for name in ("throughput", "throughput_overall")}
        part.evidence.pairs.append(Pair("run", 10.0, effects, {}))
        part.evidence.looks.append(Look(len(part.evidence.pairs), len(part.evidence.pairs) / 10))
    study.parts["speed-one"] = part
    told = " ".join(_text(report.render(study)).split())
    assert f"harness compare --resume {part.folder.id} --budget 10min, then harness qualify --resume" in told
    part.evidence.pairs.clear()
    assert "harness compare --resume" not in _text(report.render(study))
