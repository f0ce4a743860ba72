from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from harness.execution import worker_archive
from tests.worker.models.building import is_what_it_says

pytestmark = pytest.mark.e2e

COUNT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import mxnet as mx
from _harness_worker import models

net = models.find("adaptive").build(10)
net.initialize(mx.init.One())
calls, counts = [], []
net.again.register_forward_pre_hook(lambda block, inputs: calls.append(block))
for value in (0.0, 1e-9, 1.0):
    before = len(calls)
    net(mx.nd.full((2, 64), value))
    counts.append(len(calls) - before)
print(json.dumps(counts))
"""


def test_it_is_what_it_says(target: Path, tmp_path: Path) -> None:
    is_what_it_says("adaptive", target, tmp_path, parameters=8970)


def test_values_decide_how_often_its_layer_is_repeated(target: Path, tmp_path: Path) -> None:
    """Weights of one: each time is 65 times the one before."""
    archive = tmp_path / "worker.pyz"
    archive.write_bytes(worker_archive.build())
    done = subprocess.run([target, "-c", COUNT, archive], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [6, 4, 1]
