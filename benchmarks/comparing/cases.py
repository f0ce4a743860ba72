"""Jobs that are compared with themselves, and where what they said is kept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

KEPT = Path(__file__).parents[2] / "results" / "comparing"
NAMES = ("lenet", "lenet-dist", "resnet", "transformer-dist", "resnet-dist")


@dataclass(frozen=True)
class Collected:
    """Of one job: effects of pairs (logarithms), what a pair and a run took, and step seconds of single runs.

    An effect is that of the middle of turns and, beside it, that of the whole time, which guards it.
    """

    case: str
    machine: Mapping[str, object]
    pair_seconds: float
    same: list[tuple[float, float]]
    planted: list[tuple[float, float]]
    planted_asked: float
    run_seconds: float
    runs: list[list[float]]


@dataclass(frozen=True)
class Whole:
    """One comparison from the command line; ``effects`` of its pairs (logarithms), each with that of its guard."""

    case: str
    planted: float
    answer: str
    estimate: float | None
    low: float | None
    high: float | None
    pairs: int
    seconds: float
    effects: Sequence[tuple[float, float]] = ()


def scenario(case: str) -> Path:
    """The scenario file of a case."""
    return Path(__file__).with_name(f"{case}.yaml")


def files(case: str) -> list[Path]:
    """What is kept of a case, a file for each study."""
    return sorted((KEPT / case).glob("*.json"))


def keep(study: str, found: Collected) -> None:
    """Store what a study collected, in place of what it had before."""
    (KEPT / found.case).mkdir(parents=True, exist_ok=True)
    (KEPT / found.case / f"{study}.json").write_text(json.dumps(asdict(found)) + "\n")


def collected() -> list[Collected]:
    """Of every case that has something, all its studies together."""
    each = {name: [Collected(**json.loads(file.read_text())) for file in files(name)] for name in NAMES}
    return [_as_compared(_together(studies)) for studies in each.values() if studies]


def _as_compared(found: Collected) -> Collected:
    """With the pairs of whole comparisons in place of others, where these have kept theirs."""
    own = [each for each in whole() if each.case == found.case and each.effects]
    planted = [each for each in own if each.planted]
    if not planted or len(planted) == len(own):
        return found
    return replace(
        found,
        pair_seconds=sum(each.seconds for each in own) / sum(len(each.effects) for each in own),
        same=[tuple(effect) for each in own if not each.planted for effect in each.effects],
        planted=[tuple(effect) for each in planted for effect in each.effects],
        planted_asked=-math.log1p(planted[0].planted),
    )


def _together(studies: Sequence[Collected]) -> Collected:
    """Pairs of all; single runs of the study that has most, as only those followed one another."""
    longest = max(studies, key=lambda study: len(study.runs))
    duets = sum(len(study.same) + len(study.planted) for study in studies)
    return replace(
        studies[-1],
        pair_seconds=sum(each.pair_seconds * (len(each.same) + len(each.planted)) for each in studies) / duets,
        same=[tuple(effect) for study in studies for effect in study.same],
        planted=[tuple(effect) for study in studies for effect in study.planted],
        run_seconds=longest.run_seconds,
        runs=longest.runs,
    )


def keep_whole(found: Whole) -> None:
    """Add a comparison to those there are."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "whole.jsonl").open("a") as file:
        file.write(json.dumps(asdict(found)) + "\n")


def whole() -> list[Whole]:
    """All comparisons from the command line."""
    file = KEPT / "whole.jsonl"
    return [Whole(**json.loads(line)) for line in file.read_text().splitlines()] if file.is_file() else []
