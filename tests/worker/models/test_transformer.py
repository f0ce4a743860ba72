from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.models.building import is_what_it_says

pytestmark = pytest.mark.e2e


def test_it_is_what_it_says(target: Path, tmp_path: Path) -> None:
    is_what_it_says("transformer", target, tmp_path, parameters=395_264)


def test_it_has_the_size_that_is_asked_for(target: Path, tmp_path: Path) -> None:
    is_what_it_says("transformer", target, tmp_path, parameters=1_185_152, layers=3, units=128, heads=8)
