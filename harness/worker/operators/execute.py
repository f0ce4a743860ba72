"""One case: an operator called once, forward and backward, with all that it can touch written down."""

from __future__ import annotations

import base64
import hashlib
from contextlib import nullcontext
from typing import Any

import mxnet as mx
import numpy as np
from mxnet import autograd

from . import registry
from .candidates import Call
from .refusals import message
from .variants import EMPTY, Variant, inputs

_AS_EVER = nullcontext()
SEED = 11
MOST_ELEMENTS = 16384
"""Of an array that is written down; of a larger one so many from first to last, its hash, and how many are odd."""

FLOATS = ("float16", "float32", "float64")


def execute(name: str, case: str, call: Call, variant: Variant) -> dict[str, Any]:
    """Outputs, gradients and what became of the arguments, as JSON; the error where it refuses."""
    given = inputs(case, call, variant)
    with sizes_of(variant.name):
        return _executed(name, given, call, variant)


def sizes_of(variant: str) -> Any:
    """In which MXNet knows arrays without elements: elsewhere a size of 0 is one that is not known yet."""
    return mx.util.np_shape(True) if variant == EMPTY else _AS_EVER


def _executed(name: str, given: list[np.ndarray], call: Call, variant: Variant) -> dict[str, Any]:
    try:
        mx.random.seed(SEED)
        np.random.seed(SEED)
        arrays = [array_of(name, values, variant.view) for values in given]
        outputs, gradients = _run(name, arrays, call.params, variant)
        found = {
            "outputs": [_written(output.asnumpy()) for output in outputs],
            "gradients": [_written(gradient.asnumpy()) for gradient in gradients],
        }
        after = [array.asnumpy() for array in arrays]
    except Exception as error:
        return {"status": "error", "message": message(error)}
    changed = [place for place, (now, was) in enumerate(zip(after, given)) if now.tobytes() != was.tobytes()]
    return {"status": "ok", **found, "changed": {str(place): _written(after[place]) for place in changed}}


def run_program(text: str) -> dict[str, Any]:
    """A program's outputs, as those of a call; the error where it raises one."""
    names: dict[str, Any] = {}
    try:
        exec(compile(text, "program", "exec"), names)
        mx.nd.waitall()
        found = [_written(_values(each)) for each in names["outputs"]]
    except Exception as error:
        return {"status": "error", "message": message(error)}
    return {"status": "ok", "outputs": found, "gradients": [], "changed": {}}


def _values(array: Any) -> np.ndarray:
    return np.asarray(array.asnumpy() if hasattr(array, "asnumpy") else array)


def array_of(name: str, values: np.ndarray, view: bool) -> Any:
    """With ``view`` a part of a larger array, so that it does not begin where memory does."""
    make = mx.np.array if registry.is_numpy(name) else mx.nd.array
    if not view or not values.shape:
        return make(values, dtype=values.dtype)
    larger = make(np.concatenate([values[:1] + 1, values, values[:1] + 2]), dtype=values.dtype)
    return larger[1 : 1 + len(values)]


def _run(name: str, arrays: list[Any], params: dict[str, str], variant: Variant) -> tuple[list[Any], list[Any]]:
    """Outputs, and gradients of those arguments that have one. What was issued ends here, as does what fails late."""
    taught = [array for array in arrays if variant.grad_req != "null" and dtype(array) in FLOATS]
    for array in taught:
        array.attach_grad(variant.grad_req)
        array.grad[:] = 1.0
    if not taught:
        with autograd.train_mode() if variant.train else autograd.predict_mode():
            outputs = registry.call(name, arrays, params)
            mx.nd.waitall()
            return outputs, []
    with autograd.record(train_mode=variant.train):
        outputs = registry.call(name, arrays, params)
    mx.nd.waitall()
    heads = [output for output in outputs if dtype(output) in FLOATS]
    try:
        autograd.backward(heads[:1], [head(heads[0])] if heads else None)
        mx.nd.waitall()
    except Exception as error:
        if "differentiable" in str(error) or "not registered" in str(error) or "require" in str(error):
            return outputs, []  # it has no gradient
        raise
    return outputs, [array.grad for array in taught]


def dtype(array: Any) -> str:
    return str(np.dtype(array.dtype).name)


def head(output: Any) -> Any:
    """Unlike ones, so that gradients of different elements differ."""
    weights = np.linspace(0.5, 1.5, output.size).reshape(output.shape).astype(output.dtype)
    make = mx.np.array if type(output).__module__.startswith("mxnet.numpy") else mx.nd.array
    return make(weights, dtype=output.dtype)


def _written(values: np.ndarray) -> dict[str, Any]:
    """An array as JSON."""
    whole = values.size <= MOST_ELEMENTS
    places = np.unique(np.linspace(0, values.size - 1, MOST_ELEMENTS).astype("int64"))
    kept = np.ascontiguousarray(values if whole else values.reshape(-1)[places])
    told = {"dtype": str(values.dtype), "shape": list(values.shape), "data": base64.b64encode(kept.tobytes()).decode()}
    if whole:
        return told
    odd = int(np.count_nonzero(~np.isfinite(values))) if str(values.dtype) in FLOATS else 0
    return {**told, "sha256": hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest(), "not_finite": odd}
