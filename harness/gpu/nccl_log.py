"""What NCCL says of itself in a process's log, where ``NCCL_DEBUG`` lets it. Pure.

Lines as NCCL 2.4 to 2.21 write them (`src/debug.cc`, `src/init.cc`, `src/transport/*.cc`). What it says without a GPU
was tried with 2.13.4 and 2.21.5 (`tests/hardware/test_gpu_target.py`); ways between GPUs were only read of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

DEBUG = "NCCL_DEBUG"
"""The variable without which it says nothing."""

_VERSION = re.compile(r"NCCL version (\d+(?:\.\d+)+)")
_NETWORK = re.compile(r"NCCL INFO Using (?:internal )?[Nn]etwork (\S+)")
_WAY = re.compile(r"NCCL INFO (?:Channel|Ring) [\d/]+ : (\d+)(?:\[\w+\])? -> (\d+)(?:\[\w+\])? (?:\[\w+\] )?via (\S+)")
_WARNING = re.compile(r"(?:(\S+:\d+) )?NCCL WARN (.*\S)")
_MOST_WARNINGS = 10


@dataclass(frozen=True)
class NcclLog:
    """``ways``: from rank to rank, as ``0->1``, and by what; ``warnings``: each once, the first ten."""

    version: str = ""
    network: str = ""
    ways: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def says_nothing(self) -> bool:
        """Whether NCCL did not speak."""
        return self == NcclLog()

    def facts(self) -> dict[str, Any]:
        """What it said, by name; nothing of what it did not."""
        return {name: value for name, value in vars(self).items() if value}


def read(text: str) -> NcclLog:
    """From all of a log, or its end."""
    version, network = (match[1] if match else "" for match in (_VERSION.search(text), _NETWORK.search(text)))
    ways = {f"{one}->{other}": way for one, other, way in _WAY.findall(text)}
    warnings = dict.fromkeys(f"{place}: {said}" if place else said for place, said in _WARNING.findall(text))
    return NcclLog(version, network, ways, tuple(warnings)[:_MOST_WARNINGS])


def first_warnings(logs: Mapping[str, NcclLog]) -> Iterator[tuple[str, str]]:
    """Of each process that has any, the first, and how many it has besides; the same of several only once."""
    told = set[str]()
    for name, log in logs.items():
        if log.warnings and log.warnings[0] not in told:
            told.add(log.warnings[0])
            more = len(log.warnings) - 1
            yield name, log.warnings[0] + (f" (and {more} more, in its log)" if more else "")
