"""What a page of a study is made from."""

from __future__ import annotations

from pathlib import Path

from harness.cli import report
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
