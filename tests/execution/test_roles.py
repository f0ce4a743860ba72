"""What is known of an arm's processes, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.execution.roles import Roles
from harness.planning.plan import Plan
from harness.vocabulary.events import Exited
from tests.conftest import SCENARIO
from tests.play import ALL, ARM, S0, W0, W1


def _left(name: str) -> Exited:
    return Exited(9.0, ARM, name, 0, None)


def test_who_lives_and_who_may_leave(plan_of: Callable[..., Plan]) -> None:
    roles = Roles(plan_of(SCENARIO).arms[0])
    assert (roles.alive, roles.any_worker_lives) == ([], False)
    for name in ALL:
        roles.spawn(name, 1.0)
    assert roles.alive == list(ALL)
    assert roles.importing == [W0, W1]
    roles[W0].imported = roles[W0].done = True
    assert (roles.importing, roles.done) == ([W1], 1)
    assert [name for name in ALL if roles.may_leave(name)] == [W0], "a server serves as long as a worker trains"
    roles[W1].exited = _left(W1)
    assert roles.may_leave(S0)
    roles[W0].exited = _left(W0)
    assert not roles.any_worker_lives and roles.alive


def test_one_that_takes_anothers_place_is_told_from_it(plan_of: Callable[..., Plan]) -> None:
    roles = Roles(plan_of(SCENARIO).arms[0])
    roles.spawn(W0, 1.0)
    assert not roles[W0].again
    roles[W0].step = 20
    roles.spawn(W0, 5.0)
    assert (roles[W0].again, roles[W0].step, roles[W0].spawned) == (True, 0, 5.0)


def test_only_a_scripts_worker_ends_early(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    """A loop of ours takes as many steps as were asked for."""
    (tmp_path / "train.py").touch()
    script = SCENARIO.replace("model: mlp", "script: ./train.py")
    for text, early in ((SCENARIO, {}), (script, {W1: 20})):
        roles = Roles(plan_of(text).arms[0])
        for name, steps in ((W0, 60), (W1, 20)):
            roles.spawn(name, 1.0)
            roles[name].step, roles[name].done, roles[name].exited = steps, True, _left(name)
        assert (roles.ended_early, roles.most_taken) == (early, 60)
        roles.spawn(W1, 9.5)
        roles[W1].step, roles[W1].done, roles[W1].exited = 5, True, _left(W1)
        assert roles.ended_early == {}, "who takes another's place has steps of its own"
