"""What the exit code of a sweep says."""

from __future__ import annotations

import pytest

from harness.cli.operators import exit_code
from harness.studies.parity import Difference, Parity

SWEPT = Parity((), (), (), 50, 3, (), (), ())
CASE = {"case": "op(2n) base", "op": "op"}


@pytest.mark.parametrize(
    ("found", "only", "code"),
    [
        (SWEPT, (), 0),
        (SWEPT, ("op",), 0),
        (Parity((Difference("op", "crashes", CASE, ""),), (), (), 50, 3, (), (), ()), (), 1),
        (Parity((), (), (), 50, 3, ("other",), (), ()), (), 0),
        (Parity((), (), (), 50, 3, ("other",), (), ()), ("op", "other"), 3),
        (Parity((), (), (), 50, 3, (), ("other",), ()), (), 1),
        (Parity((), (), (), 50, 3, (), (), (), unmatched=("op",)), (), 3),
        (Parity((), (), (), 0, 0, (), (), ()), (), 3),
    ],
)
def test_the_exit_code_says_what_differs_or_could_not_be_asked(found: Parity, only: tuple[str, ...], code: int) -> None:
    assert exit_code(found, only) == code
