from __future__ import annotations

from harness.scenario import models
from harness.scenario.model_facts import ModelFacts


def test_our_own_models_describe_themselves() -> None:
    assert models.own() == ["embedding", "lenet", "lstm", "mlp", "resnet18", "sparse_embedding"]
    assert models.facts("lstm") == ModelFacts(8, True, 1, stages=2)
    assert models.facts("mlp") == ModelFacts(8, False, 1, stages=3)


def test_zoo_models_have_their_usual_size() -> None:
    assert models.facts("resnet50_v1") == ModelFacts(224, True, 32)
    assert models.facts("inceptionv3") == ModelFacts(299, False, 32)
    assert models.facts("resnet19") is None


def test_a_model_in_a_file_is_named_by_it_and_its_function() -> None:
    assert models.file_of("./deep/net.py:build") == "./deep/net.py"
    assert [models.file_of(name) for name in ("mlp", "net.py", "net.py:", "net.py:a b", "net:build")] == [None] * 5


def test_models_that_can_be_cut() -> None:
    assert models.stages() == {
        "embedding": 1, "lenet": 1, "lstm": 2, "mlp": 3, "resnet18": 1, "sparse_embedding": 1,
    }  # fmt: skip
