"""Libraries of NVIDIA's from wheels."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.gpu import wheels


def test_its_libraries_come_before_the_shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/mine")
    assert wheels.library_path(tmp_path) == {}
    for name in ("nccl", "cublas"):
        (tmp_path / "lib/python3.11/site-packages/nvidia" / name / "lib").mkdir(parents=True)
    site = tmp_path / "lib/python3.11/site-packages/nvidia"
    wanted = f"{site}/cublas/lib:{site}/nccl/lib:/mine"
    assert wheels.library_path(tmp_path) == {"LD_LIBRARY_PATH": wanted}
