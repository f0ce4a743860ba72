from __future__ import annotations

import os
import subprocess
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.gpu import pool_settings
from harness.gpu.pool_settings import PoolSettings
from harness.worker import libraries
from tests.conftest import ROOT

ASK = "import mxnet as mx; from harness.worker import libraries; print(libraries.pool_settings(mx))"


@pytest.mark.e2e
def test_settings_of_the_pool_are_what_mxnets_own_library_reads(target: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MXNET_GPU_MEM_POOL_TYPE": "Round", "MXNET_GPU_MEM_POOL_RESERVE": ""}
    argv = [str(target), "-W", "ignore", "-c", ASK]
    said = subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[-1] == "{'MXNET_GPU_MEM_POOL_TYPE': 'Round'}"


@pytest.mark.e2e
def test_the_processor_whose_kernels_openblas_took_is_told(target: Path) -> None:
    ask = "import mxnet; from harness.worker import libraries; print(libraries.versions())"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_CORETYPE": "Nehalem"}
    said = subprocess.run([str(target), "-W", "ignore", "-c", ask], env=env, capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "{'openblas': '0.3.13 for Nehalem'}"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("/x/mxnet/libopenblas.so.0", "openblas"),
        ("/usr/lib/openblas-pthread/libopenblasp-r0.3.21.so", "openblas"),
        ("/x/numpy.libs/libopenblas64_p-r0-742d56dc.3.20.so", None),
        ("/x/numpy.libs/libopenblasp-r0-34a18dc3.3.7.so", None),
        ("/usr/local/cuda/lib64/libcudart.so.11.0", "cudart"),
    ],
)
def test_files_of_libraries(file: str, name: str | None) -> None:
    found = libraries._MAPPED.search(f"7f00-7f01 r-xp 0 08:01 5  {file}\n")
    assert (found.group(2) if found else None) == name


def test_they_are_those_that_the_controller_knows() -> None:
    named = {f"{libraries._POOL}{name}": "1" for name in libraries._OF_POOL}
    assert pool_settings.known(named) == named
    assert len(named) == len(fields(PoolSettings))


def test_an_older_mxnet_does_not_say() -> None:
    assert libraries.pool_settings(SimpleNamespace(util=SimpleNamespace())) == {}
