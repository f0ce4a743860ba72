"""Twins keep to the same processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.agent import placement
from harness.vocabulary.instructions import Share


@pytest.mark.parametrize(
    ("place", "of", "threads", "allowed", "own"),
    [
        (0, 1, 1, {0, 1}, {0, 1}),
        (0, 3, 1, {0, 1}, {0}),
        (1, 3, 1, {0, 1}, {1}),
        (2, 3, 1, {0, 1}, {0}),
        (1, 3, 2, {0, 1}, {0, 1}),
        (0, 2, 1, {2, 3, 5, 7}, {2, 3}),
        (1, 2, 1, {2, 3, 5, 7}, {5, 7}),
        (1, 3, 1, {0, 1, 2, 3, 4, 5, 6}, {2, 3}),
        (3, 4, 2, {0, 1, 2, 3}, {0, 3}),
        (5, 8, 16, {4}, {4}),
    ],
)
def test_processes_get_equal_parts(place: int, of: int, threads: int, allowed: set[int], own: set[int]) -> None:
    assert placement.processors(Share(place, of, threads), allowed) == own


def test_the_main_thread_is_apart_where_there_is_room_and_one_that_computes() -> None:
    assert placement.environment(Share(0, 1, 1), {0, 1}) == {"HARNESS_MAIN_APART": "1"}
    assert placement.environment(Share(0, 1, 2), {0, 1}) == {}
    assert placement.environment(Share(0, 2, 1), {0}) == {}


THREADS = """
import subprocess, sys, threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
child = subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"], stdout=subprocess.PIPE, text=True)
child.stdout.readline()
print(child.pid, flush=True)
input()
"""


def test_all_threads_of_all_that_was_started_are_placed() -> None:
    last = max(os.sched_getaffinity(0))
    with subprocess.Popen([sys.executable, "-c", THREADS], stdin=-1, stdout=-1, text=True) as started:
        assert started.stdin is not None
        assert started.stdout is not None
        child = int(started.stdout.readline())
        placement.keep({started.pid}, {last})
        threads = [path for process in (started.pid, child) for path in Path(f"/proc/{process}/task").iterdir()]
        assert [os.sched_getaffinity(int(thread.name)) for thread in threads] == [{last}] * 3
        started.stdin.write("\n" * 2)
    placement.keep({started.pid}, {last})  # one that is gone needs none
