"""A qualification in the forms that pull requests and CI systems read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from harness.base.printable import printable
from harness.report.pages.markdown import plain, table
from harness.report.qualify import headline
from harness.studies.qualify import Qualify
from harness.studies.row import Row, in_short

_SIGNS = {"go": "✅", "no-go": "❌", "not decided": "❔"}


def as_markdown(study: Qualify) -> str:
    """The answer first, then a line a reason, worst first."""
    rows = [line for row in study.rows for line in _lines(row)]
    told = [(row.title, each) for row in study.rows for each in row.told]
    evidence = dict.fromkeys(each for row in study.rows for each in row.evidence)
    lines = [f"### {_SIGNS[study.word]} {plain(headline(study))}", "", *table(("asked", "answer", "because"), rows)]
    if told:
        what = "<details><summary>what was found besides</summary>\n"
        lines += [what, *table(("asked", "found"), told), "</details>\n"]
    return "\n".join([*lines, f"studies: {', '.join(f'`{each}`' for each in evidence) or 'none yet'}"]) + "\n"


def _lines(row: Row) -> Iterator[tuple[str, str, str]]:
    title, word = row.title, str(row.word)
    for text in list(_reasons(row)) or ["nothing speaks against it"]:
        yield title, word, text
        title, word = "", ""


def as_junit(studies: Sequence[Qualify]) -> str:
    """A suite a qualification, a case a question: no-go is a failure, what is not decided is skipped."""
    whole = JUnitXml("harness qualify")
    for study in studies:
        suite = TestSuite(printable(headline(study)))
        for row in study.rows:
            suite.add_testcase(_case(row))
        whole.add_testsuite(suite)
    return str(whole.tostring().decode("utf-8"))  # type: ignore[no-untyped-call]


def _case(row: Row) -> TestCase:
    case, reasons = TestCase(row.title, "qualify"), [printable(each) for each in _reasons(row)]
    if row.word == "no-go":
        failure = Failure(reasons[0], row.word)
        failure.text = "\n".join([*reasons, *row.evidence])
        case.result = [failure]
    elif row.word == "not decided":
        case.result = [Skipped("; ".join(reasons), row.word)]
    return case


def _reasons(row: Row) -> Iterator[str]:
    for reason in in_short(row.reasons):
        yield f"accepted: {reason.text}: {reason.accepted}" if reason.accepted else reason.text
