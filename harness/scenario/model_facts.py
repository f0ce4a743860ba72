"""What the controller knows of a model, without mxnet."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelFacts:
    """Size where the scenario gives none, whether one network takes several sizes, and the smallest it takes.

    ``stages`` is how many parts it can be cut into for model parallelism; ``own_batches``: it brings its data.
    ``input``: what it takes of others.
    """

    size: int
    variable: bool
    smallest: int
    stages: int = 1
    own_batches: bool = False
    input: str = "image"


ORACLE = ModelFacts(size=8, variable=False, smallest=8)
"""The oracle computes no outputs; its batches are as large as those of the smallest model."""
