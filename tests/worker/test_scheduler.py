from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from harness.worker import scheduler
from tests.conftest import ROOT

SCHEDULER = (
    "import sys; from harness.worker import scheduler; scheduler.serve(); "
    "print('left', 'mxnet' in sys.modules or 'numpy' in sys.modules)"
)
WORKER = "import mxnet as mx; store = mx.kv.create('dist_sync'); print(store.rank, store.num_workers)"


def _start(target: Path, role: str, code: str, port: int) -> subprocess.Popen[str]:
    job = {"DMLC_PS_ROOT_URI": "127.0.0.1", "DMLC_PS_ROOT_PORT": str(port), "DMLC_NODE_HOST": "127.0.0.1"}
    sizes = {"DMLC_NUM_WORKER": "1", "DMLC_NUM_SERVER": "1", "DMLC_ROLE": role, "PYTHONPATH": str(ROOT)}
    argv = [str(target), "-W", "ignore", "-c", code]
    return subprocess.Popen(argv, env={**os.environ, **job, **sizes}, stdout=subprocess.PIPE, text=True)


@pytest.mark.e2e
def test_a_job_meets_and_leaves_by_it_and_python_has_no_part_in_it(target: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    roles = {"scheduler": SCHEDULER, "server": "import mxnet", "worker": WORKER}
    started = [_start(target, role, code, port) for role, code in roles.items()]
    assert [process.communicate(timeout=120)[0].strip() for process in started] == ["left False", "", "0 1"]
    assert [process.returncode for process in started] == [0, 0, 0]


def test_without_mxnet_the_import_fails_as_pythons_own_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'mxnet'$"):
        scheduler.serve()
