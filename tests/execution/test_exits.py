"""Whose doing an end is; how a whole arm ends by it is `test_conductor`'s."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.execution.exits import Exits
from harness.execution.fault_scheduler import FaultScheduler
from harness.execution.roles import Roles
from harness.planning.plan import Plan
from harness.vocabulary.events import Exited, Failed
from tests.conftest import SCENARIO
from tests.play import ALL, ARM, S0, W0, W1


@pytest.fixture
def exits(plan_of: Callable[..., Plan]) -> Exits:
    arm = plan_of(SCENARIO).arms[0]
    roles = Roles(arm)
    for name in ALL:
        roles.spawn(name, 1.0)
    return Exits(arm, roles, FaultScheduler(arm, {}))


def _left(name: str, status: int | None = 0, signal: int | None = None) -> Exited:
    return Exited(9.0, ARM, name, status, signal)


def test_who_is_done_may_leave(exits: Exits) -> None:
    exits.roles[W0].step, exits.roles[W0].done = 100, True
    assert exits.broken_by(_left(W0), is_started=True) is None
    told = exits.broken_by(_left(W0, 1), is_started=True)
    assert told == ("crashed", "worker/0 ended with exit status 1 at step 100")
    assert exits.broken_by(_left(S0), is_started=True) == ("crashed", "server/0 ended with exit status 0")


def test_before_the_start_it_is_mxnets_unless_something_else_raised(exits: Exits) -> None:
    told = exits.broken_by(_left(W1, None, 11), is_started=False)
    assert told == ("refused", "worker/1 ended with signal 11 before all were ready")
    exits.roles[W0].failed = Failed(8.0, ARM, W0, "KeyError: 'x'", False, mxnet=False)
    told = exits.broken_by(_left(W1, 1), is_started=False)
    assert told == ("crashed", "worker/0 failed: KeyError: 'x'")


def test_without_mxnet_nothing_is_its_matter(exits: Exits) -> None:
    assert exits.lacks_mxnet(W0) == "any worker"
    exits.roles.imported = exits.roles[W0].imported = True
    assert [exits.lacks_mxnet(name) for name in (W0, W1, S0)] == ["", W1, ""]


def test_what_was_asked_to_leave_breaks_nothing(exits: Exits) -> None:
    assert exits.broken_by(_left(W1, None, 9), is_started=True) == ("crashed", "worker/1 ended with signal 9 at step 0")
    exits.roles[W1].dismissed = True
    assert exits.broken_by(_left(W1, None, 9), is_started=True) is None


def test_how_all_left(exits: Exits) -> None:
    for name in (W0, W1):
        exits.roles[name].step, exits.roles[name].done = 100, True
    assert exits.all_left() == "2 of 2 workers trained 100 steps and every process left"
    assert (exits.left_early(), exits.trains_elsewhere()) == ("", "")


def test_how_workers_of_a_script_left(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    arm = plan_of(SCENARIO.replace("model: mlp", "script: ./train.py")).arms[0]
    roles = Roles(arm, imported=True, kvstore="device")
    exits = Exits(arm, roles, FaultScheduler(arm, {}))
    for name, steps in ((W0, 60), (W1, 20)):
        roles[name].step, roles[name].done, roles[name].exited = steps, True, _left(name)
    assert exits.left_early() == "; worker/1 had ended by itself after 20 steps"
    assert exits.trains_elsewhere().startswith("the script trains with kvstore device, each worker by itself, and")
    fewer = "(worker/1 20, by the script's own end) and every process left"
    assert exits.all_left() == f"2 of 2 workers trained 60 steps, not 100, by the script's own end, {fewer}"
    why = "worker/1 ended with signal {} before all were ready"
    assert exits.broken_by(_left(W1, None, 11), is_started=False) == ("refused", why.format(11)), "a library's abort"
    assert exits.broken_by(_left(W1, None, 9), is_started=False) == ("crashed", why.format(9))
