from __future__ import annotations

import pytest

from harness.base.errors import InputError
from harness.scenario import observed
from harness.scenario.observed import Observed


@pytest.mark.parametrize(
    ("shapes", "axis", "sizes", "others"),
    [
        ([[16, 12], [16, 40], [], [8, 12]], 1, (12, 40, 12), ()),
        ([[8, 3, 48, 48], [8, 3, 64, 48]], 2, (48, 64), ()),
        ([[8, 3, 48, 48], [8, 3, 64, 32]], 2, (48, 64), (3,)),
        ([[8, 3, 48, 64], [8, 3, 48, 64]], 3, (64, 64), ()),
        ([[16, 12, 5], [16, 40]], 1, (12, 40), ()),
    ],
)
def test_the_axis_that_varies(
    shapes: list[list[int]], axis: int, sizes: tuple[int, ...], others: tuple[int, ...]
) -> None:
    assert observed.of(shapes) == Observed(axis, sizes, others)


def test_a_line_for_each() -> None:
    assert Observed(1, (12, 40)).text() == "12\n40\n"


@pytest.mark.parametrize("shapes", [[], [[], []], [[32]]])
def test_nothing_to_record(shapes: list[list[int]]) -> None:
    with pytest.raises(InputError, match="no batch was fetched"):
        observed.of(shapes)
