"""Verdicts as JUnit XML, which CI systems read: a suite a run, a case a check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from harness.base.printable import printable
from harness.checks import VerdictWord
from harness.judging.verdict import Judged, Verdict


def of_runs(verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Of each with its scenario's name: fail is a failure, invalid an error, unknown skipped.

    Each receipt is a case, too, and so is the verdict where none of them says the same, as for a run that was killed.
    """
    whole = JUnitXml("harness")
    for scenario, verdict in verdicts:
        suite = TestSuite(printable(verdict.title))
        suite.add_property("run", printable(verdict.run))
        suite.add_property("reason", printable(verdict.reason))
        judged = [*verdict.checks, *_receipts(verdict)]
        if verdict.verdict not in {each.verdict for each in judged}:
            judged.append(Judged("run", "verdict", verdict.verdict, verdict.reason, None))
        for each in judged:
            suite.add_testcase(_case(scenario, each))
        whole.add_testsuite(suite)
    return str(whole.tostring().decode("utf-8"))  # type: ignore[no-untyped-call]


def _receipts(verdict: Verdict) -> Iterator[Judged]:
    for arm in verdict.arms:
        for receipt in arm.receipts:
            what = f"receipt {receipt.fault} of {receipt.name} {receipt.subject}"
            word: VerdictWord = "pass" if receipt.stands else "invalid"
            yield Judged(arm.arm, what, word, f"{receipt.word}: {receipt.evidence}", None)


def _case(scenario: str, check: Judged) -> TestCase:
    case = TestCase(printable(f"{check.arm}: {check.check}"), printable(scenario))
    kinds = {"fail": Failure, "invalid": Error, "unknown": Skipped}
    if check.verdict in kinds:
        case.result = [kinds[check.verdict](printable(check.reason), check.verdict)]
    return case
