"""How well nights tell: what is kept is what the page shows, and a small simulation still says so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np

from benchmarks.nights import series, simulate, table
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "nightly.md").read_text()


def test_the_page_shows_what_is_kept() -> None:
    shown = re.search(r"<!-- table: python -m benchmarks.nights table -->\n(.*?)<!-- end of table -->", PAGE, re.S)
    assert shown is not None
    assert shown[1].strip() == table.text().strip()


def test_twelve_nights_told_the_change_once_and_nothing_else() -> None:
    nights = json.loads((ROOT / "results" / "nightly" / "twelve.json").read_text())["nights"]
    codes = {night["night"]: night["code"] for night in nights}
    assert codes == {**dict.fromkeys(range(1, 13), 0), 7: 1}
    (answer,) = nights[6]["answers"]
    assert (answer["word"], answer["scenario"]) == ("software", "train")
    assert answer["cause"].startswith("the script's files (train.py@")
    assert [night["rounds"] for night in nights] == [3] * 12


def test_a_step_is_told_and_flat_series_are_not(monkeypatch: object) -> None:
    found = simulate.ours("independent", "lenet", 1.0, 1, 300.0)
    assert (found.nights, found.false_per_1000) == (60, 0.0)
    assert found.found["3%"] >= 0.95
    assert found.found["1%"] >= 0.8


def test_series_scatter_as_they_say() -> None:
    random = np.random.default_rng(1)
    for name, draw in series.KINDS.items():
        values = np.concatenate([np.diff(draw(random)) for _ in range(20)])
        assert 0.03 < np.std(values) < 0.25, name


def test_asv_alone_sees_a_large_step_and_no_small_one() -> None:
    flat = np.zeros(series.NIGHTS)
    large = simulate._stepped(flat, 0.5)
    assert simulate._asv([flat, large])[0] is None
    assert simulate._asv([large])[0] is not None


def test_what_is_kept_names_every_case_and_kind() -> None:
    body = json.loads((Path(simulate.KEPT) / "simulated.json").read_text())
    assert {each["kind"] for each in body["ours"]} == set(series.KINDS)
    assert {each["name"] for each in body["rivals"]} == {"asv", "Otava"}


def test_what_is_kept_holds_what_was_asked_for() -> None:
    body = json.loads((Path(simulate.KEPT) / "simulated.json").read_text())
    half, whole = ([each for each in body["ours"] if each["confirm"] == seconds] for seconds in simulate.CONFIRM)
    for own in (half, whole):
        alerts, nights = (
            sum(each["false_per_1000"] * each["nights"] for each in own),
            sum(each["nights"] for each in own),
        )
        assert alerts / nights <= 1
        assert min(each["found"]["3%"] for each in own) >= 0.95
    assert min(each["found"]["1%"] for each in whole) >= 0.8
    assert min(each["found"]["1%"] for each in half) < 0.6
