"""Axes of asv's matrix."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from asv.config import Config
from asv.util import UserError

from harness.asv_bridge import tracking
from harness.asv_bridge.environment import CUDA_VARIABLE, MXNET_VARIABLE, TargetEnvironment
from harness.planning.validation import load
from tests.conftest import ROOT

LENET = ROOT / "scenarios" / "gpu" / "lenet.yaml"


def environment(**requirements: str) -> Any:
    return TargetEnvironment(Config.load(str(ROOT / "asv.conf.json")), "3.11", requirements, {})


@pytest.mark.parametrize(
    ("requirements", "why"),
    [
        ({"numpy": "1"}, "numpy cannot be chosen; allowed are mxnet, cuda, nccl, cudnn"),
        ({"mxnet": "1.9.1", "cuda": "12"}, "cuda '12' cannot be chosen"),
        ({"mxnet": "1.9.1", "nccl": "2.18.3"}, "nccl: does nothing without cuda"),
        ({"mxnet": "1.5.0", "cuda": "11"}, "there is no mxnet-cu112 1.5.0"),
    ],
)
def test_versions_that_cannot_be_had(requirements: Mapping[str, str], why: str) -> None:
    with pytest.raises(UserError, match=why):
        environment(**requirements)._target()


def test_versions_of_what_gpus_need_are_axes() -> None:
    target = environment(mxnet="1.9.1", cuda="11", nccl="2.18.3")._target()
    assert str(target) == "mxnet 1.9.1, cuda 11, nccl 2.18.3"


def test_they_reach_the_scenarios_unless_these_say_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MXNET_VARIABLE, "1.9.1")
    monkeypatch.setenv(CUDA_VARIABLE, json.dumps({"cuda": "11", "nccl": "2.18.3"}))
    (target,) = tracking._targets(load(LENET)).values()
    assert (target.cuda, target.nccl) == ("11", "2.18.3")
    older = load(LENET, [("target.nccl", "2.13.4")])
    (target,) = tracking._targets(older).values()
    assert target.nccl == "2.13.4"
