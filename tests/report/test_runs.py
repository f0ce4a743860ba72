from __future__ import annotations

import pytest

from harness.cli._console import Console
from harness.report.runs import render
from harness.storage.run_index import Entry

ID = "20261123T122110-killed-worker-dist-sync-488953"
ENTRIES = [
    Entry(ID, "killed-worker-dist-sync", "What becomes of dist_sync when a worker is gone, and who says so?",
          "finished", "pass", "", ("1.9.1",), ("completed", "hung"), 0.0),
    Entry("20261123T122109-x-488953", "x", "", "damaged", "", "status.json cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            60,
            [
                ID,
                "  pass  1.9.1  What becomes of dist_sync when a worker is g…",
                "20261123T122109-x-488953",
                "  damaged    status.json cannot be read",
            ],
        ),
        (
            110,
            [
                f"{ID}   pass      1.9.1   What becomes of dist_sync when a worker …",
                f"{'20261123T122109-x-488953':46}   damaged           status.json cannot be read",
            ],
        ),
    ],
)
def test_each_run_takes_a_line_or_two(width: int, lines: list[str]) -> None:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(render(ENTRIES, width))
    shown = [line.strip() if width > 100 else line.rstrip() for line in console.export_text().splitlines()]
    assert [line for line in shown if line and "──" not in line and "question" not in line] == lines
