"""What goes by while a script trains, as steps."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.worker.own.seen import Seen, matches


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("out/a.params", "{folder}/out/*.params", True),
        ("out/deep/a.params", "{folder}/out/*.params", False),
        ("out/a.params", "{folder}/sub/../out/*.params", True),
        ("link/a.params", "{folder}/out/*.params", True),
        ("out/a.params", "{folder}/link/*.params", True),
        ("out/deep/a.params", "{folder}/**/*.params", True),
        ("out/a.states", "{folder}/out/*.params", False),
        ("out/a.params", "{folder}/out/a.params", True),
    ],
)
def test_which_files_a_pattern_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, pattern: str, expected: bool
) -> None:
    for name in ("out/deep", "sub"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("out")
    monkeypatch.chdir(tmp_path)
    assert matches(path, pattern.format(folder=tmp_path)) is expected


@pytest.mark.parametrize(
    ("samples", "heads", "told", "expected"),
    [
        (32, [16, 16], 16, 32),
        (0, [16, 16], 16, 16),  # two losses of one batch
        (0, [16, 16], 64, 16),  # the same, on four workers
        (0, [16, 16], 32, 32),  # two parts of one batch
        (0, [16, 16], 1, 32),
        (0, [], np.float32(8.0), 8),
        (0, [], 1, None),  # the loss is a mean already
        (np.int64(4), [], None, 4),
        (0, [], "many", None),
        (0, [], None, None),
    ],
)
def test_samples_of_a_step(samples: Any, heads: list[int], told: Any, expected: int | None) -> None:
    seen = Seen(SimpleNamespace(workers=4, kvstore="device"), None, "worker/0", {})
    seen._booked.parts, seen._booked.heads, seen._booked.largest = [samples], sum(heads), max(heads, default=0)
    found = seen._count(told)
    assert found == expected
    assert type(found) in (int, type(None))


def test_what_a_trainer_is_told_counts_only_where_nothing_else_ever_did() -> None:
    seen = Seen(SimpleNamespace(workers=1, kvstore="device"), None, "worker/0", {})
    seen._booked.parts = [10]
    assert seen._count(10) == 10
    seen._booked.parts = []
    assert seen._count(1) is None
    job = Seen(SimpleNamespace(workers=2, kvstore="dist_sync"), None, "worker/0", {})
    assert job._count(20) is None  # of one worker, or of all


def test_what_another_thread_calls_is_heard_while_this_one_is_within_a_function() -> None:
    seen, heard = Seen(SimpleNamespace(), None, "worker/0", {}), []
    seen.listens = seen.within.deaf = True
    thread = threading.Thread(target=lambda: heard.append(seen.within.deaf))
    thread.start()
    thread.join()
    assert (heard, seen.within.deaf) == ([False], True)


def test_of_batches_that_a_module_went_forward_with_the_last_is_gone_back_from() -> None:
    seen = Seen(SimpleNamespace(record_shapes=False), None, "worker/0", {})
    seen.steps = SimpleNamespace(step=3)
    for size in (5, 8):
        seen.passes([SimpleNamespace(shape=(size, 4))])
    assert [batch.samples for batch in seen._fetched] == [8]


@pytest.mark.parametrize(
    ("before", "changed"),
    [
        (0, [True, True, True]),  # nobody knows yet how many batches a step takes
        (1, [True, False, False]),  # the script passes over batches that are changed
        (2, [True, True, False]),
    ],
)
def test_a_fault_changes_no_more_batches_than_a_step_takes(before: int, changed: list[bool]) -> None:
    seen = Seen(SimpleNamespace(), None, "worker/0", {})
    seen.steps, seen._batches_a_step = SimpleNamespace(step=30), before
    assert [seen._is_of_the_step() for _ in range(3)] == changed
    seen.steps.step = 31
    assert seen._is_of_the_step()
