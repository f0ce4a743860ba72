"""Arms that are run again in new processes, and what a verdict makes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Command, harness

pytestmark = pytest.mark.e2e

TEXT = """\
title: Are two arms that are the same told to be the same?
seed: 6
seeds: 2
workload: {model: mlp, steps: 120, warmup: 20}
variants:
  one: {}
  other: {}
expect:
  throughput: {versus: one, at_least: 1%}
  drift: {versus: one, at_most: 1%}
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def repeated(results: Path, target: Path) -> Command:
    path = results / "same.yaml"
    path.write_text(TEXT)
    return harness("run", path, "--repeat", 3, "--json", "--results", results)


@pytest.fixture
def verdict(repeated: Command) -> Any:
    assert repeated.out, repeated.err
    return repeated.json["verdicts"][0]


def test_every_repeat_is_an_arm_of_its_own_with_a_seed_of_its_turn(verdict: Any) -> None:
    arms = {(arm["of"], arm["repeat"], arm["seed"]): arm["outcome"] for arm in verdict["arms"]}
    seeds = {1: 6, 2: 7, 3: 6}
    assert set(arms) == {(of, repeat, seed) for of in ("one", "other") for repeat, seed in seeds.items()}
    assert set(arms.values()) == {"completed"}
    assert [arm["arm"] for arm in verdict["arms"]][:2] == ["one", "other"]


def test_one_finding_for_all_repeats(verdict: Any) -> None:
    reasons = {(check["arm"], check["check"]): check["reason"] for check in verdict["checks"]}
    assert len(reasons) == len(verdict["checks"]) == 4  # two outcomes, two comparisons
    assert "; 3 repeats of each); expected at least 1.0%" in reasons["other", "throughput"]
    assert reasons["other", "drift"] == "none: the same weights as one, bit by bit"
    assert reasons["one", "outcome"].startswith("all 3 repeats; one: completed")


def test_one_seed_gives_the_same_weights_in_new_processes(verdict: Any) -> None:
    weights = {}
    for arm in verdict["arms"]:
        digest = next(entry for entry in arm["measures"] if entry["name"] == "different_weights")
        weights.setdefault(arm["seed"], set()).add(digest["note"])
    assert {seed: len(digests) for seed, digests in weights.items()} == {6: 1, 7: 1}


def test_tables_show_all_repeats_together(repeated: Command, results: Path) -> None:
    shown = harness("show", "last", "--results", results)
    assert "one, 3 repeats" in shown.out
    assert "n=3" in shown.out
    timeline = harness("show", "last", "--timeline", "--results", results)
    assert "other.3: completed" in timeline.out
    judged = harness("judge", "last", "--results", results, "--json")
    assert judged.code == repeated.code


def test_the_plan_tells_the_order(scenario: Callable[[str], Path], target: Path) -> None:
    planned = harness("plan", scenario(TEXT), "--repeat", 2)
    assert "in this order: one, other, o" in planned.out
    assert planned.out.count("environment: ") == 2
