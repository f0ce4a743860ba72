"""A verdict as Markdown, for a pull request or a step summary: short, tables that GitHub and GitLab draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from harness.judging.verdict import Verdict
from harness.report import numbers
from harness.report import verdict as shown

_SIGNS = {"pass": "✅", "fail": "❌", "invalid": "⚠️", "unknown": "❔"}


def of_run(verdict: Verdict) -> str:
    """The verdict first, then checks, receipts and numbers."""
    return "\n".join(_lines(verdict)) + "\n"


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"### {_SIGNS[verdict.verdict]} {verdict.verdict}: {plain(verdict.title)}"
    yield f"\n{plain(verdict.reason)}\n"
    checks = [(check.arm, check.check, check.verdict, check.reason) for check in verdict.checks]
    yield from table(("arm", "check", "verdict", "why"), checks)
    receipts = [
        (arm.arm, f"{receipt.name} {receipt.subject}", receipt.word, receipt.evidence)
        for arm in verdict.arms
        for receipt in arm.receipts
    ]
    yield from table(("arm", "fault", "receipt", "evidence"), receipts)
    arms = shown.arms_of(verdict)
    rows = [
        (shown.label(name, subject), *(numbers.text(arm.get(name, subject)) for arm in arms.values()))
        for name, subject in shown.measured(arms.values())
    ]
    yield "<details><summary>what was measured</summary>\n"
    yield from table(("measure", *arms), rows)
    yield "</details>\n"
    yield f"{plain(shown.machine(verdict.facts))}  \nrun `{verdict.run}`"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if rows:
        yield f"| {' | '.join(map(plain, heads))} |"
        yield f"|{'---|' * len(heads)}"
        yield from (f"| {' | '.join(map(plain, row))} |" for row in rows)
        yield ""


def plain(text: str) -> str:
    """As text: what Markdown or HTML would take for their own is escaped."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&])", r"\\\1", " ".join(text.split()))
