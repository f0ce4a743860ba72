"""One call of an operator, ready to be made again and again: what so many of them take in a row."""

from __future__ import annotations

import time
from typing import Any

import mxnet as mx
from mxnet import autograd

from . import registry
from .candidates import Call
from .execute import FLOATS, array_of, dtype, head
from .variants import Variant, inputs


class Timed:
    """``asked``: operator, case, call, by how much its arrays are longer, and whether with gradients."""

    def __init__(self, asked: dict[str, Any]) -> None:
        call = Call([tuple(shape) for shape in asked["shapes"]], asked["kinds"], asked["params"])
        longer = asked["longer"]
        variant = Variant("timed", resize=lambda shape: (shape[0] * longer, *shape[1:]))
        self._name, self._params = asked["op"], asked["params"]
        self._heads: list[Any] = []
        self._arrays = [array_of(self._name, values, False) for values in inputs(asked["case"], call, variant)]
        self._once = self._with_gradients if asked["gradients"] else self._forward
        if asked["gradients"]:
            self._attach()

    def _attach(self) -> None:
        """ValueError where there is nothing that has a gradient."""
        taught = [array for array in self._arrays if dtype(array) in FLOATS]
        for array in taught:
            array.attach_grad()
        with autograd.record():
            outputs = registry.call(self._name, self._arrays, self._params)
        if not taught or dtype(outputs[0]) not in FLOATS:
            raise ValueError("it has no gradient")
        self._heads = [head(outputs[0])]

    def _forward(self) -> None:
        registry.call(self._name, self._arrays, self._params)

    def _with_gradients(self) -> None:
        with autograd.record():
            outputs = registry.call(self._name, self._arrays, self._params)
        autograd.backward(outputs[:1], self._heads)

    def seconds(self, calls: int) -> float:
        """Of all together, with the wait for what they issued."""
        mx.nd.waitall()
        began = time.perf_counter()
        for _ in range(calls):
            self._once()
        mx.nd.waitall()
        return time.perf_counter() - began
