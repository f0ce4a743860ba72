"""Calls that operators are tried with, and ways to vary them; they import no MXNet."""

from __future__ import annotations

import numpy as np
import pytest

from harness.worker.operators.candidates import MOST_CANDIDATES, Call, candidates
from harness.worker.operators.variants import VARIANTS, inputs, shapes

BY_NAME = {variant.name: variant for variant in VARIANTS}


def _ids(name: str, tensors: int, *required: tuple[str, str], optional: tuple[str, ...] = ()) -> list[str]:
    return [call.id for call in candidates(name, tensors, False, list(required), list(optional))]


def test_the_likeliest_calls_come_first_and_none_twice() -> None:
    found = _ids("anything", 2)
    assert found[:2] == ["2x3n,2x3n", "3x3n,3x3n"]
    assert "4x3n,2i" in found and "2x3n,3x4n" in found
    assert len(found) == len(set(found)) <= MOST_CANDIDATES


def test_what_fits_by_no_chance_is_known() -> None:
    assert _ids("Convolution", 3, ("kernel", "Shape(tuple), required"))[0].startswith("2x4x5x5n,6x4x3x3n,6n;")
    assert _ids("Embedding", 2)[0] == "3i,4x5n;input_dim=4;output_dim=5"


def test_parameters_that_it_must_have_are_given_by_name_or_type() -> None:
    found = _ids("x", 1, ("axis", "int, required"), ("kind", "{'a', 'b'}, required"))
    assert found[0] == "2x3n;axis=0;kind=a"
    assert {each.split(";", 1)[1] for each in found} >= {"axis=1;kind=a", "axis=0;kind=b"}


def test_what_takes_no_tensor_is_told_a_shape() -> None:
    assert _ids("_zeros", 0, optional=("shape", "ctx", "dtype"))[0] == ";shape=(2, 3)"


@pytest.mark.parametrize("name", list(BY_NAME))
def test_values_are_those_of_the_cases_name(name: str) -> None:
    call, variant = Call([(4, 3), (4,), (2, 3)], ["normal", "indices", "positive"], {}), BY_NAME[name]
    first, again = inputs("a case", call, variant), inputs("a case", call, variant)
    assert [each.tobytes() for each in first] == [each.tobytes() for each in again]
    assert {each.dtype.name for each in first} == {variant.dtype}
    assert [each.shape for each in first] == shapes(call, variant)
    assert set(np.unique(first[1])) <= {0, 1, 2}


def test_only_tensors_as_long_as_the_first_are_resized() -> None:
    call = Call([(4, 3), (4,), (2, 3)], ["normal"] * 3, {})
    assert shapes(call, BY_NAME["large"]) == [(64, 3), (64,), (2, 3)]
    assert shapes(call, BY_NAME["empty"]) == [(0, 3), (0,), (2, 3)]


def test_damage_meets_the_first_tensor() -> None:
    call = Call([(2, 3), (2, 3)], ["normal", "normal"], {})
    damaged, other = inputs("a case", call, BY_NAME["not finite"])
    assert np.isnan(damaged[0, 0]) and np.isposinf(damaged[0, 1]) and np.isneginf(damaged[0, 2])
    assert np.isfinite(other).all()
