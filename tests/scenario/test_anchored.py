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


OTHERS = """\
workload: {model: ./net.py:build, shapes: {distribution: trace, file: sizes.txt}}
variants: {zoo: {workload.model: mlp, workload.shapes.file: deep/sizes.txt}}
faults: [{shape_shift: {shapes: {distribution: trace, file: /opt/sizes.txt}}}]
"""


def test_models_from_files_and_traces_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "question.yaml").write_text(OTHERS)
    values = anchored.read(tmp_path / "question.yaml").values
    assert values["workload"]["model"] == f"{tmp_path}/net.py:build"
    assert values["workload"]["shapes"]["file"] == f"{tmp_path}/sizes.txt"
    assert values["variants"]["zoo"] == {
        "workload.model": "mlp",
        "workload.shapes.file": f"{tmp_path}/deep/sizes.txt",
    }
    assert values["faults"][0]["shape_shift"]["shapes"]["file"] == "/opt/sizes.txt"


@pytest.mark.parametrize("text", ["[]", "workload: 3", "workload: {script: 3}\nvariants: []", "variants: {a: 3}"])
def test_what_is_no_path_is_left_to_the_schema(tmp_path: Path, text: str) -> None:
    (tmp_path / "question.yaml").write_text(text)
    anchored.read(tmp_path / "question.yaml")


def test_an_option_is_relative_to_where_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert overrides.from_option("workload.script=./train.py") == ("workload.script", f"{tmp_path}/train.py")
    assert overrides.from_option("workload.model=net.py:build") == ("workload.model", f"{tmp_path}/net.py:build")
    assert overrides.from_option("workload.model=mlp") == ("workload.model", "mlp")
