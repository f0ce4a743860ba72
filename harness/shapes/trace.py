"""Sizes as somebody observed them, in their order."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from harness.shapes import MAX_SIZE, Distribution

LONGEST = 10_000


class Trace(Distribution):
    """The sizes in ``file``, one a line, step by step, and from its start again."""

    name: ClassVar[str] = "trace"
    distribution: Literal["trace"]
    file: Annotated[str, Field(min_length=1)] = Field(description="relative to the scenario; a number a line")

    @cached_property
    def _observed(self) -> tuple[int, ...]:
        try:
            lines = Path(self.file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            why = str(getattr(error, "strerror", None) or error)
            raise ValueError(f"{self.file} cannot be read: {why.lower()}") from error
        sizes = tuple(_size(self.file, number, line) for number, line in enumerate(lines, 1) if line.strip())
        if not 1 <= len(sizes) <= LONGEST:
            raise ValueError(f"{self.file} has {len(sizes)} sizes; allowed are 1 to {LONGEST}")
        return sizes

    def refusal(self) -> str | None:
        """Also what is wrong with its file, which a stored plan no longer needs."""
        try:
            return super().refusal()
        except ValueError as error:
            return str(error)

    def draw(self, uniform: float) -> int:
        return self._observed[int(uniform * len(self._observed))]

    def extremes(self) -> tuple[int, int]:
        return min(self._observed), max(self._observed)

    def drawn(self, seed: int, steps: int) -> tuple[int, ...]:
        return self._observed[:steps]


def _size(file: str, number: int, line: str) -> int:
    text = line.strip()
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:10]) <= MAX_SIZE:
        raise ValueError(f"{file}:{number}: {text[:40]!r} is not a size; allowed are 1 to {MAX_SIZE}")
    return int(text)
