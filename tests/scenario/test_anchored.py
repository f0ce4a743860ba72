"""Paths are relative to the file that names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import anchored, overrides

TEXT = """\
workload: {script: ./train.py, folder: ../data, steps: 5}
variants:
  other: {workload.script: /opt/other.py}
  whole: {workload: {script: deep/train.py}}
"""


def test_everywhere_that_a_file_may_name_one(tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(TEXT)
    values = anchored.read(tmp_path / "question.yaml").values
    assert values["workload"] == {"script": f"{tmp_path}/train.py", "folder": f"{tmp_path}/../data", "steps": 5}
    assert values["variants"]["other"] == {"workload.script": "/opt/other.py"}
    assert values["variants"]["whole"] == {"workload": {"script": f"{tmp_path}/deep/train.py"}}


@pytest.mark.parametrize("text", ["[]", "workload: 3", "workload: {script: 3}\nvariants: []", "variants: {a: 3}"])
def test_what_is_no_path_is_left_to_the_schema(tmp_path: Path, text: str) -> None:
    (tmp_path / "question.yaml").write_text(text)
    anchored.read(tmp_path / "question.yaml")


def test_an_option_is_relative_to_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert overrides.from_option("workload.script=./train.py") == ("workload.script", f"{tmp_path}/train.py")
    assert overrides.from_option("workload.model=mlp") == ("workload.model", "mlp")
