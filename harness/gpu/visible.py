"""Which GPUs a process means by ``gpu(0)``."""

from __future__ import annotations

from collections.abc import Iterable

VARIABLE, ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
BY_BUS = "PCI_BUS_ID"
"""The order of NVML, too; CUDA's default has the fastest first."""


def numbers(contexts: Iterable[str]) -> list[int]:
    """Those of contexts as ``gpu(1)``, each once."""
    return sorted({int(context[4:-1]) for context in contexts if context.startswith("gpu(")})


def physical(wanted: Iterable[int], visible: str | None) -> list[int]:
    """Their numbers on this machine, where CUDA_VISIBLE_DEVICES says ``visible``; those that it hides are left out.

    All of them as they are where it has no plain numbers, as a UUID.
    """
    if visible is None:
        return list(wanted)
    shown = [part.strip() for part in visible.split(",")] if visible.strip() else []
    if not all(part.isdecimal() for part in shown):
        return list(wanted)
    return [int(shown[number]) for number in wanted if number < len(shown)]
