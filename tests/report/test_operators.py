"""Programs that show a difference; that they compute what the sweep did is tried in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest

from harness.report.operators import WITHOUT_GRADIENTS, _value, script, scripts
from harness.studies.parity import Difference
from harness.worker.operators.variants import VARIANTS, Variant, drawn


def _difference(variant: str, **more: Any) -> Difference:
    case = {
        "case": f"_npi_add(2x3n,2x3i;axis=1) {variant}", "op": "_npi_add", "shapes": [[2, 3], [2, 3]],
        "kinds": ["normal", "indices"], "params": {"axis": "1"}, "variant": variant, "gradients": [], **more,
    }  # fmt: skip
    return Difference("_npi_add", "other values", case, 'output 0: 1 is "2"\\', 3)


@pytest.mark.parametrize(
    "variant", ["base", "not finite", "int8", "uint8", "large values", "zeros", "float16", "a view"]
)
@pytest.mark.parametrize("gradients", [[], [{}]])
def test_a_script_is_a_program_of_less_than_30_lines(variant: str, gradients: list[Any]) -> None:
    text = script(_difference(variant, gradients=gradients))
    ast.parse(text)
    assert len(text.splitlines()) < 30


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: str(variant.name))
def test_a_script_draws_what_the_sweep_drew(variant: Variant) -> None:
    case = {**_difference(variant.name).case, "shapes": [[4, 3], [4, 3]]}
    drawn_ = drawn(case["case"], [(4, 3), (4, 3)], case["kinds"], variant)
    for place, values in enumerate(drawn_):
        found = eval(_value(case, place), {"np": np})
        np.testing.assert_array_equal(found, values)
        assert found.dtype == values.dtype


def test_values_that_are_not_finite_fit_where_there_are_few() -> None:
    for shape, expected in (([1, 1], [[np.nan]]), ([2], [np.nan, np.inf]), ([0, 3], np.empty((0, 3)))):
        text = _value({**_difference("not finite").case, "shapes": [shape]}, 0)
        np.testing.assert_array_equal(eval(text, {"np": np}), expected)


@pytest.mark.parametrize("way", ["forward", "with gradients"])
def test_a_script_of_what_takes_longer_times_it(way: str) -> None:
    known = _difference("base", timed=way)
    text = script(Difference(known.op, "takes longer", known.case, "1.30 times as long"))
    ast.parse(text)
    assert len(text.splitlines()) < 30
    assert ("backward()" in text) == (way == "with gradients")


@pytest.mark.parametrize("more", [{}, {"program": "import mxnet as mx\noutputs = [1]\n"}])
def test_a_script_of_what_is_otherwise_in_a_way_sets_it_before_mxnet_is_there(more: dict[str, Any]) -> None:
    known = _difference("base", env={"MXNET_ENGINE_TYPE": "NaiveEngine"}, gradients=[{}], **more)
    text = script(Difference(known.op, "otherwise on NaiveEngine", known.case, "output 0: 1 is 2, at 0"))
    ast.parse(text)
    assert len(text.splitlines()) < 30
    assert text.index("os.environ.update({'MXNET_ENGINE_TYPE': 'NaiveEngine'})") < text.index("import mxnet")


def test_a_script_is_named_by_operator_and_kind_and_none_takes_anothers_place() -> None:
    names = ["npi_add-other-values.py", "npi_add-other-values-2.py"]
    assert list(scripts([_difference("base"), _difference("int8")])) == names


def test_what_works_in_neither_is_called_as_the_sweep_called_it() -> None:
    """It says of no gradients: they were asked for, unless of whole numbers and in inference."""
    assert [variant.name for variant in VARIANTS if variant.grad_req == "null"] == list(WITHOUT_GRADIENTS)
    for variant, shown in (("base", "record()"), ("int8", "train_mode()"), ("inference", "if True:")):
        known = _difference(variant)
        case = {key: value for key, value in known.case.items() if key != "gradients"}
        text = script(Difference(known.op, "crashes", case, "the process ends by signal 11"))
        assert (shown in text, "backward" in text) == (True, variant == "base")
