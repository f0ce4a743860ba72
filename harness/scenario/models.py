"""The models a scenario may name: ours, other distributions', the zoo's, and functions in files of the user's."""

from __future__ import annotations

import importlib

from harness.base import registry
from harness.scenario import model_file
from harness.scenario.model_facts import ModelFacts
from harness.worker import models

ZOO = [
    "alexnet",
    "densenet121",
    "densenet161",
    "densenet169",
    "densenet201",
    "inceptionv3",
    "mobilenet0.25",
    "mobilenet0.5",
    "mobilenet0.75",
    "mobilenet1.0",
    "mobilenetv2_0.25",
    "mobilenetv2_0.5",
    "mobilenetv2_0.75",
    "mobilenetv2_1.0",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "squeezenet1.0",
    "squeezenet1.1",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]
"""Names that ``gluon.model_zoo.vision.get_model`` knows, the same in 1.5 to 1.9.1."""

_FIXED_SIZE = ("alexnet", "vgg", "squeezenet", "densenet", "inceptionv3", "mobilenetv2")


def file_of(name: str) -> str | None:
    """The file in ``./file.py:function``; None where a model is not named by its file."""
    file, _, function = name.rpartition(":")
    return file if file.endswith(".py") and function.isidentifier() else None


def facts(name: str) -> ModelFacts | None:
    """What is known of a model; None when there is no such model. Of a file's: what it says, if it can be read."""
    if (file := file_of(name)) is not None:
        return model_file.read(file).facts
    if (own_module := registry.modules(models.__name__).get(name)) is not None:
        module = importlib.import_module(own_module)
        stages = getattr(module, "STAGES", 1)
        return ModelFacts(module.SIZE, module.VARIABLE, module.SMALLEST, stages, input=module.INPUT)
    if name in ZOO:
        return ModelFacts(299 if name == "inceptionv3" else 224, not name.startswith(_FIXED_SIZE), 32)
    return None


def arguments(name: str) -> frozenset[str] | None:
    """Names by which a model can be asked for in another size; None where only Python can tell."""
    if (file := file_of(name)) is not None:
        return model_file.read(file).arguments(name.rpartition(":")[2])
    module = registry.modules(models.__name__).get(name)
    if module is None:
        return frozenset()
    return model_file.read(str(importlib.import_module(module).__file__)).arguments("build")


def own() -> list[str]:
    """The names of models that are files: ours, and those of other distributions."""
    return list(registry.modules(models.__name__))


def stages() -> dict[str, int]:
    """Models that are files, and how many parts each can be cut into."""
    return {name: known.stages for name in own() if (known := facts(name))}
