"""Jobs that are compared with themselves, and where what they said is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

KEPT = Path(__file__).parents[2] / "results" / "comparing"
NAMES = ("lenet", "lenet-dist", "resnet", "resnet-dist")


@dataclass(frozen=True)
class Collected:
    """Of one job: effects of pairs (logarithms), what a pair and a run took, and step seconds of single runs."""

    case: str
    machine: Mapping[str, object]
    pair_seconds: float
    same: list[float]
    planted: list[float]
    planted_asked: float
    run_seconds: float
    runs: list[list[float]]


@dataclass(frozen=True)
class Whole:
    """One comparison from the command line."""

    case: str
    planted: float
    answer: str
    estimate: float | None
    low: float | None
    high: float | None
    pairs: int
    seconds: float


def scenario(case: str) -> Path:
    """The scenario file of a case."""
    return Path(__file__).with_name(f"{case}.yaml")


def keep(found: Collected) -> None:
    """Store what was collected in place of what there was."""
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{found.case}.json").write_text(json.dumps(asdict(found)) + "\n")


def collected() -> list[Collected]:
    """Of every case that has something."""
    files = (KEPT / f"{name}.json" for name in NAMES)
    return [Collected(**json.loads(file.read_text())) for file in files if file.is_file()]


def keep_whole(found: Whole) -> None:
    """Add a comparison to those there are."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "whole.jsonl").open("a") as file:
        file.write(json.dumps(asdict(found)) + "\n")


def whole() -> list[Whole]:
    """All comparisons from the command line."""
    file = KEPT / "whole.jsonl"
    return [Whole(**json.loads(line)) for line in file.read_text().splitlines()] if file.is_file() else []
