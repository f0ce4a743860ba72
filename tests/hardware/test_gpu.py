"""A real GPU: what is foretold of it, sampled from it, and replayed on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pynvml
import pytest

from harness.base.process import module
from harness.gpu import allocation_trace, fitness, machine_code, nvml
from harness.gpu.allocation_trace import AllocationTrace
from harness.gpu.device_memory import PAGE
from harness.gpu.devices import Driver
from harness.gpu.pool_settings import PoolSettings
from harness.gpu.real_pool import RealPool
from harness.gpu.simulation import simulate
from harness.targets import library
from harness.targets.interpreter import Interpreter
from harness.vocabulary import events
from harness.vocabulary.events import Event, GpuMissing, GpuSampled
from tests.conftest import ROOT
from tests.hardware.conftest import Record

pytestmark = pytest.mark.gpu

GIB = 1 << 30
HELD = """
import ctypes, sys
cuda = ctypes.CDLL("libcudart.so.11.0")
block = ctypes.c_void_p()
assert cuda.cudaMalloc(ctypes.byref(block), ctypes.c_size_t({size})) == 0
assert cuda.cudaMemset(block, 0, ctypes.c_size_t({size})) == 0
assert cuda.cudaDeviceSynchronize() == 0
print("held", flush=True)
sys.stdin.read()
assert cuda.cudaFree(block) == 0
"""
COPIED = """
import json
import mxnet as mx, numpy as np
gpu, said = mx.gpu(0), {}
values = np.arange(1 << 20, dtype="float32")
there = mx.nd.empty(values.shape, ctx=gpu)
mx.nd.array(values).copyto(there)
said["copies"] = bool((there.asnumpy() == values).all())
free, total = mx.context.gpu_memory_info(0)
block = mx.nd.empty((64 << 20,), dtype="uint8", ctx=gpu)
block.wait_to_read()
said["taken"] = free - mx.context.gpu_memory_info(0)[0]
del block
mx.nd.waitall()
said["kept"] = free - mx.context.gpu_memory_info(0)[0]
said["gpus"] = mx.context.num_gpus()
try:
    mx.nd.ones((2,), ctx=gpu).asnumpy()
    said["kernel"] = "runs"
except mx.MXNetError as error:
    said["kernel"] = str(error).strip().splitlines()[-1]
