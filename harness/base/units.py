"""Durations, percentages, sizes and bandwidths as people write them, and numbers as people read them."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_NUMBER = r"\d+(?:\.\d+)?"
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {
    "B": 1,
    "kB": 10**3, "MB": 10**6, "GB": 10**9,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
}  # fmt: skip
_BITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def parse_duration(value: Any) -> float:
    """Read a duration, as in ``250ms``, in seconds; ValueError without a unit."""
    return _with_unit(value, _SECONDS, "a duration", "3s, 250ms, 2min")


def duration_at_least(seconds: float) -> str:
    """A duration as people write it, and no shorter: ``114s``, ``25min``, ``6.4h``."""
    if seconds < 600:
        return f"{math.ceil(seconds)}s"
    return f"{math.ceil(seconds / 60)}min" if seconds < 7200 else f"{math.ceil(seconds / 360) / 10:g}h"


def parse_size(value: Any) -> int:
    """Read a size, as in ``64MB``, in bytes; ValueError without a unit."""
    return round(_with_unit(value, _BYTES, "a size", "64MB, 1.5GiB"))


def parse_bandwidth(value: Any) -> float:
    """Read a bandwidth, as in ``200mbit``, in bits a second; ValueError without a unit."""
    return _with_unit(value, _BITS, "a bandwidth", "200mbit, 1gbit")


def parse_percentage(value: Any) -> float:
    """Read a percentage as a fraction: ``"30%"`` is 0.3; ValueError without the sign."""
    if isinstance(value, str) and (match := re.fullmatch(rf"({_NUMBER})\s*%", value)):
        return float(match[1]) / 100
    raise ValueError("is not a percentage; write a number and a percent sign, as in 30%")


def _with_unit(value: Any, units: dict[str, float] | dict[str, int], what: str, examples: str) -> float:
    if isinstance(value, str) and (match := re.fullmatch(rf"({_NUMBER})\s*([A-Za-z]+)", value)):
        if match[2] not in units:
            raise ValueError(f"has the unit {match[2]!r}; allowed are {', '.join(units)}")
        amount = float(match[1]) * units[match[2]]
        if math.isfinite(amount):
            return amount
    raise ValueError(f"is not {what}; write a number and a unit, as in {examples}")


def _plain(value: float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _schema(pattern: str, *examples: str) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": list(examples)})


Duration = Annotated[
    float,
    BeforeValidator(parse_duration),
    PlainSerializer(lambda value: f"{_plain(value)}s"),
    _schema(rf"^{_NUMBER}\s*({'|'.join(_SECONDS)})$", "3s", "250ms", "2min"),
]
Size = Annotated[
    int,
    BeforeValidator(parse_size),
    PlainSerializer(lambda value: f"{value}B"),
    _schema(rf"^{_NUMBER}\s*({'|'.join(_BYTES)})$", "64MB", "1.5GiB"),
]
Bandwidth = Annotated[
    float,
    BeforeValidator(parse_bandwidth),
    PlainSerializer(lambda value: f"{_plain(value / 1e3)}kbit"),
    _schema(rf"^{_NUMBER}\s*({'|'.join(_BITS)})$", "200mbit", "1gbit"),
]
Percentage = Annotated[
    float,
    BeforeValidator(parse_percentage),
    PlainSerializer(lambda value: f"{_plain(value * 100)}%"),
    _schema(rf"^{_NUMBER}\s*%$", "25%", "0.1%"),
]


def bytes_text(value: float) -> str:
    """Bytes for people: ``12.3 MB`` (decimal, three digits)."""
    rounded = float(f"{value:.3g}")
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if abs(rounded) >= factor:
            return f"{rounded / factor:.{max(3, len(str(int(abs(rounded) / factor))))}g} {unit}"
    return f"{rounded:.0f} B"


def bandwidth_text(value: float | None) -> str:
    """Bits a second for people: ``200 Mbit/s``."""
    if value is None:
        return "unlimited"
    unit, factor = next(((u, f) for u, f in (("G", 1e9), ("M", 1e6)) if value >= f), ("k", 1e3))
    return f"{value / factor:.4g} {unit}bit/s"
