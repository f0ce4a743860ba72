"""Losses, samples and faults of scripts that train in ways of their own, held to what they print themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.storage import history
from harness.vocabulary.events import Loss, Samples
from tests.e2e.conftest import harness
from tests.e2e.test_own_scripts import SCRIPTS

pytestmark = pytest.mark.e2e
QUESTION = "title: q\nworkload: {script: ./odd.py, args: [%s], steps: %d, warmup: 1, window: 2}\n"
CORRUPT = "faults:\n  - corrupt_batch: {select: {role: worker, rank: 0}, at: {step: %d}, how: zeros}\n"


def _run(folder: Path, text: str) -> tuple[dict[int, float], dict[int, float], list[int | None], bool]:
    """What was told of losses, what the script printed, samples that were told, and whether receipts stand."""
    (folder / "odd.py").write_bytes((SCRIPTS / "odd.py").read_bytes())
    (folder / "question.yaml").write_text(text)
    command = harness("run", folder / "question.yaml", "--json", "--results", folder / "results")
    (run,) = (folder / "results" / "runs").iterdir()
    past = [event for event in history.read(run / "history.jsonl") if getattr(event, "arm", "") == "main"]
    losses = {
        step: value
        for event in past
        if isinstance(event, Loss)
        for step, value in enumerate(event.values, event.first)
        if value is not None
    }
    log = (run / "logs" / "main" / "worker-0.log").read_text()
    printed = {int(step): float(value) for step, value in re.findall(r"LOSS (\d+) (\S+)", log)}
    counts = [count for event in past if isinstance(event, Samples) for count in event.counts]
    receipts = command.json["verdicts"][0]["arms"][0]["receipts"]
    return losses, printed, counts, all(receipt["proven"] for receipt in receipts)


@pytest.mark.parametrize("how", ["plain", "in_place", "twice", "large", "values", "own_step", "anew"])
def test_losses_and_samples_are_those_of_the_script(target: Path, tmp_path: Path, how: str) -> None:
    losses, printed, counts, _ = _run(tmp_path, QUESTION % (how, 40))
    assert len(printed) == (3 if how == "anew" else 24)
    assert losses == pytest.approx(printed, rel=1e-5)
    assert counts == [32] * len(printed)


@pytest.mark.parametrize(("step", "proven"), [(20, True), (24, False)])
def test_a_fault_on_a_batch_that_is_only_checked_with_is_not_proven(
    target: Path, tmp_path: Path, step: int, proven: bool
) -> None:
    """After its 24 steps the script goes through the same loader once more, to count what it knows."""
    *_, found = _run(tmp_path, QUESTION % ("plain", 40) + CORRUPT % step)
    assert found is proven
