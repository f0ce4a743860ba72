"""What was recognised of a user's script, what is measured of it, and what is not, with what would make it known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.report import numbers
from harness.vocabulary.quantities import ArmMeasures

WORDS = {
    "loop": "a step ends with",
    "trainer": "trainer",
    "beside": "trainers whose steps are not counted",
    "optimizer": "optimizer",
    "kvstore": "kvstore",
    "update_on_kvstore": "optimizer on the kvstore",
    "loss": "losses of the first step",
    "batch": "samples of the first step",
    "input": "DataLoader or DataIter",
    "contexts": "contexts",
}
_INTERNAL = ("loss_curve", "different_weights")


def render(facts: Mapping[str, str], arm: ArmMeasures) -> RenderableType:
    """Tables of what was seen, what is measured, and what is not; of a run that was aborted only the first."""
    seen = _table("seen", "")
    for name, words in WORDS.items():
        if name in facts:
            seen.add_row(words, Text(facts[name]))
    measured, missing = _table("measured", ""), _table("not measured", "because")
    aborted = arm.ended is not None and arm.ended.outcome == "aborted"
    for (name, role), quantity in () if aborted else arm.quantities.items():
        if name in _INTERNAL:
            continue
        title = f"{name.replace('_', ' ')} {role}".strip()
        if quantity.value is None:
            missing.add_row(title, Text(quantity.note))
        else:
            measured.add_row(title, Text(numbers.text(quantity)))
    return Group(*_filled((seen, measured, missing)))


def _filled(tables: Iterable[Table]) -> list[RenderableType]:
    return [table for table in tables if table.row_count]


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
