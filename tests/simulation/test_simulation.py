"""Two thousand worlds, each of which must break no law; ``SIMULATED_WORLDS`` asks for another number."""

from __future__ import annotations

import os

import pytest

from tests.simulation.run import failing, fewest

SEEDS = int(os.environ.get("SIMULATED_WORLDS", "2000"))
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_world_breaks_a_law(part: int) -> None:
    for seed in range(part * SEEDS // PARTS, (part + 1) * SEEDS // PARTS):
        sentences = failing(seed)
        assert not sentences, f"seed {seed}: {sentences}\n{fewest(seed)}"
