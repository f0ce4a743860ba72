"""What numpy says to a case, and to a difference between two targets."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from harness.studies.beside_numpy import answer, with_numpy
from harness.studies.parity import Difference, Parity, Swept
from harness.studies.unlike import Case
from harness.worker.operators.candidates import NORMAL, POSITIVE, Call
from harness.worker.operators.variants import BASE, VARIANTS, inputs

FLOAT16 = next(each for each in VARIANTS if each.name == "float16")


def _made(op: str, shapes: list[tuple[int, ...]], values: Any, variant: Any = BASE, kind: str = NORMAL) -> Case:
    """A case of which a target made these values."""
    held = np.asarray(values, variant.dtype)
    output = {"dtype": variant.dtype, "shape": list(held.shape), "data": base64.b64encode(held.tobytes()).decode()}
    known = {"status": "ok", "outputs": [output], "gradients": [], "changed": {}, "params": {}}
    case = f"{op}(x) {variant.name}"
    return {"case": case, "op": op, "shapes": shapes, "kinds": [kind] * len(shapes), "variant": variant.name, **known}


def _given(op: str, shapes: list[tuple[int, ...]], variant: Any = BASE, kind: str = NORMAL) -> list[Any]:
    """What the sweep hands to it."""
    return inputs(f"{op}(x) {variant.name}", Call(shapes, [kind] * len(shapes), {}), variant)


def test_it_is_given_what_the_sweep_gives() -> None:
    given = _given("exp", [(2, 3)])
    right = answer(_made("exp", [(2, 3)], np.zeros((2, 3))))
    assert right is not None
    np.testing.assert_allclose(right, np.exp(given[0]).reshape(-1), rtol=1e-6)


@pytest.mark.filterwarnings("error")
def test_the_mean_of_nothing_is_no_number_and_warns_nobody() -> None:
    right = answer(_made("mean", [(0, 3)], np.zeros(1)))
    assert right is not None
    assert np.isnan(right).tolist() == [True]


@pytest.mark.parametrize("op", ["topk", "Convolution"])
def test_of_what_numpy_does_not_have_nothing_is_said(op: str) -> None:
    assert answer(_made(op, [(2, 3)], [1.0])) is None


def test_of_a_call_with_parameters_or_whole_numbers_nothing_is_said() -> None:
    assert answer({**_made("sum", [(2, 3)], [1.0]), "params": {"axis": "1"}}) is None
    whole = next(each for each in VARIANTS if each.name == "int32")
    assert answer(_made("sqrt", [(2, 3)], [1], whole)) is None


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        (1.0, 2.0, "; numpy agrees with the old one"),
        (2.0, 1.0, "; numpy agrees with the new one"),
        (2.0, 3.0, "; numpy agrees with neither"),
    ],
)
def test_it_says_who_of_two_is_right(old: float, new: float, word: str) -> None:
    right = np.sqrt(_given("sqrt", [(2, 3)], kind=POSITIVE)[0])
    was, now = (_made("sqrt", [(2, 3)], right * by, kind=POSITIVE) for by in (old, new))
    found = Parity((Difference("sqrt", "other values", now, "output 0: differs"),), (), (), 1, 1, (), (), ())
    told = with_numpy(found, Swept({was["case"]: was}), Swept({now["case"]: now}))
    assert told.differences[0].how == f"output 0: differs{word}"


def test_what_both_compute_alike_and_numpy_otherwise_is_named() -> None:
    given = _given("_npi_add", [(2, 3), (2, 3)], FLOAT16)
    wrong = _made("_npi_add", [(2, 3), (2, 3)], given[0], FLOAT16)
    right = _made("_npi_add", [(2, 3), (2, 3)], given[0] + given[1], FLOAT16)
    nothing = Parity((), (), (), 1, 1, (), (), ())
    for case, unlike in ((wrong, ("_npi_add",)), (right, ())):
        swept = Swept({case["case"]: case})
        assert with_numpy(nothing, swept, swept).unlike_numpy == unlike
