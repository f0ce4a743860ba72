from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.planning.plan import Job, Plan
from harness.worker import job


def test_the_worker_reads_what_the_plan_decides(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    plan = plan_of()
    (tmp_path / "plan.json").write_text(plan.text())
    read = job.load(tmp_path / "plan.json", "main")
    assert (read.model, read.steps, read.workers, read.amp) == ("mlp", 100, 2, None)
    assert read.optimizer.name == "sgd"
    assert set(vars(read)) == set(Job.model_fields)


def test_an_arm_that_is_not_there(plan_of: Callable[..., Plan], tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(plan_of().text())
    with pytest.raises(SystemExit, match="has no arm 'other'"):
        job.load(tmp_path / "plan.json", "other")
