"""What is kept of an error."""

from __future__ import annotations

import pytest

from harness.worker.operators.refusals import message

CHECKED = "Check failed: assign(&dattr, vec.at(i)): Incompatible attr"
TRACED = """Traceback (most recent call last):
  [bt] (3) libmxnet.so(+0x1) [0x7f]
  File "../src/a.cc", line 3
Error in operator node_45_backward: [05:21:45] ../src/ndarray/./../operator/elemwise_op_common.h:134: Check failed: x
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("  plain\n\n", "plain"),
        (f"[05:34:59] /build/src/elemwise_op_common.h:135: {CHECKED}", CHECKED),
        (TRACED, "Error in operator node_45_backward: Check failed: x"),
        ("  (0) only places\n  [bt] (1) more", "[bt] (1) more"),
        ("[05] at 10:20:30: stays", "[05] at 10:20:30: stays"),
    ],
)
def test_the_last_line_that_says_something_without_when_and_where(text: str, kept: str) -> None:
    assert message(ValueError(text)) == f"ValueError: {kept}"


def test_long_ones_are_cut() -> None:
    assert message(KeyError("x" * 400)) == f"KeyError: '{'x' * 299}"
