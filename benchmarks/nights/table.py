"""What is kept of simulated and of real nights, as tables."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks.nights.simulate import CONFIRM, KEPT, STEPS


def text() -> str:
    """As docs/nightly.md has them."""
    return "\n".join([*simulated(), "", *twelve(), ""])


def simulated() -> Iterator[str]:
    """False alerts and what was found, of ours and beside it of the rivals."""
    body = json.loads((KEPT / "simulated.json").read_text())
    steps = [f"{step:.0%} within {within} nights" for step, within in STEPS.items()]
    minutes = " / ".join(f"{each / 60:g}min" for each in CONFIRM)
    yield f"| who | nights | duets as of (`--confirm {minutes}`) | false alerts in 1000 nights | {' | '.join(steps)} |"
    yield f"|---|---|---|---|{'---|' * len(steps)}"
    for kind, case in dict.fromkeys((each["kind"], each["case"]) for each in body["ours"]):
        known = {each["confirm"]: each for each in body["ours"] if (each["kind"], each["case"]) == (kind, case)}
        own = [known[confirm] for confirm in CONFIRM]
        found = " | ".join(" / ".join(f"{each['found'][f'{step:.0%}']:.1%}" for each in own) for step in STEPS)
        false = " / ".join(f"{each['false_per_1000']:.1f}" for each in own)
        yield f"| harness | {kind} | {case} | {false} | {found} |"
    for each in body["rivals"]:
        found = " | ".join(f"{each['found'][f'{step:.0%}']:.1%}" for step in STEPS)
        yield f"| {each['name']} | {each['kind']} | | {each['false_per_1000']:.0f} | {found} |"


def twelve() -> Iterator[str]:
    """Night by night: what was done, and what was told."""
    body = json.loads((KEPT / "twelve.json").read_text())
    yield "| night | what was done | what it said | minutes |"
    yield "|---|---|---|---|"
    for each in body["nights"]:
        yield f"| {each['night']} | {each['done']} | {each['headline']} | {each['seconds'] / 60:.1f} |"
