"""Operations that wait, one after the other, until the first steps are over."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.e2e
PROGRAM = """
import mxnet as mx
from harness.worker.op_by_op import OpByOp
library = mx.base._LIB
plain = library.MXImperativeInvokeEx

def fails():
    try:
        mx.nd.linalg.potrf(mx.nd.array([[-1.0]]))
    except mx.MXNetError:
        return "in the call"
    try:
        mx.nd.waitall()
    except mx.MXNetError:
        return "later"

def state():
    return "%s, %s" % ("as usual" if library.MXImperativeInvokeEx is plain else "waits", fails())

calls = OpByOp(mx, 2)
print(state())
calls.after(1)
print(state())
calls.after(2)
print(state())
OpByOp(mx, 0)
print(state())
"""


def test_calls_wait_for_the_first_steps_and_fail_by_themselves(target: Path) -> None:
    argv = [str(target), "-W", "ignore", "-c", PROGRAM]
    ended = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "waits, in the call",
        "waits, in the call",
        "as usual, later",
        "as usual, later",
    ]
