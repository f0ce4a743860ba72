"""Memory of a GPU is held by a process; CUDA's runtime is one that only counts."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.agent.faults.gpu_memory_limit import Commit

CUDART = """
#include <stdlib.h>
static unsigned long long left = 1000000;
int cudaSetDevice(int gpu) { return gpu ? 101 : 0; }
int cudaMemGetInfo(unsigned long long *unused, unsigned long long *total) {
    *unused = left, *total = 2000000;
    return 0;
}
int cudaMalloc(void **block, unsigned long long size) {
    if (size > left) return 2;
    left -= size;
    *block = (void *)size;
    return 0;
}
int cudaFree(void *block) { left += (unsigned long long)block; return 0; }
"""


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Any]:
    """A process that finds that runtime."""
    (tmp_path / "cudart.c").write_text(CUDART)
    argv = ["gcc", "-shared", "-fPIC", "-o", tmp_path / "libcudart.so.11.0", tmp_path / "cudart.c"]
    subprocess.run(argv, check=True)
    env = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    program = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout
        process.stdout.readline()  # while it begins to run, the kernel does not show its environment yet
        yield SimpleNamespace(pid=process.pid, role="worker/0")
        process.kill()


def test_all_but_what_is_left_is_held_until_the_end(child: Any) -> None:
    commit = Commit(child, {"gpu": 0, "free": 300_000})
    begun = commit.begin()
    assert begun == {"ended": False, "held": 700_000, "before": 1_000_000, "after": 300_000, "alive": True}
    ended = commit.end()
    assert ended == {"ended": True, "held": 700_000, "before": 300_000, "after": 1_000_000, "alive": True}


def test_less_is_free_than_is_to_be_left(child: Any) -> None:
    begun = Commit(child, {"gpu": 0, "free": 3_000_000}).begin()
    assert (begun["held"], begun["after"]) == (0, 1_000_000)


def test_a_gpu_that_is_not_there_leaves_no_report(child: Any) -> None:
    commit = Commit(child, {"gpu": 4, "free": 1})
    with pytest.raises(ValueError, match="no memory of the GPU could be held"):
        commit.begin()


def test_a_driver_that_does_not_give_it_back_in_time_does_not_unmake_it(
    child: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Commit(child, {"gpu": 0, "free": 1})
    commit.begin()
    monkeypatch.setattr("select.select", lambda *_: ([], [], []))
    assert commit.end() == {"ended": True, "held": 0, "before": 0, "after": 0, "alive": True}


def test_who_held_it_and_is_gone_is_told(child: Any) -> None:
    commit = Commit(child, {"gpu": 0, "free": 1})
    commit.begin()
    commit._holder.kill()
    commit._holder.wait()
    ended = commit.end()
    assert ended == {"ended": True, "held": 0, "before": 0, "after": 0, "alive": False}
