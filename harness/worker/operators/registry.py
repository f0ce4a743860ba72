"""MXNet's registry of operators through its C interface, which every version has (``include/mxnet/c_api.h``)."""

from __future__ import annotations

import ctypes
import inspect
from typing import Any

import mxnet as mx
from mxnet._ctypes import ndarray as by_ctypes
from mxnet.base import _LIB, c_str, check_call
from mxnet.ndarray._internal import _imperative_invoke

TENSOR = "NDArray-or-Symbol"

LEFT_OUT = (
    "Custom", "_CachedOp", "_CachedOpThreadSafe", "_CrossDeviceCopy", "_CustomFunction", "_FusedOp", "_NDArray",
    "_Native", "_NoGradient", "_cond", "_copyto", "_foreach", "_while_loop",
)  # fmt: skip
"""They take addresses, graphs or functions of Python, which no seed draws."""


class Operator:
    """One of them: its name, tensors (or whether any number may come), parameters that it must and that it can have."""

    def __init__(
        self, name: str, tensors: list[str], variadic: bool, required: list[tuple[str, str]], optional: list[str]
    ) -> None:
        self.name, self.tensors, self.variadic = name, tensors, variadic
        self.required, self.optional = required, optional


def names() -> dict[str, list[str]]:
    """Of all that a user can call, with their other names: backward operators are called by autograd."""
    every: dict[Any, list[str]] = {}
    for name in _all_names():
        if "backward" not in name and name not in LEFT_OUT:
            every.setdefault(_handle(name).value, []).append(name)
    sets = [sorted(aliases, key=lambda name: (name.startswith("_"), name)) for aliases in every.values()]
    return {aliases[0]: aliases[1:] for aliases in sorted(sets)}


def _all_names() -> list[str]:
    count, texts = ctypes.c_uint(), ctypes.POINTER(ctypes.c_char_p)()
    check_call(_LIB.MXListAllOpNames(ctypes.byref(count), ctypes.byref(texts)))
    return sorted(texts[place].decode() for place in range(count.value))


def operator(name: str) -> Operator:
    """What the registry says of an operator (``MXSymbolGetAtomicSymbolInfo``)."""
    handle = _handle(name)
    real, text, key_var, returned = (ctypes.c_char_p() for _ in range(4))
    count = ctypes.c_uint()
    fields = [ctypes.POINTER(ctypes.c_char_p)() for _ in range(3)]
    check_call(
        _LIB.MXSymbolGetAtomicSymbolInfo(
            handle,
            ctypes.byref(real),
            ctypes.byref(text),
            ctypes.byref(count),
            *(ctypes.byref(field) for field in fields),
            ctypes.byref(key_var),
            ctypes.byref(returned),
        )
    )
    arguments = [(fields[0][place].decode(), fields[1][place].decode()) for place in range(count.value)]
    tensors = [argument for argument, type_ in arguments if type_ == TENSOR]
    variadic = any(type_ == TENSOR + "[]" for _, type_ in arguments)
    required = [(argument, type_) for argument, type_ in arguments if "required" in type_]
    optional = [argument for argument, type_ in arguments if "optional" in type_]
    return Operator(name, tensors, variadic, required, optional)


def call(name: str, arrays: list[Any], params: dict[str, str]) -> list[Any]:
    """Its outputs; MXNetError and others where it refuses. Arrays of numpy for operators of numpy."""
    later = [is_numpy(name), False][: _PARAMETERS - 5]  # is_np_op since 1.6, output_is_list since 1.7
    found = _imperative_invoke(_handle(name).value, arrays, list(params), list(params.values()), None, *later)
    return list(found) if isinstance(found, (list, tuple)) else [found]


def is_numpy(name: str) -> bool:
    """Whether it takes and gives arrays of ``mx.np``, where the version has them."""
    return name.startswith(("_np", "_npi_", "_npx_")) and hasattr(mx, "np")


def _handle(name: str) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    check_call(_LIB.NNGetOpHandle(c_str(name), ctypes.byref(handle)))
    return handle


_PARAMETERS = len(inspect.signature(by_ctypes._imperative_invoke).parameters)
"""Of the one that is compiled, which does not tell, as many."""
