"""How a replay on a GPU is asked for and read, by a program that stands in for MXNet's Python."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.base.errors import TargetError
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.real_pool import RealPool
from harness.gpu.replay import Failure

SAID = dict.fromkeys(
    ("peak_live", "peak_held", "end_live", "end_held", "fragmentation", "largest", "mallocs", "frees", "free"), 7
) | {"seconds": 0.5, "failure": None}
ASKED = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "CUDA_COUNTING_TOTAL", "MXNET_GPU_MEM_POOL_TYPE", "LD_PRELOAD")


def pool(folder: Path, *lines: str) -> RealPool:
    python = folder / "python"
    python.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    python.chmod(0o755)
    return RealPool(python, {"LD_LIBRARY_PATH": "/wheels"}, 3, folder / "counting")


def test_the_process_sees_one_gpu_and_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shell says of pools and GPUs is not passed on; what is left to the process is told as the total."""
    monkeypatch.setenv("MXNET_GPU_MEM_POOL_RESERVE", "50")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    env, argv = tmp_path / "env", tmp_path / "argv"
    real = pool(tmp_path, f"env > {env}", f'echo "$@" > {argv}', "echo noise", f"echo '{json.dumps(SAID)}'")
    found = real.replay(tmp_path / "t", 42, PoolSettings("Round"), 8 << 30)
    assert (found.events, found.peak_held, found.failure, found.seconds, found.free) == (42, 7, None, 0.5, 7)
    told = dict(line.split("=", 1) for line in env.read_text().splitlines() if "=" in line)
    assert [told[name] for name in ASKED[:4]] == ["3", "PCI_BUS_ID", str(8 << 30), "Round"]
    assert Path(told["LD_PRELOAD"]).name.startswith("counting-")
    assert "MXNET_GPU_MEM_POOL_RESERVE" not in told
    assert argv.read_text().split()[1:] == [str(tmp_path / "t"), "0", str(8 << 30)]


def test_all_memory_is_left_where_nothing_is_said(tmp_path: Path) -> None:
    real = pool(tmp_path, f"env > {tmp_path}/env", f"echo '{json.dumps(SAID)}'")
    real.replay(tmp_path / "t", 1, PoolSettings(), None)
    assert "CUDA_COUNTING_TOTAL" not in (tmp_path / "env").read_text()


def test_the_first_array_without_memory(tmp_path: Path) -> None:
    failure = {"event": 5, "size": 100, "live": 60, "held": 70, "said": "out of memory"}
    found = pool(tmp_path, f"echo '{json.dumps(SAID | {'failure': failure})}'").replay(
        tmp_path / "t", 42, PoolSettings(), None
    )
    assert (found.failure, found.served) == (Failure(5, 100, 60, 70), 5)


def test_what_goes_wrong_is_told_in_its_last_words(tmp_path: Path) -> None:
    real = pool(tmp_path, "echo Traceback >&2", "echo 'OSError: libcuda.so.1: no such file' >&2", "exit 1")
    with pytest.raises(TargetError, match=r"Naive: nothing was replayed on gpu\(3\): OSError: libcuda.so.1"):
        real.replay(tmp_path / "t", 42, PoolSettings(), None)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("echo '[1]'",), "it ended with status 0, and said nothing"),
        (("exit 3",), "it ended with status 3, and said nothing"),
        (("kill -KILL $$",), "it was ended by signal 9"),
    ],
)
def test_what_says_nothing_is_told_by_its_end(tmp_path: Path, lines: tuple[str, ...], words: str) -> None:
    with pytest.raises(TargetError, match=words):
        pool(tmp_path, *lines).replay(tmp_path / "t", 42, PoolSettings(), None)


def test_what_is_no_program(tmp_path: Path) -> None:
    real = pool(tmp_path)
    real.python.write_text("hello\n")
    with pytest.raises(TargetError, match=r"python cannot be run: Exec format error"):
        real.replay(tmp_path / "t", 42, PoolSettings(), None)
