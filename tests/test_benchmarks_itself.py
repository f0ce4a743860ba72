"""Every benchmark of the harness itself runs, once and at a tiny size: what it measures is for `make self`."""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import pytest

from benchmarks.itself.limits import benchmarks, limit
from tests.e2e.conftest import CLUSTERS

pytestmark = pytest.mark.e2e
ALL = [
    pytest.param(kind, method, id=f"{kind.__name__}.{method}")
    for module, kind, method in benchmarks()
    if CLUSTERS or module != "cluster"
]


def _tiny(kind: type) -> Any:
    benchmark = kind()
    for name, value in kind.tiny.items():  # type: ignore[attr-defined]
        setattr(benchmark, name, value)
    return benchmark


@cache
def _cached(kind: type) -> Any:
    """What all benchmarks of a class share, as asv does it."""
    return _tiny(kind).setup_cache()


@pytest.mark.parametrize(("kind", "method"), ALL)
def test_it_runs(kind: type, method: str, target: Any) -> None:
    benchmark = _tiny(kind)
    cached = [_cached(kind)] if hasattr(benchmark, "setup_cache") else []
    parameters = list(itertools.product(getattr(benchmark, "params", [])))[:1] or [()]
    measured = getattr(benchmark, method)(*cached, *parameters[0])
    samples = measured["samples"] if isinstance(measured, dict) else [measured]
    assert samples and all(math.isfinite(sample) for sample in samples)


def test_the_overheads_have_limits() -> None:
    limited = {f"{kind.__name__}.{method}" for _, kind, method in benchmarks() if limit(kind, method) is not None}
    assert {"Resnet18.track_ratio", "Mlp.track_ratio", "Start.track_beyond_import"} <= limited
