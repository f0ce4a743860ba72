"""A worker's own faults, on arrays of numpy in place of MXNet's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from harness.worker.failures import AskedError, CannotCommitError
from harness.worker.in_process_faults import InProcessFaults


class Array:
    """As much of an NDArray as is needed."""

    def __init__(self, *values: float) -> None:
        self.values = np.array(values, dtype="float32")

    def asnumpy(self) -> Any:
        return self.values.copy()

    def __setitem__(self, _: slice, value: Any) -> None:
        self.values[:] = value


class Training:
    """Two parameters with gradients; an update changes the weights."""

    contexts = ("cpu(0)",)

    def __init__(self) -> None:
        self.grads = {"a_weight": Array(1.0, 2.0), "b_bias": Array(3.0)}
        self.weight = Array(0.0)

    def gradients(self) -> list[tuple[str, list[Array]]]:
        return [(name, [array]) for name, array in self.grads.items()]

    def parameters(self, _: str) -> tuple[list[tuple[str, Array]], list[Any]]:
        return [("w", self.weight)], []

    def update(self) -> None:
        self.weight.values += 1


class Reports:
    """What was reported."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def __call__(self, kind: str, **fields: Any) -> None:
        self.events.append({"kind": kind, **fields})


def _faults(name: str, sizes: tuple[int, ...] = (), **parameters: Any) -> tuple[InProcessFaults, Reports]:
    reports = Reports()
    faults = InProcessFaults(SimpleNamespace(seed=3, steps=100), reports, {7: (name, parameters, sizes)})
    return faults, reports


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("nan", {"element": 1}, [1.0, np.nan]),
        ("inf", {"element": 9}, [1.0, np.inf]),
        ("bit_flip", {"bit": 31}, [-1.0, 2.0]),
        ("bit_flip", {"bit": 23}, [0.5, 2.0]),
        ("scale", {"factor": -2.0}, [-2.0, -4.0]),
    ],
)
def test_a_gradient_is_changed_while_the_fault_is_in_force(
    name: str, parameters: dict[str, Any], expected: Any
) -> None:
    faults, reports = _faults(name, **parameters)
    training = Training()
    faults.gradients(training, 4)
    assert training.grads["a_weight"].values.tolist() == [1.0, 2.0]
    faults.begin(7, 5)
    faults.gradients(training, 5)
    np.testing.assert_array_equal(training.grads["a_weight"].values, expected)
    assert training.grads["b_bias"].values.tolist() == [3.0]
    (event,) = reports.events
    assert (event["fault"], event["step"], event["what"]) == (7, 5, "gradient of a_weight")
    assert event["before"] != event["after"]
    faults.end(7)
    faults.gradients(training, 6)
    assert len(reports.events) == 1


def test_the_parameter_is_found_by_a_part_of_its_name() -> None:
    faults, _ = _faults("scale", factor=2.0, parameter="bias")
    training = Training()
    faults.begin(7, 5)
    faults.gradients(training, 5)
    assert training.grads["b_bias"].values.tolist() == [6.0]
    unknown, _ = _faults("scale", factor=2.0, parameter="nothing")
    unknown.begin(7, 5)
    with pytest.raises(CannotCommitError, match="no parameter has 'nothing' in its name; there are a_weight, b_bias"):
        unknown.gradients(training, 5)


def test_the_gradient_of_the_step_before_is_sent_again() -> None:
    faults, _ = _faults("stale")
    training = Training()
    faults.gradients(training, 4)
    training.grads["a_weight"][:] = 9.0
    training.grads["b_bias"][:] = 9.0
    faults.begin(7, 5)
    faults.gradients(training, 5)
    assert training.grads["a_weight"].values.tolist() == [1.0, 2.0]
    assert training.grads["b_bias"].values.tolist() == [3.0]


def test_an_update_is_left_out() -> None:
    faults, reports = _faults("drop")
    training = Training()
    faults.begin(7, 5)
    assert not faults.updates(training, 5)
    faults.through(training, 5)
    assert reports.events[0]["before"] == reports.events[0]["after"]
    faults.end(7)
    assert faults.updates(training, 6)


