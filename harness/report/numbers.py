"""Quantities as text: value, unit, interval, sample count."""

from __future__ import annotations

from harness.measures import Quantity
from harness.units import bytes_text


def text(quantity: Quantity) -> str:
    """One line; what is not available says why."""
    if quantity.value is None:
        return f"not available: {quantity.note}"
    said = number(quantity.value, quantity.unit)
    if quantity.low is not None and quantity.high is not None and quantity.low != quantity.high:
        said += f" ({bare(quantity.low, quantity.unit)} to {bare(quantity.high, quantity.unit)})"
    return f"{said}, n={quantity.n}"


def number(value: float, unit: str) -> str:
    """A value with its unit, scaled for people."""
    if unit in ("B", "fraction"):
        return bare(value, unit)
    if unit == "B/1000 steps":
        return f"{bytes_text(value)}/1000 steps"
    if unit in ("s", "s/sample"):
        return f"{bare(value, unit)} {'ms' if value >= 1e-4 else 'us'}{unit[1:]}"
    return f"{bare(value, unit)} {unit}".rstrip()


def bare(value: float, unit: str) -> str:
    """A value scaled like `number`, without a unit where the unit is said already."""
    if unit in ("B", "B/1000 steps"):
        return bytes_text(value)
    if unit == "fraction":
        return f"{value:.1%}"
    if unit in ("s", "s/sample"):
        return f"{value * (1e3 if value >= 1e-4 else 1e6):.4g}"
    return f"{value:.4g}"
