"""Images whose heights and widths are drawn apart."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.base.errors import ScenarioError
from harness.planning.plan import Plan

TEXT = "title: t\nworkload: {model: resnet18, steps: 50, warmup: 10}\n"
EITHER = {"distribution": "choice", "values": [8, 16]}
TEN = {"distribution": "fixed", "value": 10}


def test_they_are_drawn_by_themselves(plan_of: Callable[..., Plan]) -> None:
    job = plan_of(TEXT, ("workload.shapes", EITHER), ("workload.widths", EITHER)).arms[0].workload
    assert len(job.sizes) == len(job.widths) == 50
    assert {*zip(job.sizes, job.widths, strict=True)} == {(8, 8), (8, 16), (16, 8), (16, 16)}


def test_heights_are_those_without_widths(plan_of: Callable[..., Plan]) -> None:
    square, both = (plan_of(TEXT, ("workload.shapes", EITHER), *more) for more in ([], [("workload.widths", TEN)]))
    assert both.arms[0].workload.sizes == square.arms[0].workload.sizes
    assert (both.arms[0].workload.widths, square.arms[0].workload.widths) == ((10,) * 50, ())


def test_padding_is_of_the_area(plan_of: Callable[..., Plan]) -> None:
    rounded = {**TEN, "round_to": 8}
    job = plan_of(TEXT, ("workload.shapes", rounded), ("workload.widths", rounded)).arms[0].workload
    assert (job.sizes, job.widths, job.padding) == ((16,), (16,), 1 - 100 / 256)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"workload.model": "lstm"}, "widths: are of images, which lstm does not take; leave them out"),
        ({"workload.model": "lenet"}, "widths: lenet takes one size only; use distribution: fixed"),
        ({"workload.model": "alexnet", "workload.widths": TEN}, "widths: alexnet needs a size of 32 or more, not 10"),
        ({"workload.input": {"by": "data_loader"}, "workload.widths": TEN}, "images as high as they are wide"),
        ({"workload.widths": {**EITHER, "buckets": [8]}}, "widths: the largest bucket, 8, is below the largest size"),
    ],
)
def test_where_they_cannot_be(plan_of: Callable[..., Plan], changes: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        plan_of(TEXT, *{"workload.widths": EITHER, **changes}.items())
