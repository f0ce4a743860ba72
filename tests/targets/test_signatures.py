"""Arguments are read from the target's sources; what it does not take is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.planning.plan import Plan
from harness.scenario import load
from harness.scenario.schema import Optimizer
from harness.targets import signatures
from harness.targets.signatures import Signature

OPTIMIZERS = """\
class Optimizer(object):
    def __init__(self, rescale_grad=1., wd=0., clip_gradient=None, learning_rate=None, sym=None): ...

@register
class SGD(Optimizer):
    def __init__(self, momentum=0.0, lazy_update=True, **kwargs): ...

@register  # a comment
class ccSGD(SGD):
    def __init__(self, *args, **kwargs): ...

@register
class Closed(Optimizer):
    def __init__(self, rate): ...

@Optimizer.register
class Heir(SGD):
    pass

@register
class Test(Optimizer): ...

class Hidden(Optimizer): ...
"""
SCHEDULES = """\
class LRScheduler(object):
    def __init__(self, base_lr=0.01): ...

class FactorScheduler(LRScheduler):
    def __init__(self, step, factor=1, base_lr=0.01): ...
"""
INHERITED = {"wd", "clip_gradient", "learning_rate"}


@pytest.fixture
def known(tmp_path: Path) -> signatures.Signatures:
    (tmp_path / "optimizer").mkdir()
    (tmp_path / "optimizer" / "optimizer.py").write_text(OPTIMIZERS)
    (tmp_path / "lr_scheduler.py").write_text(SCHEDULES)
    return signatures.read(tmp_path)


def test_registered_classes_and_what_they_pass_on(known: signatures.Signatures) -> None:
    sgd = Signature(frozenset(INHERITED | {"momentum", "lazy_update"}))
    assert known.optimizers == {
        "sgd": sgd,
        "ccsgd": sgd,
        "heir": sgd,
        "closed": Signature(frozenset({"rate"}), frozenset({"rate"})),
    }
    assert known.schedules == {"factor": Signature(frozenset({"step", "factor"}), frozenset({"step"}))}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"name": "sgd", "momentum": 0.9, "clip_gradient": 1.0}, None),
        ({"name": "sgd", "schedule": {"name": "factor", "step": 5}}, None),
        ({"name": "sdg"}, ".name: there is no 'sdg'; allowed are ccsgd, closed, heir, sgd; did you mean sgd?"),
        (
            {"name": "sgd", "momentun": 1},
            ".momentun: sgd has no such argument; it takes clip_gradient, lazy_update, learning_rate, momentum, wd; "
            "did you mean momentum?",
        ),
        ({"name": "closed"}, ".learning_rate: closed has no such argument; it takes rate"),
        ({"name": "sgd", "schedule": {"name": "cosine"}}, ".schedule.name: there is no 'cosine'; allowed are factor"),
        ({"name": "sgd", "schedule": {"name": "factor"}}, ".schedule: factor needs step"),
    ],
)
def test_what_is_refused(known: signatures.Signatures, given: dict[str, object], why: str | None) -> None:
    refused = signatures.refusal(Optimizer.model_validate(given), known)
    told = None if refused is None else f"{''.join(f'.{part}' for part in refused.field)}: {refused.why}"
    assert told == why


def test_what_is_refused_has_its_place(plan_of: Callable[..., Plan]) -> None:
    text = "title: t\nworkload: {model: mlp, dataset: digits, batch_size: 8, steps: 90}\n"
    text += "variants:\n  a: {}\n  b: {workload.optimizer: {name: sdg}}\n"
    written = load.parse(text, "own")
    arm = next(arm for arm in plan_of(text).arms if arm.of == "b")
    refused = signatures.Refusal(("name",), "there is no 'sdg'")
    assert str(refused.error(arm, written)) == (
        f"own.yaml:5:7: workload.optimizer.name: there is no 'sdg' ({arm.target})"
    )
    assert str(refused.error(arm, None)) == f"workload.optimizer.name: there is no 'sdg' ({arm.target})"


def test_a_folder_without_mxnet_tells_nothing(tmp_path: Path) -> None:
    assert signatures.of(tmp_path / "python") is None


@pytest.mark.e2e
def test_those_of_a_real_target(target: Path) -> None:
    found = signatures.of(target)
    assert found is not None
    assert {"sgd", "adam", "nag", "rmsprop", "lamb", "groupadagrad"} <= set(found.optimizers)
    assert {"beta1", "beta2", "epsilon", "lazy_update", "wd"} <= found.optimizers["adam"].taken
    assert set(found.schedules) == {"factor", "multifactor", "poly", "cosine"}
    assert found.schedules["multifactor"].needed == {"step"}
