"""The page about GPUs holds what its commands print."""

from __future__ import annotations

import shlex

import pytest

from benchmarks import pools
from harness import cli
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.simulation import least_memory
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "gpu.md").read_text()


def test_its_commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    lines = PAGE.split("```sh\n")[2].split("```")[0].replace("\\\n", " ").splitlines()
    assert [cli.main(shlex.split(line)[1:]) for line in lines] == [0, 1]
    assert capsys.readouterr().out.count("simulated, with 8.59 GB") == 2


def test_what_round_needs_beyond_what_is_live() -> None:
    """As the page says to who runs out of memory."""
    beyond = dict[str, list[float]]()
    for trace in map(pools._trace, pools.TRACES):
        for settings in (PoolSettings(), PoolSettings("Unpooled"), PoolSettings("Round", cutoff=32)):
            least = least_memory(trace, settings)
            assert least is not None
            beyond.setdefault(settings.kind, []).append(round(100 * (least / trace.peak - 1), 1))
    assert max(*beyond["Naive"], *beyond["Unpooled"]) <= 1.5
    assert [round(each) for each in beyond["Round"]] == [34, 76, 72]
    assert "34, 76 and 72 % more with Round and a cutoff of 32" in PAGE


def test_the_page_has_what_settings_do() -> None:
    table = PAGE.split("<!-- table: python -m benchmarks.pools settings -->\n")[1].split("\n<!-- end of table -->")[0]
    assert table == pools.settings_text().rstrip()


def test_the_page_has_the_tables() -> None:
    table = PAGE.split("<!-- table: python -m benchmarks.pools -->\n")[1].split("\n<!-- end of table -->")[0]
    assert table == pools.text().rstrip()
