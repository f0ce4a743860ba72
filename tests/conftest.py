"""What several tests need: a plan to play with, and for the real ones a target."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from harness.planning.plan import Plan
from harness.planning.planner import make
from harness.planning.validation import load
from harness.scenario.overrides import Override
from harness.targets import environment
from tests.play import Play

ROOT = Path(__file__).parent.parent
settings.register_profile("calm", deadline=None)  # a slow day breaks no test
settings.load_profile("calm")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # below `make test &`, what is interrupted would go on
    signal.signal(signal.SIGINT, signal.default_int_handler)

SCENARIO = """\
title: a question
seed: 7
workload: {model: mlp, steps: 100, warmup: 20}
topology: {kvstore: dist_sync, workers: 2}
"""

_LONG = (
    "tests/e2e/",
    "tests/test_benchmarks_itself.py",
    "tests/simulation/",
    "tests/gpu/test_pools",
    "tests/worker/models/",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Side by side, what takes long goes first, so that no processor is left with it alone at the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: not item.nodeid.startswith(_LONG))


@pytest.fixture
def plan_of(tmp_path: Path) -> Callable[..., Plan]:
    """A plan from scenario text (by default a small dist_sync job) and overrides."""

    def make_plan(text: str = SCENARIO, *changes: Override) -> Plan:
        path = tmp_path / "question.yaml"
        path.write_text(text)
        loaded = load(path, list(changes))
        return make(loaded, {name: arm.target for name, arm in loaded.arms.items()}, "0" * 64)

    return make_plan


@pytest.fixture
def fault_plan(plan_of: Callable[..., Plan]) -> Callable[..., Plan]:
    """The small dist_sync job with faults, given as Python values."""

    def make_plan(*faults: dict[str, Any]) -> Plan:
        return plan_of(SCENARIO, ("faults", list(faults)))

    return make_plan


@pytest.fixture
def play(fault_plan: Callable[..., Plan]) -> Callable[..., Play]:
    return lambda *faults: Play(fault_plan(*faults))


@pytest.fixture(scope="session")
def target() -> Path:
    """The interpreter of the default target, built if need be."""
    recipe = environment.recipe(environment.DEFAULT_MXNET)
    return environment.ensure(recipe, lambda line: None).interpreter.python
