"""What a reason says of an exception."""

from __future__ import annotations

import pytest

from harness.execution import failure
from harness.vocabulary.events import Failed

PS_LITE = (
    'MXNetError: Traceback (most recent call last):\n  File "../3rdparty/ps-lite/src/postoffice.cc", line 20\n'
    'MXNetError: Check  notnull: Environment::Get()->find("DMLC_NUM_WORKER") '
)


@pytest.mark.parametrize(
    ("error", "where", "expected"),
    [
        ("NameError: name 'unitz' is not defined", "net.py:26", "NameError: name 'unitz' is not defined (net.py:26)"),
        ("MXNetError: [10:02:03] src/a.cc:1: Check failed: x\nStack trace:\n  [bt] (0)", "", "MXNetError: [10:02:03] "),
        (
            PS_LITE,
            "train.py:4",
            'MXNetError: Check  notnull: Environment::Get()->find("DMLC_NUM_WORKER") (train.py:4); a dist kvstore '
            "takes a cluster: topology: {kvstore: dist_sync, workers: 2}",
        ),
        ("MXNetError: Traceback (most recent call last):\n  File a\nno more", "", "no more"),
        ("", "", ""),
        ("ValueError: " + "x" * 500, "", "ValueError: " + "x" * 188),
    ],
)
def test_the_line_that_says_what_went_wrong(error: str, where: str, expected: str) -> None:
    said = failure.in_short(Failed(0.0, "main", "worker/0", error, False, where=where))
    assert said.startswith(expected)
    assert "\n" not in said


@pytest.mark.parametrize(
    ("error", "mxnet", "built", "expected"),
    [
        ("ModuleNotFoundError: No module named 'tqdm'", False, True, True),
        ("ModuleNotFoundError: No module named 'tqdm'", False, False, False),
        ("ModuleNotFoundError: No module named 'onnx'", True, True, False),
        ("ImportError: cannot import name 'x'", False, True, False),
    ],
)
def test_a_module_that_only_the_users_interpreter_has(error: str, mxnet: bool, built: bool, expected: bool) -> None:
    failed = Failed(0.0, "main", "worker/0", error, False, mxnet=mxnet, where="train.py:3")
    assert (
        failure.in_short(failed, built).endswith("--python PATH takes an interpreter that has the module") is expected
    )
