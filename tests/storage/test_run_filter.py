from __future__ import annotations

from pathlib import Path

import pytest

from harness.storage import run_filter, run_folder
from harness.storage.run_filter import RunFilter
from harness.storage.run_index import Entry

RUN = Entry("id", "slow-worker", "why?", "finished", "pass", "", ("1.9.1", "1.10.0"), ("completed", "hung"), 1000.0)
LOST = Entry("id", "slow-worker", "why?", "lost", "", "", (), (), None)


@pytest.mark.parametrize(
    ("asked", "run", "lost"),
    [
        (RunFilter(), True, True),
        (RunFilter(name="slow"), True, True),
        (RunFilter(name="fast"), False, False),
        (RunFilter(verdict="pass"), True, False),
        (RunFilter(verdict="lost"), False, True),
        (RunFilter(outcome="hung"), True, False),
        (RunFilter(outcome="crashed"), False, False),
        (RunFilter(since=1000.0), True, False),
        (RunFilter(since=1001.0), False, False),
        (RunFilter(mxnet="1.9"), True, False),
        (RunFilter(mxnet="1.9.1"), True, False),
        (RunFilter(mxnet="1.1"), False, False),
        (RunFilter(name="slow", verdict="fail"), False, False),
    ],
)
def test_each_thing_that_is_asked_for_counts(asked: RunFilter, run: bool, lost: bool) -> None:
    assert (asked.wants(RUN), asked.wants(LOST)) == (run, lost)


def test_newest_first_and_by_claim(tmp_path: Path) -> None:
    for name, claims in (("a", "[K1, K9]"), ("b", "[K9]"), ("c", "[")):
        run_folder.create(tmp_path, name, "abcdef").write("scenario.yaml", f"title: x\nclaims: {claims}\n")
    found = [entry.name for _, entry in run_filter.newest(tmp_path, RunFilter())]
    assert found == ["c", "b", "a"]
    assert [entry.name for _, entry in run_filter.newest(tmp_path, RunFilter(claim="K1"))] == ["a"]
