"""Where sides that take turns lie, as a script of a user's sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.base.process import can_fix_addresses
from tests.e2e.conftest import Command

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not can_fix_addresses(), reason="the kernel does not let addresses be fixed here"),
]
TEXT = f"""\
title: a question
turns: 1
workload: {{script: {Path(__file__).with_name("scripts") / "where.py"}, args: [FOLDER], steps: 12, warmup: 2}}
variants: {{a: {{}}, b: {{}}}}
"""


@pytest.fixture
def where(run: Callable[..., Command], tmp_path: Path) -> Callable[..., list[Any]]:
    """What each side of a run wrote."""

    def of_sides(seed: int) -> list[Any]:
        folder = tmp_path / str(seed)
        folder.mkdir()
        command = run(TEXT.replace("FOLDER", str(folder)), "--set", f"seed={seed}")
        assert command.code == 0, command.out + command.err
        return [json.loads(path.read_text()) for path in folder.iterdir()]

    return of_sides


def test_a_pair_lies_at_the_same_addresses_and_another_pair_elsewhere(where: Callable[..., list[Any]]) -> None:
    pairs = [where(seed) for seed in (1, 2)]
    libraries = [[side["library"] for side in pair] for pair in pairs]
    assert [len(pair) for pair in libraries] == [2, 2]
    assert [len(set(pair)) for pair in libraries] == [1, 1]
    assert libraries[0][0] != libraries[1][0]
    fixed = f"{int(Path('/proc/self/personality').read_text(), 16) & ~0x40000:08x}"
    assert {(*side["ours"], side["child"]) for pair in pairs for side in pair} == {(fixed,)}
