"""The settings of MXNet's memory pools on GPUs, from its environment variables, refused as it refuses them.

``src/storage/pooled_storage_manager.h`` (lines 60 to 70 and 223 to 243 in MXNet 1.9.1) and ``src/storage/storage.cc``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from harness.base.errors import InputError
from harness.gpu.device_memory import MIB

Kind = Literal["Naive", "Round", "Unpooled"]
KINDS: tuple[Kind, ...] = get_args(Kind)

PREFIX = "MXNET_GPU_MEM_"
_NUMBERS = {
    "page_size": "POOL_PAGE_SIZE",
    "large_round": "LARGE_ALLOC_ROUND_SIZE",
    "cutoff": "POOL_ROUND_LINEAR_CUTOFF",
    "reserve": "POOL_RESERVE",
}
LOWEST_CUTOFF, HIGHEST_CUTOFF, SMALLEST_PAGE = 20, 34, 32
LARGEST_OF_ROUND = 1 << HIGHEST_CUTOFF
"""Bytes of the largest block that Round has a place for (line 244); beyond, MXNet reads past its table (328)."""

_OF_ROUND, _OF_NAIVE = ("cutoff",), ("large_round",)
_INT_MOST = (1 << 31) - 1


@dataclass(frozen=True)
class PoolSettings:
    """Bytes of a page; to multiples of how many bytes large arrays are rounded (Naive); the power of two beyond which
    rounding is linear (Round); how many percent of the whole device stay free.
    """

    kind: Kind = "Naive"
    page_size: int = 4096
    large_round: int = 2 * MIB
    cutoff: int = 24
    reserve: int = 5

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make a process use them: those that are not MXNet's defaults."""
        plain = PoolSettings()
        kind = {} if self.kind == plain.kind else {f"{PREFIX}POOL_TYPE": self.kind}
        numbers = {PREFIX + name: (getattr(self, field), getattr(plain, field)) for field, name in _NUMBERS.items()}
        return kind | {name: str(value) for name, (value, default) in numbers.items() if value != default}

    @property
    def most(self) -> float:
        """Bytes of the largest block that the pool can have."""
        return LARGEST_OF_ROUND if self.kind == "Round" else math.inf

    @property
    def words(self) -> str:
        """The pool, and what is not its default."""
        plain, own = PoolSettings(), [str(self.kind)]
        if self.kind == "Round":
            own.append(f"cutoff {self.cutoff}")
        if self.page_size != plain.page_size:
            own.append(f"pages of {_binary(self.page_size)}")
        if self.large_round != plain.large_round:
            own.append(f"steps of {_binary(self.large_round)}")
        if self.reserve != plain.reserve:
            own.append(f"{self.reserve} % reserved")
        return ", ".join(own)

    def refusal(self) -> str | None:
        """In MXNet's words, why it would not start with them."""
        if self.kind == "Unpooled":
            return None
        if self.page_size < SMALLEST_PAGE:
            return f"{PREFIX}POOL_PAGE_SIZE cannot be set to a value smaller than {SMALLEST_PAGE}"
        if self.kind == "Naive":
            return None if self.large_round > 0 else f"{PREFIX}LARGE_ALLOC_ROUND_SIZE cannot be set to a value <= 0"
        if self.page_size & (self.page_size - 1):
            return f"{PREFIX}POOL_PAGE_SIZE must be a power of 2"
        if not LOWEST_CUTOFF <= self.cutoff <= HIGHEST_CUTOFF:
            limits = f"smaller than {LOWEST_CUTOFF} or greater than {HIGHEST_CUTOFF}"
            return f"{PREFIX}POOL_ROUND_LINEAR_CUTOFF cannot be set to a value {limits}"
        if 1 << self.cutoff < self.page_size:
            name = f"{PREFIX}POOL_ROUND_LINEAR_CUTOFF"
            return f"{name} cannot be set to a value smaller than log2 of {PREFIX}POOL_PAGE_SIZE"
        return None


def from_environment(variables: Mapping[str, str]) -> PoolSettings:
    """What a process with these variables uses; InputError where MXNet would refuse them, or never reads one.

    What is empty is not set (``dmlc::GetEnv``).
    """
    names = [PREFIX + name for name in ("POOL_TYPE", *_NUMBERS.values())]
    for name in variables:
        if name not in names:
            raise InputError(f"{name} is no setting of MXNet's pools; allowed are {', '.join(names)}")
    variables = {name: value for name, value in variables.items() if value}
    kind = variables.get(f"{PREFIX}POOL_TYPE", "Naive")
    if kind not in KINDS:
        raise InputError(f"{PREFIX}POOL_TYPE={kind}: unknown memory pool; allowed are {', '.join(KINDS)}")
    numbers = {
        field: _number(PREFIX + name, variables[PREFIX + name])
        for field, name in _NUMBERS.items()
        if PREFIX + name in variables
    }
    settings = PoolSettings(kind, **numbers)
    if (why := settings.refusal()) is not None:
        raise InputError(f"MXNet refuses {settings.words}: {why}")
    return settings


def known(variables: Mapping[str, str]) -> dict[str, str]:
    """Those that are settings of pools."""
    names = {PREFIX + name for name in ("POOL_TYPE", *_NUMBERS.values())}
    return {name: value for name, value in variables.items() if name in names}


def unused(variables: Mapping[str, str]) -> list[str]:
    """Those that the pool which they choose does not read, each with the one that would."""
    kind = variables.get(f"{PREFIX}POOL_TYPE") or "Naive"
    of = dict.fromkeys(_OF_ROUND, "Round") | dict.fromkeys(_OF_NAIVE, "Naive")
    others = [(PREFIX + _NUMBERS[field], needs) for field, needs in of.items() if needs != kind]
    return [
        f"{name} does nothing with the pool {kind}; give {PREFIX}POOL_TYPE={needs} too"
        for name, needs in others
        if variables.get(name)
    ]


def _binary(size: int) -> str:
    """``64 KiB``, where it is a whole number of such."""
    known = ((unit, size >> shift) for shift, unit in ((20, "MiB"), (10, "KiB")) if size % (1 << shift) == 0)
    return next((f"{count} {unit}" for unit, count in known), f"{size} B")


def _number(name: str, text: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text) is None or abs(int(text)) > _INT_MOST:
        raise InputError(f"{name}={text}: MXNet expects a whole number below 2^31")
    if int(text) < 0:
        raise InputError(f"{name}={text}: MXNet would take it for 2^64{text}; give 0 or more")
    return int(text)
