from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.models.building import is_what_it_says

pytestmark = pytest.mark.e2e


def test_it_is_what_it_says(target: Path, tmp_path: Path) -> None:
    is_what_it_says("contrib", target, tmp_path, parameters=30_530)
