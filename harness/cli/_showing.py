"""Print a verdict for people or for scripts."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import RenderableType

from harness.cli._console import Console
from harness.cli._options import EXIT_OF
from harness.judging.verdict import Verdict
from harness.report import timeline
from harness.report.claims import words
from harness.report.verdict import render
from harness.storage import history, run_index
from harness.storage.run_folder import RunFolder, storage_error

SVG_COLUMNS = 80


def show(folder: RunFolder, verdict: Verdict, as_json: bool, svg: Path | None = None) -> int:
    """Print it, and return the exit code that it stands for."""
    shown = render(verdict, words(run_index.claims(folder)))
    if svg is not None:
        _draw(verdict, shown, svg)
    if as_json:
        print(json.dumps(verdict.as_json(), indent=1))
    else:
        Console().print(shown)
    return EXIT_OF[verdict.verdict]


def show_timeline(folder: RunFolder, verdict: Verdict, files: Sequence[Path | None]) -> None:
    """Print what happened when, and draw it into files."""
    console = Console()
    console.print(verdict.title, style="bold", markup=False, highlight=False)
    for arm in draw_timeline(folder, verdict, files):
        console.print(timeline.render(arm, console.width))


def draw_timeline(folder: RunFolder, verdict: Verdict, files: Sequence[Path | None]) -> Sequence[timeline.Timeline]:
    """Draw what happened when into files; returns it, arm by arm."""
    drawn = timeline.timelines(folder.plan(), history.read(folder.path / "history.jsonl"), verdict)
    for file in filter(None, files):
        from harness.report.figure import draw

        try:
            draw(drawn, f"{verdict.title}\n{verdict.run}", file)
        except OSError as error:
            raise storage_error(error, file) from error
    return drawn


def _draw(verdict: Verdict, shown: RenderableType, path: Path) -> None:
    console = Console(record=True, width=SVG_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(shown)
    try:
        drawn = console.export_svg(title=f"harness show {verdict.run}")
        path.write_text(re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.S))  # a picture needs no network
    except OSError as error:
        raise storage_error(error, path) from error
