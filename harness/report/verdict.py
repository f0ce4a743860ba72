"""A verdict as tables: what was checked and why it stands so, what was measured, the receipts, the stacks."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.printable import printable
from harness.execution.facts import in_words
from harness.execution.processor import of_older
from harness.judging.repeats import by_arm, pooled
from harness.judging.verdict import Verdict
from harness.report import numbers
from harness.vocabulary.events import Ended
from harness.vocabulary.quantities import ArmMeasures
from harness.vocabulary.receipts import Receipt

STYLES = {"pass": "green", "fail": "bold red", "invalid": "yellow", "unknown": "magenta"}
_LABELS = {"throughput": "throughput, by windows", "goodput": "goodput, by the clock"}
_HIDDEN = ("loss_curve", "different_weights", "sent_bytes", "received_bytes", "sent_packets", "received_packets")


def render(verdict: Verdict, claims: Sequence[str] = ()) -> RenderableType:
    """Everything about a run that fits a terminal, with what its claims say."""
    from harness.studies.pairs import disturbance  # not on the way of a run to its first step

    head = Text.assemble(
        (verdict.verdict.upper(), STYLES[verdict.verdict]),
        "  ",
        (verdict.title, "bold"),
        f"\n{verdict.reason}",
        (f"\n{machine(verdict.facts)}", "dim"),
        *((f"\n{told} meanwhile, and numbers show it", "yellow") for told in [disturbance(verdict.facts)] if told),
        *((f"\n{claim}", "dim") for claim in claims),
    )
    return Group(head, checks(verdict), *happened(verdict), _measures(verdict), *_unmeasured(verdict))


def happened(verdict: Verdict) -> Iterator[RenderableType]:
    """Receipts, what failed processes said last, and where processes of what hung stand."""
    if any(arm.receipts for arm in verdict.arms):
        yield _receipts(verdict)
    yield from (_log(arm.ended) for arm in verdict.arms if arm.ended is not None and arm.ended.log)
    if verdict.blocked:
        yield _blocked(verdict)


def machine(facts: Mapping[str, Any]) -> str:
    """Where the numbers come from, in a line."""
    if "cpu_model" not in facts:
        return "machine not recorded"
    target = facts.get("target", {})
    software = f"mxnet {target['mxnet']}, python {target['python']}" if target else "software not recorded"
    if not isinstance(facts["memory_bytes"], int):
        return "machine not recorded as this harness does"
    return f"{software}{_as_on(facts)}; {in_words(facts)}"


def _as_on(facts: Mapping[str, Any]) -> str:
    """The older processor for which an OpenBLAS computes: nothing else tells why products are slow."""
    targets = (facts.get("targets") or {"": facts.get("target", {})}).values()
    known = [each.get("libraries", {}).get("openblas", "") for each in targets]
    cores = sorted({of_older(openblas, str(facts.get("vectors"))) for openblas in known} - {""})
    if not cores:
        return ""
    return (
        f", whose OpenBLAS takes this processor for {' and '.join(cores)}, without avx2 "
        "(target.env.OPENBLAS_CORETYPE: Haswell changes it)"
    )


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def checks(verdict: Verdict) -> Table:
    """What was asked of each arm, and why it stands so."""
    table = _table("arm", "check", "verdict", "why")
    for check in verdict.checks:
        table.add_row(check.arm, check.check, Text(check.verdict, STYLES[check.verdict]), Text(check.reason))
    return table


def _measures(verdict: Verdict) -> Table:
    """A row a quantity, a column an arm, all its repeats together."""
    arms = arms_of(verdict)
    table = _table("measure", *arms)
    for name, role in measured(arms.values()):
        cells = [_cell(arm, name, role) for arm in arms.values()]
        table.add_row(label(name, role), *cells)
    return table


def _unmeasured(verdict: Verdict) -> Iterator[Text]:
    """What no arm has, by why: what is missing without a word looks as if there was nothing to see."""
    arms = arms_of(verdict).values()
    there = {name for name, _ in measured(arms)}
    missing: dict[str, dict[str, None]] = {}
    for arm in arms:
        for (name, _), quantity in arm.quantities.items():
            if name not in there and name not in _HIDDEN:
                missing.setdefault(quantity.note, {})[name.replace("_", " ")] = None
    told = [f"{', '.join(names)} ({why})" for why, names in missing.items()]
    if told:
        yield Text(f"not measured: {'; '.join(told)}", "dim")


def label(name: str, subject: str) -> str:
    """A measure as people read it; of two that are samples a second, by what seconds."""
    return f"{_LABELS.get(name, name.replace('_', ' '))} {subject}".strip()


def arms_of(verdict: Verdict) -> Mapping[str, ArmMeasures]:
    """Every arm with all its repeats together, by what it is called then."""
    repeats = by_arm(verdict.arms)
    return {of if len(own) == 1 else f"{of}, {len(own)} repeats": pooled(own) for of, own in repeats.items()}


def measured(arms: Collection[ArmMeasures]) -> list[tuple[str, str]]:
    """Names and subjects of what any arm has and people want to see."""
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
        "\n".join(
            [
                f"{ended.arm} {ended.subject} said last:",
                *(f"    {printable(line)}" for line in ended.log.splitlines()),
            ]
        )
    )


def _blocked(verdict: Verdict) -> Table:
    table = _table("arm", "process", "where it stands (stacks: harness show --json)", "in", "connected to")
    for process in verdict.blocked:
        peers = ", ".join(process.peers) or "–"
        table.add_row(process.arm, process.role, Text(process.doing), process.function, peers)
    return table
