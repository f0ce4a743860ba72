"""Ways in which a call that an operator takes is called again: other types, odd sizes, odd values, other modes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .candidates import INDICES, POSITIVE, PROBABILITIES, Call


class Variant:
    """``resize`` changes each shape, ``damage`` the values of the first tensor; ``view``: as a part of a larger one."""

    def __init__(
        self,
        name: str,
        dtype: str = "float32",
        resize: Any = None,
        damage: Any = None,
        view: bool = False,
        train: bool = True,
        grad_req: str = "write",
    ) -> None:
        self.name, self.dtype, self.resize, self.damage = name, dtype, resize, damage
        self.view, self.train, self.grad_req = view, train, grad_req

    @property
    def as_given(self) -> Variant:
        """The same, with tensors as they are."""
        return Variant(self.name, self.dtype, None, self.damage, self.view, self.train, self.grad_req)


def _not_finite(values: np.ndarray) -> np.ndarray:
    """NaN first, infinities after it."""
    flat = values.reshape(-1)
    flat[: min(3, flat.size)] = [np.nan, np.inf, -np.inf][: min(3, flat.size)]
    return values


EMPTY = "empty"
BASE = Variant("base")
VARIANTS = [
    BASE,
    Variant("inference", train=False, grad_req="null"),
    Variant("gradients added", grad_req="add"),
    Variant("float64", dtype="float64"),
    Variant("float16", dtype="float16"),
    Variant("int32", dtype="int32", grad_req="null"),
    Variant("int8", dtype="int8", grad_req="null"),
    Variant("uint8", dtype="uint8", grad_req="null"),
    Variant("int64", dtype="int64", grad_req="null"),
    Variant("bool", dtype="bool", grad_req="null"),
    Variant("a view", view=True),
    Variant("not finite", damage=_not_finite),
    Variant("zeros", damage=lambda values: values * 0),
    Variant("large values", damage=lambda values: values * 1e4),
    Variant(EMPTY, resize=lambda shape: (0, *shape[1:])),
    Variant("one element", resize=lambda shape: (1,) * len(shape)),
    Variant("large", resize=lambda shape: (shape[0] * 16, *shape[1:])),
]


def inputs(case: str, call: Call, variant: Variant) -> list[np.ndarray]:
    """Values of the tensors, from the case's name alone."""
    return drawn(case, shapes(call, variant), call.kinds, variant)


def drawn(case: str, shapes: list[tuple[int, ...]], kinds: list[str], variant: Variant) -> list[np.ndarray]:
    """The same for tensors of these shapes."""
    arrays = []
    for place, (shape, kind) in enumerate(zip(shapes, kinds)):
        values = _values(np.random.RandomState(_seed(f"{case} {place}")), shape, kind)
        if variant.damage and place == 0 and kind != INDICES:
            values = variant.damage(values)
        arrays.append(_as(values, variant.dtype, kind))
    return arrays


def shapes(call: Call, variant: Variant) -> list[tuple[int, ...]]:
    """Of each tensor; those are resized that are as long as the first, since the others are weights."""
    first = call.shapes[0][:1] if call.shapes else ()
    resized = variant.resize if variant.resize is not None else tuple
    return [tuple(resized(shape)) if shape and shape[:1] == first else shape for shape in call.shapes]


def _values(draw: Any, shape: tuple[int, ...], kind: str) -> np.ndarray:
    if kind == INDICES:
        return np.asarray(draw.randint(0, 3, shape), "float64")
    if kind == POSITIVE:
        return np.asarray(draw.uniform(0.25, 2.0, shape))
    if kind == PROBABILITIES:
        return np.asarray(draw.uniform(0.05, 0.95, shape))
    if kind == "definite":
        half = draw.standard_normal(shape)
        return np.asarray(half @ half.T + shape[-1] * np.eye(shape[-1]))
    return np.asarray(draw.standard_normal(shape))


def _as(values: np.ndarray, dtype: str, kind: str) -> np.ndarray:
    """Whole numbers from small ones, so that they do not all become zero; what is above the mean is true."""
    if dtype == "bool":
        return np.asarray(values > (values.mean() if values.size else 0))
    if dtype.startswith(("int", "uint")) and kind != INDICES:
        values = np.clip(np.abs(np.nan_to_num(values)) * 3 if dtype == "uint8" else values * 3, -100, 100)
    return values.astype(dtype)


def _seed(text: str) -> int:
    from zlib import crc32

    return crc32(text.encode()) & 0x7FFFFFFF
