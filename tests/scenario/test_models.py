from __future__ import annotations

from harness.scenario import models
from harness.scenario.model_facts import ModelFacts


def test_our_own_models_describe_themselves() -> None:
    assert models.own() == [
        "adaptive", "contrib", "dropout", "embedding", "factorization", "lenet", "lstm", "lstm_lm", "mlp",
        "resnet101", "resnet152", "resnet18", "resnet34", "resnet50", "sparse_embedding", "text_cnn", "transformer",
        "wide_deep",
    ]  # fmt: skip
    assert models.facts("lstm") == ModelFacts(8, True, 1, stages=2, input="sequence")
    assert models.facts("mlp") == ModelFacts(8, False, 1, stages=3, input="flat")
    assert models.facts("transformer") == ModelFacts(32, True, 1, input="tokens")


def test_zoo_models_have_their_usual_size() -> None:
    assert models.facts("resnet50_v1") == ModelFacts(224, True, 32)
    assert models.facts("inceptionv3") == ModelFacts(299, False, 32)
    assert models.facts("resnet19") is None


def test_a_model_in_a_file_is_named_by_it_and_its_function() -> None:
    assert models.file_of("./deep/net.py:build") == "./deep/net.py"
    assert [models.file_of(name) for name in ("mlp", "net.py", "net.py:", "net.py:a b", "net:build")] == [None] * 5


def test_models_that_can_be_cut() -> None:
    able = {name: stages for name, stages in models.stages().items() if stages > 1}
    assert able == {"lstm": 2, "mlp": 3}
