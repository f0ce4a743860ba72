"""``harness pool``, as it is typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness import cli
from harness.gpu import installed
from harness.gpu.devices import Driver, Gpu
from harness.gpu.machine_code import MachineCode
from harness.targets import library, resolve
from harness.targets.interpreter import Interpreter

TRACE = "a 1 3000000\nf 1\na 2 5000000\nf 2\na 3 7000000\n"
CUTOFF = "MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "growing.trace"
    path.write_text(TRACE)
    return path


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = cli.main(["pool", *map(str, arguments)])
    return code, *capsys.readouterr()


def test_what_becomes_of_a_trace(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, _ = ran(capsys, "replay", trace, "--gpu-memory", "1GB")
    assert code == 0
    assert "growing: 5 allocations and frees, 7 MB live at most" in told
    assert "simulated, with 1 GB of GPU memory" in told
    assert told.splitlines()[-1] == "settings: MXNet's defaults"


def test_out_of_memory_is_1(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--env", "MXNET_GPU_MEM_POOL_TYPE=Round", "--env", f"{CUTOFF}=26")
    code, told, _ = ran(capsys, "replay", trace, "--gpu-memory", "8MB", *asked)
    assert code == 1
    assert "Round, cutoff 26" in told
    assert "40%, 5 MB" in told


def test_larger_arrays(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, _ = ran(capsys, "replay", trace, "--gpu-memory", "1GB", "--scale", "2", "--json")
    (found,) = json.loads(told)["settings"]
    assert (code, found["peak_live"], found["settings"], found["failure"]) == (0, 14_000_000, {}, None)


def test_the_best_of_all(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told, _ = ran(capsys, "best", trace, "--gpu-memory", "1GB", "--json")
    body = json.loads(told)
    assert (code, body["schema"], body["simulated"], len(body["settings"])) == (0, "harness/pool/1", True, 37)
    assert body["settings"][0]["peak_held"] <= min(each["peak_held"] for each in body["settings"] if each["frees"] == 0)
    code, told, _ = ran(capsys, "best", trace, "--gpu-memory", "1GB")
    assert (code, told.splitlines()[-1][:10]) == (0, "the first:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gpu-memory", "1GB", "--env", "A"), "--env A: write NAME=VALUE"),
        (("--gpu-memory", "1GB", "--gpu-total", "1MB"), "--gpu-total is the memory of the whole GPU"),
        (("--gpu-memory", "1GB", "--env", f"{CUTOFF}=19"), None),
        (("--gpu-memory", "1GB", "--env", "MXNET_GPU_MEM_POOL_TYPE=R"), "allowed are Naive, Round, Unpooled"),
    ],
)
def test_mistakes(
    trace: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str | None
) -> None:
    code, _, told = ran(capsys, "replay", trace, *arguments)
    assert code == (0 if message is None else 2)  # Naive never reads the cutoff
    assert (message or f"{CUTOFF} does nothing with the pool Naive") in told


def test_the_reserve_is_of_the_whole_gpu(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """5 % of 8 GB is all that is free: what waits is given back for every array."""
    code, told, _ = ran(capsys, "replay", trace, "--gpu-memory", "400MB", "--gpu-total", "8GB", "--json")
    (found,) = json.loads(told)["settings"]
    assert (code, json.loads(told)["gpu_total"], found["frees"]) == (0, 8_000_000_000, 2)
    _, told, _ = ran(capsys, "replay", trace, "--gpu-memory", "400MB", "--json")
    assert json.loads(told)["settings"][0]["frees"] == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ((), "give --arm; there are a, b"),
        (("--arm", "c"), "'c' is no arm; there are a, b"),
        (("--write", "/nowhere/t"), "/nowhere/t cannot be written: no such file or directory"),
    ],
)
def test_what_cannot_be_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: tuple[str, ...], message: str
) -> None:
    (tmp_path / "q.yaml").write_text("title: t\nworkload: {model: mlp, steps: 20}\nvariants: {a: {}, b: {}}\n")
    code, _, told = ran(capsys, "record", tmp_path / "q.yaml", "--write", tmp_path / "t", *asked)
    assert code == 2
    assert message in told


def test_what_recording_sets_is_not_to_be_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.yaml").write_text("title: t\nworkload: {model: mlp, steps: 20}\n")
    asked = ("--write", tmp_path / "t", "--set", "workload.memory=live")
    code, _, told = ran(capsys, "record", tmp_path / "q.yaml", *asked)
    assert (code, "workload.memory is what recording sets; leave it out" in told) == (2, True)


def test_a_python_without_cuda_replays_nothing(
    trace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gpu = Gpu(0, "A100", None, (8, 0), 1 << 35, None, False)
    monkeypatch.setattr(installed, "driver", lambda: Driver("535", (12, 2), [gpu]))
    monkeypatch.setattr(library, "machine_code_of", lambda _: MachineCode(frozenset(), frozenset()))
    monkeypatch.setattr(resolve, "interpreter", lambda *_: Interpreter(Path(sys.executable)))
    code, _, told = ran(capsys, "best", trace, "--gpu", "0", "--python", sys.executable)
    assert (code, "has no MXNet with CUDA; leave --gpu out" in told) == (2, True)


def test_what_is_simulated_needs_a_size_and_no_mxnet(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, told = ran(capsys, "replay", trace)
    assert (code, "--gpu-memory is needed without --gpu" in told) == (2, True)
    code, _, told = ran(capsys, "replay", trace, "--gpu-memory", "1GB", "--python", sys.executable)
    assert (code, "--python does nothing without --gpu" in told) == (2, True)


@pytest.mark.parametrize(
    "arguments", [("--gpu", "x"), ("--gpu-memory", "16"), ("--gpu-memory", "1GB", "--scale", "nan")]
)
def test_what_is_not_given_or_no_size(trace: Path, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["pool", "replay", str(trace), *arguments])
    assert caught.value.code == 2
