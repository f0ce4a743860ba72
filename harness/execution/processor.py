"""The processor: its name, and which sets of vector instructions it has, by which oneDNN chooses what it runs."""

from __future__ import annotations

import platform
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
VECTORS = ("sse4_2", "avx", "avx2", "avx512bw", "avx512_vnni", "avx512_bf16", "amx_bf16")
"""As Linux names them (`arch/x86/include/asm/cpufeatures.h`), from narrow to wide."""


def model() -> str:
    """Of virtual machines often only the family, as in «AMD EPYC»."""
    return _of("model name") or platform.processor() or f"not available: {CPUINFO} names no model"


def flags() -> frozenset[str]:
    """All that Linux tells; none elsewhere than on x86."""
    return frozenset(_of("flags").split())


def widest(known: frozenset[str]) -> str:
    """The widest vector instructions that are among flags."""
    return next((name for name in reversed(VECTORS) if name in known), "not available: no flags of x86")


def of_older(openblas: str, vectors: str) -> str:
    """The processor that an OpenBLAS takes this one for, if that one has no AVX2 and this one has; else "".

    So it is with what it does not know (`driver/others/dynamic.c`). ``openblas``: as workers tell of it.
    """
    core = openblas.rpartition(" ")[2]
    has_avx2 = vectors in VECTORS[VECTORS.index("avx2") :]
    return core if core in _WITHOUT_AVX2 and has_avx2 else ""


_WITHOUT_AVX2 = (
    "Katmai", "Coppermine", "Northwood", "Prescott", "Banias", "Atom", "Core2", "Penryn", "Dunnington", "Nehalem",
    "Athlon", "Opteron", "Opteron_SSE3", "Barcelona", "Nano", "Bobcat", "Sandybridge", "Bulldozer", "Piledriver",
    "Steamroller",
)  # fmt: skip


def _of(name: str) -> str:
    """A field of the first processor; "" where there is none of that name."""
    for line in CPUINFO.read_text().splitlines():
        field, _, value = line.partition(":")
        if field.strip() == name:
            return value.strip()
    return ""
