"""A verdict as tables: what was checked and why it stands so, what was measured, the receipts, the stacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.units import bytes_text
from harness.judging.repeats import by_arm, pooled
from harness.judging.verdict import Verdict
from harness.report import numbers
from harness.vocabulary.events import Ended
from harness.vocabulary.quantities import ArmMeasures
from harness.vocabulary.receipts import Receipt

STYLES = {"pass": "green", "fail": "bold red", "invalid": "yellow", "unknown": "magenta"}
_HIDDEN = ("loss_curve", "different_weights", "sent_bytes", "received_bytes", "sent_packets", "received_packets")


def render(verdict: Verdict) -> RenderableType:
    """Everything about a run that fits a terminal."""
    head = Text.assemble(
        (verdict.verdict.upper(), STYLES[verdict.verdict]),
        "  ",
        (verdict.title, "bold"),
        f"\n{verdict.reason}",
        (f"\n{_machine(verdict.facts)}", "dim"),
    )
    parts: list[RenderableType] = [head, _checks(verdict), _measures(verdict)]
    if any(arm.receipts for arm in verdict.arms):
        parts.append(_receipts(verdict))
    parts += [_log(arm.ended) for arm in verdict.arms if arm.ended is not None and arm.ended.log]
    if verdict.blocked:
        parts.append(_blocked(verdict))
    return Group(*parts)


def _machine(facts: Mapping[str, Any]) -> str:
    """Where the numbers come from, in a line."""
    if "cpu_model" not in facts:
        return "machine not recorded"
    target = facts.get("target", {})
    software = f"mxnet {target['mxnet']}, python {target['python']}" if target else "software not recorded"
    memory = bytes_text(facts["memory_bytes"])
    return f"{software}; {facts['cpu_model']}, {facts['cores']} cores, {memory}, kernel {facts['kernel']}"


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _checks(verdict: Verdict) -> Table:
    table = _table("arm", "check", "verdict", "why")
    for check in verdict.checks:
        table.add_row(check.arm, check.check, Text(check.verdict, STYLES[check.verdict]), Text(check.reason))
    return table


def _measures(verdict: Verdict) -> Table:
    """A row a quantity, a column an arm, all its repeats together; what no arm has is left out."""
    repeats = by_arm(verdict.arms)
    arms = {of if len(own) == 1 else f"{of}, {len(own)} repeats": pooled(own) for of, own in repeats.items()}
    table = _table("measure", *arms)
    for name, role in _rows(arms.values()):
        cells = [_cell(arm, name, role) for arm in arms.values()]
        table.add_row(f"{name.replace('_', ' ')} {role}".strip(), *cells)
    return table


def _rows(arms: Collection[ArmMeasures]) -> list[tuple[str, str]]:
    keys = dict.fromkeys(key for arm in arms for key in arm.quantities)
    return [key for key in keys if key[0] not in _HIDDEN and any(arm.get(*key).value is not None for arm in arms)]


def _cell(arm: ArmMeasures, name: str, role: str) -> Text:
    return Text(numbers.text(arm.get(name, role)) if (name, role) in arm.quantities else "–")


def _receipts(verdict: Verdict) -> Table:
    table = _table("arm", "fault", "receipt", "evidence")
    for arm in verdict.arms:
        for receipt in arm.receipts:
            word = _word(receipt)
            evidence = "; afterwards ".join(filter(None, (receipt.evidence, receipt.afterwards)))
            table.add_row(arm.arm, f"{receipt.name} {receipt.subject}", word, Text(evidence))
    return table


def _word(receipt: Receipt) -> Text:
    colour = "bold red" if not receipt.stands else "green" if receipt.proven else "yellow"
    return Text(receipt.word, colour)


def _log(ended: Ended) -> Text:
    return Text(
        "\n".join([f"{ended.arm} {ended.subject} said last:", *(f"    {line}" for line in ended.log.splitlines())])
    )


def _blocked(verdict: Verdict) -> Table:
    table = _table("arm", "process", "where it stands (stacks: harness show --json)", "in", "connected to")
    for process in verdict.blocked:
        peers = ", ".join(process.peers) or "–"
        table.add_row(process.arm, process.role, Text(process.doing), process.function, peers)
    return table
