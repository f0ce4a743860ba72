"""Automatic mixed precision: what its settings do, seen on real MXNet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Command, harness, needs_bfloat16

pytestmark = [pytest.mark.e2e, needs_bfloat16]
SCENARIO = """\
title: a question
workload: {model: mlp, steps: 80, warmup: 10, digest_every: 40, amp: AMP}
faults:
  - inf: {select: {role: worker, rank: 0}, at: {step: 30}, for: {steps: 2}}
control: false
"""
LISTS = """\
title: a question
workload: {model: mlp, steps: 60, warmup: 10, digest_every: 20, amp: {dtype: bfloat16}}
variants:
  usual: {}
  all-in-float32: {workload.amp.target_precision_ops: [], workload.amp.fp32_ops: [FullyConnected]}
  float32: {workload.amp: null}
"""


def ran(folder: Path, text: str) -> Command:
    (folder / "question.yaml").write_text(text)
    return harness("run", folder / "question.yaml", "--json", "--results", folder / "results")


def overflows(command: Command) -> list[Any]:
    (arm,) = command.json["verdicts"][0]["arms"]
    return [(each["value"], each["note"]) for each in arm["measures"] if each["name"] == "overflows"]


@pytest.mark.parametrize(
    ("scaling", "last"), [("true", "at a loss scale of 65536"), ("1024", "at a loss scale of 1024")]
)
def test_overflows_are_seen_and_a_fixed_scale_stays(target: Path, tmp_path: Path, scaling: str, last: str) -> None:
    """MXNet halves its own a step later than it could: the second overflow still has the first scale."""
    command = ran(tmp_path, SCENARIO.replace("AMP", f"{{dtype: bfloat16, loss_scaling: {scaling}}}"))
    assert command.code == 0, command.err
    assert overflows(command) == [(2, f"last at step 31, {last}")]


def test_lists_of_operators_replace_those_of_mxnet(target: Path, tmp_path: Path) -> None:
    command = ran(tmp_path, LISTS)
    assert command.code == 0, command.err
    assert "workload.amp.fp32_ops replaces MXNet's own list; it adds nothing to it" in command.err
    losses = {
        arm["arm"]: next(each["value"] for each in arm["measures"] if each["name"] == "final_loss")
        for arm in command.json["verdicts"][0]["arms"]
    }
    assert losses["all-in-float32"] == losses["float32"] != losses["usual"]
