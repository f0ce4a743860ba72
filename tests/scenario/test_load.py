"""Fields, places and variants of a scenario; what fields mean together is tried in test_validation.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import ScenarioError
from harness.scenario import load

TEXT = """\
title: q
workload: {model: mlp, steps: 50}
variants:
  few: {}
  many: {workload.steps: 90}
"""


def test_a_file_and_its_text_give_the_same_scenarios(tmp_path: Path) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(TEXT)
    loaded = load.read(path)
    assert loaded.arms == load.parse(TEXT, "question").arms
    assert (loaded.name, loaded.text) == ("question", TEXT)
    assert {name: arm.workload.steps for name, arm in loaded.arms.items()} == {"few": 50, "many": 90}


def test_the_place_of_a_problem_is_known_afterwards() -> None:
    loaded = load.parse(TEXT, "question")
    assert str(loaded.problem("", ("workload", "steps"), "no")) == "question.yaml:2:24: workload.steps: no"
    assert str(loaded.problem("many", ("workload", "steps"), "no")) == "question.yaml:5:10: workload.steps: no"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("model: mlp", "training: oracle, model: mlp", "2:1: workload: the oracle trains no model; leave model out"),
        ("model: mlp, ", "", "2:1: workload: needs a model, as in model: mlp"),
        ("model: mlp", "model: oracle", "'oracle' is a training, not a model; write training: oracle in its place"),
        ("workload.steps: 90", "title: r", "title is the same for all variants; allowed are workload,"),
    ],
)
def test_bad_fields_are_named_with_their_place(old: str, new: str, complaint: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        load.parse(TEXT.replace(old, new), "question")
    assert complaint in str(caught.value)
