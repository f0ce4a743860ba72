"""Two thousand worlds, each of which must break no law."""

from __future__ import annotations

import pytest

from tests.simulation.run import failing, fewest

SEEDS = 2000
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_world_breaks_a_law(part: int) -> None:
    for seed in range(part * SEEDS // PARTS, (part + 1) * SEEDS // PARTS):
        sentences = failing(seed)
        assert not sentences, f"seed {seed}: {sentences}\n{fewest(seed)}"
