"""The wheel for GPUs, 4 GB, with a stub of the driver: ``make test-gpu-target``, on any machine with a C compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.targets import environment, library
from harness.targets.environment import Environment
from tests.conftest import ROOT

pytestmark = pytest.mark.gpu_target

STUB = "".join(
    f"int {name}(void) {{ return 100; }}\n"
    for name in (
        "cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuGetErrorString", "cuGraphKernelNodeGetParams",
        "cuGraphNodeGetType", "cuLaunchKernel", "cuModuleGetFunction", "cuModuleLoadData", "cuModuleLoadDataEx",
        "cuModuleUnload",
    )
)  # fmt: skip
"""Every call says CUDA_ERROR_NO_DEVICE."""


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ``libcuda.so.1`` that finds no device."""
    folder = tmp_path_factory.mktemp("driver")
    (folder / "stub.c").write_text(STUB)
    argv = ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", folder / "libcuda.so.1", folder / "stub.c"]
    subprocess.run(argv, check=True)
    return folder


def built(nccl: str | None = None) -> Environment:
    recipe = environment.recipe(environment.DEFAULT_MXNET, cuda="11", nccl=nccl)
    environment.ensure(recipe, print)
    found = environment.built(recipe)
    assert found is not None
    return found


def harness(stub: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "LD_LIBRARY_PATH": str(stub)}
    return subprocess.run(
        [sys.executable, "-m", "harness", *arguments], capture_output=True, text=True, env=env, cwd=ROOT
    )


@pytest.mark.parametrize("nccl", ["2.21.5", "2.13.4"])
def test_it_trains_on_processors_and_names_its_libraries(stub: Path, tmp_path: Path, nccl: str) -> None:
    built(nccl)
    scenario = tmp_path / "q.yaml"
    scenario.write_text(
        f"title: t\ntarget: {{cuda: 11, nccl: {nccl}}}\nworkload: {{model: mlp, steps: 60, warmup: 20}}\n"
    )
    done = harness(stub, "run", str(scenario), "--json", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (verdict,) = json.loads(done.stdout)["verdicts"]
    target = verdict["facts"]["target"]
    assert {"CUDA", "CUDNN", "NCCL"} <= set(target["features"])
    nvidias = {name: version for name, version in target["libraries"].items() if name != "openblas"}
    assert nvidias == {"nccl": nccl, "cudnn": "8.9.6"}, "CUDA's runtime needs a driver to say its own"
    assert verdict["arms"][0]["ended"] is not None


def test_its_machine_code() -> None:
    found = library.machine_code_of(built().interpreter)
    assert found is not None
    assert (found.words, found.cuda) == ("5.0, 6.0, 7.0, 8.0, 8.6", (11, 0))


def test_a_gpu_is_refused_in_words(stub: Path) -> None:
    built()
    done = harness(stub, "run", "scenarios/gpu/lenet.yaml")
    assert done.returncode == 2
    assert "contexts gpu(0) is not possible here: NVML says" in done.stderr


def test_one_version_beside_another(stub: Path, tmp_path: Path) -> None:
    """`compare` with versions of NCCL as sides: the same training, bit by bit."""
    done = harness(
        stub, "compare", "scenarios/config/bulk-execution.yaml", "--set", "target.cuda=11", "--a", "target.nccl=2.21.5",
        "--b", "target.nccl=2.13.4", "--budget", "20s", "--json", "--results", str(tmp_path),
    )  # fmt: skip
    body = json.loads(done.stdout)
    assert body["meaning"]["b"]["word"] == "identical", done.stderr


SPEAKS = """\
import ctypes
import mxnet as mx

code = ctypes.CDLL("libnccl.so.2").ncclGetUniqueId(ctypes.create_string_buffer(128))
raise mx.MXNetError("ncclGetUniqueId gave %d" % code)
"""


@pytest.mark.parametrize("nccl", ["2.21.5", "2.13.4"])
def test_what_nccl_itself_warns_of_is_in_the_reason(stub: Path, tmp_path: Path, nccl: str) -> None:
    built(nccl)
    (tmp_path / "train.py").write_text(SPEAKS)
    scenario = tmp_path / "q.yaml"
    scenario.write_text(
        f"title: t\ntarget: {{cuda: 11, nccl: {nccl}, env: {{NCCL_DEBUG: INFO, NCCL_SOCKET_IFNAME: =nosuch0}}}}\n"
        f"workload: {{script: {tmp_path / 'train.py'}}}\nexpect: {{outcome: refused}}\n"
    )
    done = harness(stub, "run", str(scenario), "--json", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (verdict,) = json.loads(done.stdout)["verdicts"]
    assert "; NCCL in worker/0 warned: " in verdict["arms"][0]["reason"]
    warnings = verdict["facts"]["nccl"]["main"]["worker/0"]["warnings"]
    assert any(warning.endswith("Bootstrap : no socket interface found") for warning in warnings)


def test_a_worker_with_another_nccl_says_so_itself(stub: Path, tmp_path: Path) -> None:
    """`wrong_start`: on processors nothing uses NCCL, and the job trains on."""
    built()
    scenario = tmp_path / "q.yaml"
    scenario.write_text(
        "title: t\ntarget: {cuda: 11}\nworkload: {model: mlp, steps: 60, warmup: 20}\n"
        "topology: {kvstore: dist_sync, workers: 2}\n"
        'faults: [{wrong_start: {select: {role: worker, rank: 1}, nccl: "2.13.4"}}]\ncontrol: false\n'
    )
    done = harness(stub, "run", str(scenario), "--json", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    (verdict,) = json.loads(done.stdout)["verdicts"]
    (receipt,) = verdict["arms"][0]["receipts"]
    assert (receipt["proven"], receipt["evidence"]) == (True, "it loaded NCCL 2.13.4")
    assert verdict["facts"]["target"]["libraries"]["nccl"] == "2.21.5"
