"""Quantities as text: value, unit, interval, sample count."""

from __future__ import annotations

from harness.vocabulary.quantities import Quantity


def text(quantity: Quantity) -> str:
    """One line; what is not available says why."""
    if quantity.value is None:
        return f"not available: {quantity.note}"
    scale, unit = _scale(quantity.value, quantity.unit)
    words = f"{_digits(quantity.value, scale)} {unit}".rstrip()
    if quantity.low is not None and quantity.high is not None and quantity.low != quantity.high:
        words += f" ({_digits(quantity.low, scale)} to {_digits(quantity.high, scale)})"
    return f"{words}, n={quantity.n}{f'; {quantity.note}' if quantity.note else ''}"


def _scale(value: float, unit: str) -> tuple[float, str]:
    """A factor and the unit that it leads to, chosen for the value and kept for its interval."""
    if unit == "fraction":
        return 100.0, "%"
    base, per, over = unit.partition("/")
    if base == "B":
        factor, word = next(((f, w) for f, w in _BYTES if abs(value) >= f), (1.0, "B"))
    elif base == "s":
        factor, word = next(((f, w) for f, w in _SECONDS if abs(value) >= f), (1e-6, "us"))
    else:
        return 1.0, unit
    return 1 / factor, word + per + over


_BYTES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_SECONDS = ((1.0, "s"), (1e-3, "ms"))


def _digits(value: float, scale: float) -> str:
    scaled = value * scale
    return f"{scaled:.0f}" if abs(scaled) >= 1000 else f"{scaled:.4g}"
