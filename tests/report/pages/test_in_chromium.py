"""Pages as a browser lays them out; skipped where there is no Chromium (Debian's package `chromium`)."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.report.pages import page
from tests.report.pages.conftest import Example
from tests.report.pages.test_page import SOURCE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
WRAPPER = """<!doctype html><title>not measured</title>
<iframe id="page" width="{width}" height="3000" srcdoc="{page}"></iframe>
<script>
document.getElementById("page").onload = event => {{
  const inside = event.target.contentDocument, view = event.target.contentWindow;
  const cut = [...inside.querySelectorAll("body *")].filter(element =>
    !element.closest("svg") && view.getComputedStyle(element).display !== "inline" &&
    view.getComputedStyle(element).overflowX !== "auto" && element.scrollWidth > element.clientWidth + 1);
  const wide = inside.documentElement.scrollWidth > {width} ? ["page"] : [];
  document.title = "cut off: " + [...wide, ...cut.map(element => element.tagName)].join(" ");
}};
</script>
"""


@pytest.mark.skipif(not CHROMIUM, reason="no chromium here")
@pytest.mark.parametrize("width", [380, 1400])
def test_nothing_is_cut_off_and_the_console_is_silent(example: Example, tmp_path: Path, width: int) -> None:
    text = page.of_run(example.verdict, example.timelines, ["K1: " + "a long claim " * 30], SOURCE)
    file = tmp_path / "page.html"
    file.write_text(WRAPPER.format(width=width, page=html.escape(text)))
    argv = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
        "--virtual-time-budget=5000", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1600,3200",
        "--dump-dom", file.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None, done.stderr
    assert title[1] == "cut off: "
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
