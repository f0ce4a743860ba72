"""Twins keep to the same processors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.agent import placement
from harness.execution.backends.local import LocalBackend
from harness.vocabulary.instructions import Credit, Share, Spawn


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


ROLE = """
import json, os, sys, time
fd, first, until = int(os.environ["HARNESS_EVENTS_FD"]), sorted(os.sched_getaffinity(0)), time.monotonic() + 20
os.write(fd, sys.argv[1].encode() + b"\\n")
print(json.dumps(first), flush=True)
while sorted(os.sched_getaffinity(0)) == first and time.monotonic() < until:
    time.sleep(0.02)
print(json.dumps(sorted(os.sched_getaffinity(0))), flush=True)
"""
TOLD = {"worker/0": '{"kind":"imported"}', "worker/1": "{}", "server/0": "{}"}


def _told(log: Path, lines: int) -> list[list[int]]:
    until = time.monotonic() + 20
    while time.monotonic() < until and (not log.is_file() or log.read_text().count("\n") < lines):
        time.sleep(0.02)
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one processor for all")
def test_roles_are_placed_once_they_have_imported_mxnet_or_one_of_them_has_its_turn(tmp_path: Path) -> None:
    every = sorted(os.sched_getaffinity(0))
    logs = {name: tmp_path / name.replace("/", "-") for name in TOLD}
    with LocalBackend(tmp_path).open("main", networked=False) as agent:
        for place, (name, line) in enumerate(TOLD.items()):
            argv = (sys.executable, "-c", ROLE, line)
            share = Share(place, len(TOLD), 1)
            agent.send(Spawn(name, argv, dict(os.environ), str(tmp_path), str(logs[name]), share=share))
        own = {name: sorted(placement.processors(Share(place, 3, 1), every)) for place, name in enumerate(TOLD)}
        assert _told(logs["worker/0"], 2) == [every, own["worker/0"]]
        assert [_told(logs[name], 1) for name in ("worker/1", "server/0")] == [[every]] * 2
        agent.send(Credit("worker/1", 1))
        assert {name: _told(log, 2) for name, log in logs.items()} == {name: [every, own[name]] for name in TOLD}
