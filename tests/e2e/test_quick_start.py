"""A job that starts quickly is the same job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import harness

pytestmark = pytest.mark.e2e
TEXT = """\
title: Does it train the same?
workload: {model: mlp, steps: 30, warmup: 5, window: 5}
topology: {kvstore: dist_sync, workers: 2, servers: 1}
"""


def test_it_trains_the_same_and_tells_no_start_and_what_is_compiled_is_kept(target: Path, tmp_path: Path) -> None:
    scenario, cache = tmp_path / "same.yaml", tmp_path / "cache"
    scenario.write_text(TEXT)
    folders = [tmp_path / name for name in ("plain", "first", "second")]
    kept = list[tuple[Path, int]]()
    for folder in folders:
        quick = str(folder.name != "plain").lower()
        asked = ("--python", target, "--results", folder, "--set", f"quick_start={quick}")
        command = harness("run", scenario, *asked, HARNESS_CACHE=str(cache))
        assert command.code == 0, command.out + command.err
        kept += [(file, file.stat().st_mtime_ns) for file in (cache / "compiled").glob("*/*")]
    assert len(kept) == 2  # none by the plain one, and one file by the others
    assert kept[0] == kept[1]
    told = [_told(folder) for folder in folders]
    assert told[0][0] == told[1][0] == told[2][0]
    assert len(told[0][0]) == 2 * 30 + 2
    assert [starts for _, starts in told] == [[True, True], [False, False], [False, False]]


def _told(results: Path) -> tuple[list[Any], list[bool]]:
    """Losses of all steps and digests of weights, in no order; whether each worker has a start."""
    (run,) = (results / "runs").iterdir()
    past = [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    losses = [(each["subject"], value) for each in past if each["kind"] == "loss" for value in each["values"]]
    digests = [(each["subject"], each["weights"]) for each in past if each["kind"] == "digest"]
    arms = json.loads((run / "verdict.json").read_text())["arms"]
    starts = [each["value"] is not None for each in arms[0]["measures"] if each["name"] == "start_up"]
    return [*sorted(losses), *sorted(digests)], starts
