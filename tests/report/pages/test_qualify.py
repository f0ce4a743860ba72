"""A qualification in the forms that others read, each read by its own tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from junitparser import Failure, JUnitXml, Skipped

from harness.cli import main
from harness.report.pages import qualify
from harness.scenario.schema import Target
from harness.studies import study_folder
from harness.studies.qualification import Asked
from harness.studies.qualify import Qualify
from harness.studies.row import Reason, Row

ROWS = [
    Row("starts", (), ("1.9.1 to 1.9.1",), ("s-starts",)),
    Row("means the same", (Reason("exp <b> crashes"), Reason("old", accepted="we know")), (), ("o-operators",)),
    Row("survives the same", (Reason("no verdict", "not decided"),)),
]


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> Qualify:
    rows: Sequence[Row] = ROWS
    monkeypatch.setattr(Qualify, "rows", rows)
    asked = ("starts", "operators", "survival")
    return Qualify(Asked(Target(mxnet="1.8.0.post0"), Target(mxnet="1.9.1"), {}, rows=asked))


def test_junit_has_a_case_for_each_question(study: Qualify) -> None:
    (suite,) = JUnitXml.fromstring(qualify.as_junit([study]).encode())
    assert suite.name == "NO-GO as far as asked (starts, operators, survival): mxnet 1.8.0.post0 → mxnet 1.9.1"
    assert [(case.name, [(type(each), each.message) for each in case.result]) for case in suite] == [
        ("starts", []),
        ("means the same", [(Failure, "exp <b> crashes")]),
        ("survives the same", [(Skipped, "no verdict")]),
    ]
    (failure,) = list(suite)[1].result
    assert failure.text.splitlines() == ["exp <b> crashes", "accepted: old: we know", "o-operators"]


def test_markdown_has_a_line_for_each_reason(study: Qualify) -> None:
    text = qualify.as_markdown(study)
    assert text.startswith("### ❌ NO-GO as far as asked (starts, operators, survival): mxnet 1.8.0.post0")
    assert "| starts | go | nothing speaks against it |\n" in text
    assert "| means the same | no-go | exp \\<b\\> crashes |\n|  |  | accepted: old: we know |\n" in text
    assert "| starts | 1.9.1 to 1.9.1 |\n" in text
    assert text.endswith("studies: `s-starts`, `o-operators`\n")


def test_of_other_studies_there_are_pages_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, form in (("soak", "junit"), ("qualify", "prometheus")):
        folder = study_folder.create(tmp_path, kind, {})
        assert main(["report", folder.id, "--form", form, "--results", str(tmp_path)]) == 2
        assert f"a study of the kind {kind} has no form {form}" in capsys.readouterr().err
