"""What settings do: every question of `scenarios/config`, asked by the command that a user would type."""

from __future__ import annotations

import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.comparing.cases import KEPT
from benchmarks.comparing.command import harness

SCENARIOS = Path(__file__).parents[2] / "scenarios" / "config"
FILE = KEPT / "configuration.jsonl"
SPEED, DRIFT = "throughput", "drift"
BUDGET = {DRIFT: "10min"}
"""Of a measure; 200 s of all others."""

RESOLVE = "2%"


@dataclass(frozen=True)
class Asked:
    """Variants of a scenario, the first of which the others are compared with."""

    scenario: str
    sides: tuple[str, ...]
    measure: str = SPEED


QUESTIONS = (
    Asked("static-shape", ("imperative", "dynamic", "static-shape")),
    Asked("static-shape", ("dynamic", "static-alloc", "static-shape")),
    Asked("static-shape-variable", ("dynamic", "static-alloc", "static-shape")),
    Asked("lazy-update", ("dense-full", "dense-lazy")),
    Asked("lazy-update", ("sparse-full", "sparse-lazy")),
    Asked("lazy-update", ("adam-full", "adam-lazy")),
    Asked("lazy-update", ("dense-adam-full", "dense-adam-lazy")),
    Asked("bulk-execution", ("bulk", "single")),
    Asked("subgraph-backend", ("unset", "mkldnn", "none", "misspelt")),
    Asked("engine", ("threaded", "naive")),
    Asked("threads", ("one", "two")),
    Asked("aggregation", ("four", "one")),
    Asked("bfloat16", ("float32", "bfloat16")),
    Asked("versions", ("older", "newer")),
    Asked("static-shape", ("imperative", "dynamic", "static-shape"), "live_memory"),
    Asked("static-shape-variable", ("dynamic", "static-alloc", "static-shape"), "live_memory"),
    Asked("bfloat16", ("float32", "bfloat16"), "live_memory"),
    Asked("bfloat16", ("float32", "bfloat16"), "peak_memory"),
    Asked("versions", ("older", "newer"), "peak_memory"),
    Asked("lazy-update", ("sparse-full", "sparse-lazy"), DRIFT),
    Asked("lazy-update", ("adam-full", "adam-lazy"), DRIFT),
    Asked("bfloat16", ("float32", "bfloat16"), DRIFT),
)


@dataclass(frozen=True)
class Told:
    """What one side is beside the first; numbers are logarithms."""

    scenario: str
    first: str
    side: str
    measure: str
    meaning: str
    answer: str
    estimate: float | None
    low: float | None
    high: float | None
    pairs: int


def ask() -> None:
    """Ask what has no answer yet, and keep each."""
    known = {(told.scenario, told.first, told.side, told.measure) for told in kept()}
    for asked in QUESTIONS:
        if any((asked.scenario, asked.sides[0], side, asked.measure) not in known for side in asked.sides[1:]):
            _keep(asked)


def kept() -> list[Told]:
    """All answers so far."""
    return [Told(**json.loads(line)) for line in FILE.read_text().splitlines()] if FILE.is_file() else []


def line(told: Told) -> str:
    """An answer as it is kept."""
    return json.dumps(asdict(told)) + "\n"


def rows() -> Iterator[str]:
    """A Markdown row for each answer."""
    yield "| scenario | side | beside | the same numbers? | measure | answer | effect | pairs or seeds |"
    yield "|---|---|---|---|---|---|---|---|"
    for told in kept():
        effect = f"{_change(told.estimate)} ({_change(told.low)} to {_change(told.high)})"
        cells = (told.scenario, told.side, told.first, told.meaning, told.measure, told.answer, effect, str(told.pairs))
        yield f"| {' | '.join(cells)} |"


def _keep(asked: Asked) -> None:
    sides = [word for letter, side in zip("abcd", asked.sides, strict=False) for word in (f"--{letter}", side)]
    options = ("--measure", asked.measure, "--budget", BUDGET.get(asked.measure, "200s"))
    margin = ("--resolve", RESOLVE) if asked.measure != DRIFT else ()
    counted = ("--set", "workload.memory=resident") if asked.measure == SPEED else ()  # to count arrays takes time
    with tempfile.TemporaryDirectory() as results:
        file = SCENARIOS / f"{asked.scenario}.yaml"
        body = json.loads(
            harness("compare", file, *sides, *options, *margin, *counted, "--json", "--results", results, whole=True)
        )
    KEPT.mkdir(parents=True, exist_ok=True)
    for answer in body["answers"]:
        told = _told(asked, answer["side"], body["meaning"].get(answer["side"], {}), answer)
        with FILE.open("a") as answers:
            answers.write(line(told))
        sys.stderr.write(f"{told}\n")


def _told(asked: Asked, side: str, meaning: Mapping[str, Any], answer: Mapping[str, Any]) -> Told:
    numbers = [answer.get(name) for name in ("estimate", "low", "high")]
    word = str(meaning.get("word", "unknown"))
    return Told(
        asked.scenario, asked.sides[0], side, answer["measure"], word, answer["answer"], *numbers, answer.get("n", 0)
    )


def _change(effect: float | None) -> str:
    return "?" if effect is None else f"{math.expm1(effect):+.1%}"
