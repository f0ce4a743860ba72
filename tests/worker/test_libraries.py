from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.worker import libraries
from tests.conftest import ROOT

ASK = "import mxnet as mx; from harness.worker import libraries; print(libraries.pool_settings(mx))"


@pytest.mark.e2e
def test_settings_of_the_pool_are_what_mxnets_own_library_reads(target: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MXNET_GPU_MEM_POOL_TYPE": "Round", "MXNET_GPU_MEM_POOL_RESERVE": ""}
    argv = [str(target), "-W", "ignore", "-c", ASK]
    said = subprocess.run(argv, env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[-1] == "{'MXNET_GPU_MEM_POOL_TYPE': 'Round'}"


def test_an_older_mxnet_does_not_say() -> None:
    assert libraries.pool_settings(SimpleNamespace(util=SimpleNamespace())) == {}
