"""Verdicts as JUnit XML, which CI systems read: a suite a run, a case a check."""

from __future__ import annotations

from collections.abc import Sequence

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from harness.judging.verdict import Judged, Verdict


def of_runs(verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Of each with its scenario's name: fail is a failure, invalid an error, unknown skipped.

    What no check says, as of a receipt that is missing, is a case of its own.
    """
    whole = JUnitXml("harness")
    for scenario, verdict in verdicts:
        suite = TestSuite(verdict.title)
        suite.add_property("run", verdict.run)
        for check in verdict.checks:
            suite.add_testcase(_case(scenario, check))
        if not verdict.checks or verdict.verdict not in {check.verdict for check in verdict.checks}:
            suite.add_testcase(_case(scenario, Judged("run", "verdict", verdict.verdict, verdict.reason, None)))
        whole.add_testsuite(suite)
    return str(whole.tostring().decode("utf-8"))  # type: ignore[no-untyped-call]


def _case(scenario: str, check: Judged) -> TestCase:
    case = TestCase(f"{check.arm}: {check.check}", scenario)
    kinds = {"fail": Failure, "invalid": Error, "unknown": Skipped}
    if check.verdict in kinds:
        case.result = [kinds[check.verdict](_printable(check.reason), check.verdict)]
    return case


def _printable(text: str) -> str:
    """Without characters that XML has no way to write."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "�" for sign in text)
