"""Which instructions a processor has, from what Linux tells of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.execution import processor

EPYC = """\
processor\t: 0
vendor_id\t: AuthenticAMD
model name\t: AMD EPYC
flags\t\t: fpu sse sse4_1 sse4_2 avx f16c fma avx2 bmi2

processor\t: 1
model name\t: another
flags\t\t: fpu
"""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cpuinfo"
    monkeypatch.setattr(processor, "CPUINFO", place)
    return place


def test_the_first_processor_speaks_for_all(told: Path) -> None:
    told.write_text(EPYC)
    assert processor.model() == "AMD EPYC"
    assert processor.widest(processor.flags()) == "avx2"


def test_one_of_another_kind_has_no_flags(told: Path) -> None:
    told.write_text("processor\t: 0\nFeatures\t: fp asimd\n")
    assert processor.widest(processor.flags()) == "not available: no flags of x86"


@pytest.mark.parametrize(
    ("flags", "widest"),
    [
        ("sse4_2", "sse4_2"),
        ("avx2 avx avx512f avx512bw", "avx512bw"),
        ("avx512bw avx512_vnni avx2", "avx512_vnni"),
        ("amx_bf16 avx512_bf16 avx512_vnni", "amx_bf16"),
    ],
)
def test_the_widest_by_which_onednn_chooses(flags: str, widest: str) -> None:
    assert processor.widest(frozenset(flags.split())) == widest


@pytest.mark.parametrize(
    ("openblas", "vectors", "core"),
    [
        ("0.3.13 for Barcelona", "avx2", "Barcelona"),
        ("for Prescott", "amx_bf16", "Prescott"),
        ("0.3.13 for Barcelona", "sse4_2", ""),
        ("0.3.13 for Barcelona", "avx", ""),
        ("0.3.13 for Haswell", "avx512bw", ""),
        ("0.3.13 for SkylakeX", "avx2", ""),
        ("0.3.30 for Later", "avx2", ""),
        ("", "avx2", ""),
        ("0.3.13 for Barcelona", "not available: no flags of x86", ""),
    ],
)
def test_an_openblas_that_knows_no_newer_processor(openblas: str, vectors: str, core: str) -> None:
    assert processor.of_older(openblas, vectors) == core
