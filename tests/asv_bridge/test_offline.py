"""asv's pages ask nobody for scripts; what stands in for libraries is tried in a browser where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.asv_bridge import offline
from harness.asv_bridge.offline import FOLDER, OfflinePages

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")
TRIED = """<!doctype html><title>did not run</title>
<div id="plot" style="width: 400px; height: 200px"></div>
<table><thead><tr><th data-sort="string">name<th data-sort="float">size</tr></thead>
<tbody><tr><td>b<td data-sort-value="10">1e1</tr><tr><td>c<td>9</tr><tr><td>a<td>-1</tr></tbody></table>
{scripts}
<script>
var table = $("table").stupidtable(), told = [];
table.on("aftertablesort", function (event, data) {{ told.push(data.column + data.direction); }});
var names = function () {{ return table.find("td:first-child").text(); }}, said = [];
table.find("th").eq(1).stupidsort("desc"); said.push(names());
table.find("th").eq(0).stupidsort("asc"); said.push(names());
table.find("th").eq(0).click(); said.push(names());
var data = [[["x", 1], ["y", 2]], [["x", 3], ["y", 4]]].map(function (points, place) {{
  return {{data: points, bars: {{order: place + 1}}}};
}});
var plot = $.plot($("#plot"), data, {{xaxis: {{mode: "categories"}},
  series: {{bars: {{show: true, barWidth: 0.3, align: "center"}}}}}});
var left = plot.getData().map(function (series) {{ return series.datapoints.points[0].toFixed(2); }});
var same = md5("one") === md5("one") && md5("one") !== md5("other");
document.title = [said.join(" "), told.join(" "), left.join(" "), same].join("; ");
</script>
"""


def _published(folder: Path) -> str:
    www = Path(str(files("asv") / "www"))
    shutil.copy(www / "index.html", folder / "index.html")
    OfflinePages.publish(SimpleNamespace(html_dir=str(folder)), None, None, None, None)
    return (folder / "index.html").read_text()


def test_nothing_is_asked_for_elsewhere_and_all_is_there(tmp_path: Path) -> None:
    index = _published(tmp_path)
    assert re.findall(r'<(?:script|link)[^>]*"https?:', index) == []
    brought = re.findall(rf'(?:src|href)="({FOLDER}/[^"]+)"', index)
    assert len(brought) == 10
    assert brought[0] == "offline/js/jquery-3.6.1.min.js"
    assert all((tmp_path / place).stat().st_size > 100 for place in brought)
    assert (tmp_path / FOLDER / "fonts" / "glyphicons-halflings-regular.woff2").is_file()


def test_what_no_package_has_stays_asked_for_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offline, "_PACKAGES", ("js.jquery", "no.such.package"))
    warned: list[str] = []
    monkeypatch.setattr(offline.log, "warning", warned.append)
    index = _published(tmp_path)
    assert 'href="https://cdn.jsdelivr.net/npm/bootstrap@3.1.1/dist/css/bootstrap.min.css"' in index
    assert len(warned) == 6
    assert warned[0].startswith("asv's pages need a network for https://")


@pytest.mark.skipif(not CHROMIUM, reason="no chromium here")
def test_tables_are_sorted_bars_stand_side_by_side_and_keys_differ(tmp_path: Path) -> None:
    places = re.findall(rf'<script src="({FOLDER}/[^"]+)"', _published(tmp_path))
    page = tmp_path / "tried.html"
    page.write_text(TRIED.format(scripts="\n".join(f'<script src="{place}"></script>' for place in places)))
    argv = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000"]
    argv += [f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    title = re.search(r"<title>(.*?)</title>", done.stdout)
    assert title is not None, done.stderr
    assert title[1] == "bca abc cba; 1desc 0asc 0desc; -0.15 0.15; true"