class Batches:
    def __call__(self, step: int) -> Any:
        return self.sized(step, 2)

    def sized(self, step: int, size: int) -> Any:
        return np.full((2, size), step, dtype="float32"), np.arange(2, dtype="float32")


def test_batches_grow_shift_and_are_corrupted() -> None:
    def batch(name: str, sizes: tuple[int, ...] = (), **parameters: Any) -> tuple[Any, Any, dict[str, Any]]:
        faults, reports = _faults(name, sizes, **parameters)
        faults.begin(7, 5)
        data, labels = faults.batch(Batches(), 5)
        return data, labels, reports.events[0]

    data, labels, event = batch("uneven_shard", batch=3)
    assert (data.shape, labels.tolist(), event["detail"]) == ((6, 2), [0, 1] * 3, "(2, 2) became (6, 2)")
    assert batch("shape_shift", (4, 8))[0].shape == (2, 8)
    assert batch("corrupt_batch", how="zeros")[0].sum() == 0
    assert np.isnan(batch("corrupt_batch", how="nan")[0]).all()
    assert batch("corrupt_batch", how="labels")[1].tolist() == [1, 0]
    noise = batch("corrupt_batch")[0]
    assert noise.dtype == np.float32
    assert noise.tolist() == [[3, 4], [1, 1]]  # whole numbers up to their largest, as tokens are


def test_noise_among_fractions_is_fractions() -> None:
    from harness.worker.faults.corrupt_batch import _noise

    random = np.random.RandomState(0)
    assert len(set(_noise(random, np.array([0.5, 3.0, 0.0])).tolist()) & {0, 1, 2, 3}) == 0  # type: ignore[no-untyped-call]
    assert not set(_noise(random, np.array([0.0, 1.0] * 9)).tolist()) & {0, 1}  # type: ignore[no-untyped-call]


def test_more_steps_are_taken() -> None:
    faults, reports = _faults("uneven_shard", steps=20)
    faults.begin(7, 0)
    assert (reports.events[0]["before"], reports.events[0]["after"]) == ("100", "120")


def test_the_script_fails_when_it_is_asked_to() -> None:
    with pytest.raises(AskedError, match="before step 5"):
        _faults("exit")[0].begin(7, 5)


def test_a_fault_that_another_process_was_told_of_ends_without_a_word() -> None:
    _faults("nan")[0].end(7)


def test_a_fault_on_gradients_leaves_batches_alone() -> None:
    faults, _ = _faults("nan", element=1)
    faults.begin(7, 5)
    assert not faults.act_on_batches


def test_a_fault_that_waits_takes_any_batch_and_one_that_changes_it_does_not() -> None:
    waits, _ = _faults("slow_input", by="0s")
    waits.begin(7, 5)
    assert waits.act_on_batches
    assert waits.batch(lambda step: None, 5) is None
    changes, _ = _faults("corrupt_batch", how="zeros")
    changes.begin(7, 5)
    with pytest.raises(CannotCommitError, match="no batches of arrays"):
        changes.batch(lambda step: None, 5)
    changes.end(7)
    assert not changes.act_on_batches


@pytest.mark.parametrize(("kind", "sign"), [("float16", 15), ("float32", 31), ("float64", 63)])
def test_a_bit_flips_of_its_own_element_whatever_the_type(kind: str, sign: int) -> None:
    from harness.worker.faults.bit_flip import Fault

    values = np.array([1.0, 2.0, 3.0, 4.0], kind)
    Fault({"bit": sign}, (), None, None, None).hit(values, 2)
    assert values.tolist() == [1.0, 2.0, -3.0, 4.0]
    with pytest.raises(CannotCommitError, match=f"a {kind} has no bit {sign + 1}"):
        Fault({"bit": sign + 1}, (), None, None, None).hit(values, 2)
