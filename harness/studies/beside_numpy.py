"""What numpy makes of the same case, where it has the operator: which of two targets is right, or that neither is.

Computed in float64, rounded to the type that the targets answered with. Pure.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from harness.studies.parity import Difference, Parity, Swept
from harness.studies.unlike import Case, apart_by, array
from harness.worker.operators.variants import VARIANTS, drawn

Function = Callable[..., Any]

_ONE_BY_ONE = (
    "abs exp expm1 log log2 log10 log1p sqrt cbrt square sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
    "arccosh arctanh ceil floor trunc fix rint sign negative reciprocal degrees radians"
)
_TOGETHER = {
    "add": "elemwise_add broadcast_add _npi_add",
    "subtract": "elemwise_sub broadcast_sub _npi_subtract",
    "multiply": "elemwise_mul broadcast_mul _npi_multiply",
    "divide": "elemwise_div broadcast_div _npi_true_divide",
    "mod": "_mod broadcast_mod _npi_mod",
    "power": "_power broadcast_power _npi_power",
    "maximum": "_maximum broadcast_maximum",
    "minimum": "_minimum broadcast_minimum",
    "fmax": "_npi_fmax",
    "fmin": "_npi_fmin",
    "hypot": "_hypot broadcast_hypot _npi_hypot",
    "arctan2": "_npi_arctan2",
    "copysign": "_npi_copysign",
    "equal": "_equal broadcast_equal",
    "greater": "_greater broadcast_greater",
    "less": "_lesser broadcast_lesser",
    "matmul": "_npi_matmul batch_dot",
    "dot": "dot _np_dot",
    "transpose": "transpose _np_transpose",
    "sum": "sum _np_sum",
    "mean": "mean _npi_mean",
    "max": "max _np_max",
    "min": "min _np_min",
    "prod": "prod _np_prod",
    "nansum": "nansum",
    "nanprod": "nanprod",
    "cumsum": "_np_cumsum",
}
"""By numpy's function, the operators that are it where they are given no parameters."""

_OWN: Mapping[str, Function] = {
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "rcbrt": lambda x: 1 / np.cbrt(x),
    "softsign": lambda x: x / (1 + np.abs(x)),
}


@cache
def _functions() -> Mapping[str, Function]:
    found = dict(_OWN)
    for name in _ONE_BY_ONE.split():
        found |= dict.fromkeys((name, f"_npi_{name}"), getattr(np, name))
    for name, operators in _TOGETHER.items():
        found |= dict.fromkeys(operators.split(), getattr(np, name))
    return found


_VARIANTS = {variant.name: variant for variant in VARIANTS}


def answer(case: Case) -> np.ndarray[Any, Any] | None:
    """What numpy has for the first output, in a row; None where it has no such operator, or the case is no float's."""
    function = _functions().get(case["op"])
    if function is None or case["params"] or case["status"] != "ok" or case["variant"] not in _VARIANTS:
        return None
    (told, *_), variant = case["outputs"], _VARIANTS[case["variant"]]
    if not told["dtype"].startswith("float") or not variant.dtype.startswith("float") or "sha256" in told:
        return None
    given = drawn(case["case"], list(map(tuple, case["shapes"])), case["kinds"], variant)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as of the mean of nothing
            found = np.asarray(function(*(values.astype("float64") for values in given)))
            return found.astype(told["dtype"]).reshape(-1)
    except (TypeError, ValueError):
        return None


def _agrees(case: Case, right: np.ndarray[Any, Any]) -> bool:
    """Whether a target has numpy's values, but for rounding."""
    mine = array(case["outputs"][0])
    return bool(mine.shape == right.shape and apart_by(right, mine, "") is None)


def with_numpy(found: Parity, old: Swept, new: Swept) -> Parity:
    """Differences with what numpy says to them, and operators that both targets compute alike and numpy does not."""
    told = tuple(replace(each, how=f"{each.how}{_to(each, old.cases)}") for each in found.differences)
    unlike = set(_unlike(old, new)) - {each.op for each in told}
    return replace(found, differences=told, unlike_numpy=tuple(sorted(unlike)))


def _to(difference: Difference, old: Mapping[str, Case]) -> str:
    """Who of the two agrees with numpy on a case that differs in what comes out."""
    if not difference.how.startswith("output 0"):
        return ""
    was, now = old[difference.case["case"]], difference.case
    right = answer(was)
    if right is None or "env" in now:
        return ""
    agree = [word for word, case in (("old", was), ("new", now)) if _agrees(case, right)]
    return "" if len(agree) == 2 else f"; numpy agrees with {f'the {agree[0]} one' if agree else 'neither'}"


def _unlike(old: Swept, new: Swept) -> Iterator[str]:
    for name, case in old.cases.items():
        if name in new.cases and case["status"] == new.cases[name]["status"] == "ok":
            right = answer(case)
            if right is not None and not _agrees(case, right) and old.repeats(name) and new.repeats(name):
                yield case["op"]