print(json.dumps(said), flush=True)
import os
os._exit(0)  # a failed kernel is told once more at the end
"""


@contextmanager
def held(python: Interpreter, size: int) -> Iterator[int]:
    """A process that is not MXNet holds so many bytes of the first GPU."""
    argv = [str(python.python), "-c", HELD.format(size=size)]
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **python.env}
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "held\n"
        yield process.pid
        process.stdin.close()


def test_doctor_names_the_gpus(driver: Driver, record: Record) -> None:
    done = subprocess.run([sys.executable, "-m", "harness", "doctor", "--json"], capture_output=True, text=True)
    (found,) = [each for each in json.loads(done.stdout)["capabilities"] if each["name"] == "GPUs"]
    record("doctor", found)
    record("driver_says", asdict(driver))
    assert found["there"]
    assert all(gpu.name in found["why"] for gpu in driver.gpus)


def test_what_the_library_is_for_decides_whether_a_kernel_runs(
    driver: Driver, on_gpu: Interpreter, record: Record
) -> None:
    """What is foretold from the file, and what MXNet then says (claim E2)."""
    code = library.machine_code_of(on_gpu)
    assert code is not None
    misfits = [str(misfit) for misfit in fitness.misfits(driver, [0], code, code.cuda)]
    env = {**os.environ, **on_gpu.env}
    done = subprocess.run([str(on_gpu.python), "-c", COPIED], capture_output=True, text=True, env=env)
    said = json.loads(done.stdout.splitlines()[-1])
    record("fitness", {"machine_code": code.words, "cuda": code.cuda, "misfits": misfits, "mxnet": said})
    assert said["copies"]
    assert said["gpus"] == len(driver.gpus)
    assert said["taken"] >= 64 << 20
    assert said["kept"] >= 64 << 20, "the pool keeps what is freed"
    assert (said["kernel"] == "runs") == (misfits == []), said["kernel"]


def test_a_process_is_seen_by_its_bytes(driver: Driver, on_gpu: Interpreter, record: Record) -> None:
    with nvml.connection():
        gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
        before = nvml.sample(gpu)
        with held(on_gpu, GIB) as pid:
            during = nvml.sample(gpu, slow=True)
        after = _until_given_back(gpu, before.values["memory_used"])
    record("samples", {"before": asdict(before), "during": asdict(during), "pid": pid, "after": asdict(after)})
    assert during.values["memory_used"] - before.values["memory_used"] >= GIB
    assert after.values["memory_used"] < before.values["memory_used"] + GIB / 2
    assert "memory_used" not in during.missing


def _until_given_back(gpu: Any, most: float) -> nvml.Sample:
    """The driver takes a moment to clean up after a process."""
    for _ in range(50):
        found = nvml.sample(gpu)
        if found.values["memory_used"] <= most * 1.1:
            break
        time.sleep(0.1)
    return found


def test_what_sampling_costs(driver: Driver, record: Record) -> None:
    with nvml.connection():
        gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
        costs = {}
        for slow in (False, True):
            taken = []
            for _ in range(20 if slow else 200):
                began = time.perf_counter()
                nvml.sample(gpu, slow)
                taken.append(time.perf_counter() - began)
            costs["with PCIe" if slow else "plain"] = median(taken)
    record("seconds_of_a_sample", costs)
    assert costs["plain"] < 0.05


def test_the_sampler_tells_what_happens(driver: Driver, on_gpu: Interpreter, record: Record) -> None:
    """The process beside an agent, as the agent starts it."""
    read, write = os.pipe()
    argv = module("harness.gpu.sampler", "main", "0.1", "0")
    env = {**os.environ, "HARNESS_EVENTS_FD": str(write)}
    with subprocess.Popen(argv, env=env, cwd=ROOT, pass_fds=(write,)) as sampler:
        os.close(write)
        with os.fdopen(read, "rb") as lines:
            told: list[Event] = [events.decode(lines.readline())]
            with held(on_gpu, GIB):
                told += [events.decode(lines.readline()) for _ in range(10)]
            sampler.kill()
    samples = [event for event in told if isinstance(event, GpuSampled)]
    record("sampler", [{"t": event.t, "values": event.values, "slowed": event.slowed} for event in samples])
    assert len(samples) == len(told)
    assert {event.subject for event in samples} == {"gpu/0"}
    used = [event.values["memory_used"] for event in samples]
    assert max(used) - used[0] >= GIB
    assert 0.05 < median(b.t - a.t for a, b in pairwise(samples[1:])) < 0.3


def test_a_gpu_that_is_not_there_is_told(driver: Driver) -> None:
    read, write = os.pipe()
    argv = module("harness.gpu.sampler", "main", "0.1", "77")
    with subprocess.Popen(argv, env={**os.environ, "HARNESS_EVENTS_FD": str(write)}, cwd=ROOT, pass_fds=(write,)):
        os.close(write)
        with os.fdopen(read, "rb") as lines:
            (told,) = [events.decode(line) for line in lines]
    assert isinstance(told, GpuMissing)
    assert told.subject == ""
    assert told.reason == "invalid argument"


SETTINGS = (
    PoolSettings(),
    PoolSettings("Round"),
    PoolSettings("Round", cutoff=28),
    PoolSettings("Round", page_size=65536),
    PoolSettings("Naive", large_round=16 << 20),
    PoolSettings("Naive", reserve=20),
    PoolSettings("Unpooled"),
)
LIMITS = (None, 8 * GIB)


def _with_the_first(trace: AllocationTrace) -> AllocationTrace:
    """With the array that brings the pool up: its block stays there, and a page of the device with it."""
    return AllocationTrace(trace.name, [(-1, 1), (-1, 0), *trace.events])


@pytest.mark.parametrize("trace", ["rnn", "cnn"])
def test_the_pool_does_what_was_foretold(
    driver: Driver, on_gpu: Interpreter, record: Record, tmp_path: Path, trace: str
) -> None:
    """Every setting in a fresh process, without a limit and with 8 GiB, beside the simulation: one block apart."""
    scaled = allocation_trace.read(ROOT / "tests" / "recorded" / "h100" / f"{trace}.trace.gz").scaled(16)
    file = tmp_path / "trace"
    allocation_trace.write(scaled, file)
    real = RealPool(on_gpu.python, on_gpu.env, 0, tmp_path)
    rows, parted = [], []
    total = driver.gpus[0].memory or 0
    for limit in LIMITS:
        for settings in SETTINGS:
            found = real.replay(file, len(scaled.events), settings, limit)
            page = 0 if settings.kind == "Unpooled" else PAGE
            told = simulate(_with_the_first(scaled), settings, (found.free or 0) + page, limit or total)
            first = 0 if settings.kind == "Unpooled" else settings.page_size
            names = ("peak_live", "peak_held", "end_held", "fragmentation", "mallocs", "frees")
            both = {name: (getattr(told, name), getattr(found, name)) for name in names}
            served = told.served - 2, found.served
            rows.append(
                {
                    "settings": settings.words,
                    "limit": limit,
                    "seconds": found.seconds,
                    "free": found.free,
                    "served": served,
                    **both,
                }
            )
            if served[0] != served[1] or both["peak_held"][0] - first != both["peak_held"][1]:
                parted.append(rows[-1])
    record(f"replays_{trace}", rows)
    assert len(parted) <= len(rows) // 10, parted


def test_the_command_replays_on_the_gpu(driver: Driver, on_gpu: Interpreter, record: Record) -> None:
    trace = ROOT / "tests" / "recorded" / "h100" / "rnn.trace.gz"
    argv = [sys.executable, "-m", "harness", "pool", "replay", str(trace), "--gpu", "0", "--scale", "16", "--json"]
    argv += ["--python", os.environ.get("HARNESS_GPU_PYTHON", str(on_gpu.python)), "--gpu-memory", "8GiB"]
    argv += ["--env", "MXNET_GPU_MEM_POOL_TYPE=Round", "--env", "MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF=28"]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    record("command", body)
    assert (body["simulated"], body["gpu"]) == (False, 0)
    (row,) = body["settings"]
    assert row["peak_held"] == 5_744_676_864, "as on an H200, without the array that brings the pool up"
    assert row["largest"] > GIB


NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


@pytest.mark.skipif(NVCC is None, reason="no nvcc here")
def test_machine_code_is_what_cuobjdump_finds(driver: Driver, tmp_path: Path, record: Record) -> None:
    """Of a library that nvcc made for several GPUs."""
    source = tmp_path / "kernel.cu"
    source.write_text("__global__ void add(float *x) { *x += 1; }\nvoid run(float *x) { add<<<1, 1>>>(x); }\n")
    made = tmp_path / "libkernel.so"
    wanted = ["-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
    assert NVCC is not None
    subprocess.run([NVCC, *wanted, "-shared", "-Xcompiler", "-fPIC", "-o", str(made), str(source)], check=True)
    tool = str(Path(NVCC).with_name("cuobjdump"))
    listed = [
        subprocess.run([tool, kind, str(made)], check=True, capture_output=True, text=True).stdout
        for kind in ("--list-elf", "--list-ptx")
    ]
    code = machine_code.read(made)
    record("cuobjdump", {"said": listed, "read": code.words})
    assert code.exact >= {(8, 0), (9, 0)}
    assert {f"sm_{major}{minor}" in listed[0] for major, minor in code.exact} == {True}
    assert {f"sm_{major}{minor}" in listed[1] for major, minor in code.ptx} == {True}
    assert code.runs_on((9, 0))
