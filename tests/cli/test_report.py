"""What a page of a study is made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import cli
from harness.base.errors import InputError
from harness.cli import _finding, report
from harness.storage import run_folder
from harness.studies import study_folder
from harness.studies.study_folder import Answer


def test_the_machine_is_that_of_the_last_run_that_is_there(tmp_path: Path) -> None:
    """An answer may be a part, or a failure, and its run may be deleted."""
    folder, run = study_folder.create(tmp_path, "nightly", {}), run_folder.create(tmp_path, "mlp", "0" * 64)
    run.write_json("facts.json", {"cores": 2})
    folder.store_trial("round-1-mlp", "title: first")
    for answer in (
        Answer("round-1-mlp", run.id),
        Answer("round-2-mlp", "20200101T000000-mlp-ffffff"),
        Answer("look", ""),
    ):
        folder.append(answer)
    assert report._last(folder) == ("title: first", {"cores": 2})


def test_a_part_that_a_run_and_a_study_have_is_neither(tmp_path: Path) -> None:
    run, study = run_folder.create(tmp_path, "mlp", "0" * 64), study_folder.create(tmp_path, "compare", {})
    day = run.id[:8]
    with pytest.raises(InputError, match=f"'{day}' may be the run {run.id} or the study {study.id}"):
        _finding.found(tmp_path, day)
    assert (_finding.found(tmp_path, "mlp").id, _finding.found(tmp_path, study.id).id) == (run.id, study.id)


def test_a_study_is_no_run_and_it_is_said_what_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = study_folder.create(tmp_path, "compare", {})
    assert cli.main(["show", study.id, "--results", str(tmp_path)]) == 2
    where = f"{study.id} --results {tmp_path}"
    assert f"is a study: harness compare --resume {where} shows it again" in capsys.readouterr().err
