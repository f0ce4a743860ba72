"""Workloads that pages show can be loaded."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from harness.planning.validation import load
from tests.conftest import ROOT

BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "workloads.md").read_text(), re.S)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_workload_of_the_page(tmp_path: Path, block: str) -> None:
    path = tmp_path / "question.yaml"
    path.write_text("title: a question\nworkload:\n" + textwrap.indent(block, "  "))
    assert load(path).scenario.workload.steps == 300


def test_there_are_some() -> None:
    assert len(BLOCKS) == 7
