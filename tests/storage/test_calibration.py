"""Which calibration holds for a machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.storage import calibration
from harness.studies import study_folder

FACTS: dict[str, Any] = {"cpu_model": "x", "cores": 2, "kernel": "6.1", "governor": "none", "load_1min": 0.5}
JOB = {"model": "lenet", "batch_size": 32}
BETWEEN = {"n": 12, "sd": 0.02, "upper": 0.03}


def _stored(results: Path, scenario: str = "lenet", **summary: Any) -> str:
    folder = study_folder.create(results, calibration.NAME, {})
    known = {"scenario": scenario, "job": JOB, "machine": calibration.machine(FACTS)}
    folder.write_summary({**known, **summary})
    return folder.id


def test_the_newest_that_came_to_something(tmp_path: Path) -> None:
    assert calibration.find(tmp_path, FACTS, JOB) is None
    _stored(tmp_path, between_runs={"n": 6, "sd": 0.5, "upper": 0.9})
    newest = _stored(tmp_path, between_runs=BETWEEN)
    _stored(tmp_path, between_runs=None)
    study_folder.create(tmp_path, calibration.NAME, {})
    found = calibration.find(tmp_path, {**FACTS, "load_1min": 3.0}, JOB)
    told = {"between_runs": BETWEEN, "scenario": "lenet", "job": JOB, "disturbed_runs": 0}
    assert found == {"study": newest, **told}


def test_an_older_one_that_knew_less_of_the_job_is_of_it_too(tmp_path: Path) -> None:
    job = {**JOB, "model_args": {}, "network": None}
    _stored(tmp_path, between_runs={"n": 6, "sd": 0.5, "upper": 0.9}, job={**JOB, "impaired": True})
    older = _stored(tmp_path, between_runs=BETWEEN, job={**JOB, "impaired": False})
    assert (calibration.find(tmp_path, FACTS, job) or {})["study"] == older
    newest = _stored(tmp_path, between_runs=BETWEEN, job=job)
    assert (calibration.find(tmp_path, FACTS, job) or {})["study"] == newest


@pytest.mark.parametrize("other", [{"kernel": "6.2"}, {"vectors": "avx2"}])
def test_another_kernel_or_processor_outdates_it(tmp_path: Path, other: dict[str, str]) -> None:
    """Virtual machines with and without AVX-512 go by one name."""
    _stored(tmp_path, between_runs=BETWEEN)
    assert calibration.find(tmp_path, {**FACTS, **other}, JOB) is None


def test_of_other_jobs_the_one_whose_runs_differ_most(tmp_path: Path) -> None:
    short, long = {"model": "mlp", "batch_size": 32}, {"model": "resnet18", "batch_size": 8}
    _stored(tmp_path, "short", job=short, between_runs={"n": 12, "sd": 0.05, "upper": 0.07})
    _stored(tmp_path, "long", job=long, between_runs={"n": 12, "sd": 0.01, "upper": 0.02})
    other, same = calibration.find(tmp_path, FACTS, JOB), calibration.find(tmp_path, FACTS, long)
    assert other is not None and same is not None
    assert (other["scenario"], same["scenario"]) == ("short", "long")
    several = calibration.find(tmp_path, FACTS, None)
    assert several == other, "of several jobs none is theirs"


def test_why_a_fact_is_missing_does_not_matter(tmp_path: Path) -> None:
    _stored(tmp_path, between_runs=BETWEEN)
    assert calibration.find(tmp_path, {**FACTS, "gpus": "not available: nvml shared library not found"}, JOB)
    assert calibration.find(tmp_path, {**FACTS, "gpus": ["A100"]}, JOB) is None


@pytest.mark.parametrize(
    "damaged", ["[1]", "{}", '"words"', '{"between_runs": 3}', "{", '{"between_runs": {"upper": "x"}}']
)
def test_one_that_cannot_be_read_is_left_out(tmp_path: Path, damaged: str) -> None:
    folder = study_folder.create(tmp_path, calibration.NAME, {})
    (folder.path / "summary.json").write_text(damaged)
    assert calibration.find(tmp_path, FACTS, JOB) is None
