"""Which passes a sweep of two targets needs; real ones are in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import json
from pathlib import Path

from harness.scenario.schema import Target
from harness.studies.operators import AGAIN, PASSES, Operators
from harness.studies.study_folder import StudyFolder


def _passed(folder: Path, name: str, *cases: str) -> None:
    made = {"op": "LRN", "shapes": [], "kinds": [], "params": {}, "status": "ok", "outputs": [], "gradients": []}
    lines = [{**made, "case": case, "variant": case.split()[-1], "changed": {}} for case in cases]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_what_one_was_not_asked_is_asked_again(tmp_path: Path) -> None:
    """A process that ends between cases leaves some out: the next pass has them."""
    cases = "LRN(2n) base", "LRN(2n) int8"
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1"), ["LRN"], files=False)
    study.folder = StudyFolder(tmp_path)
    for name in PASSES:
        _passed(tmp_path, name, *(cases[:1] if name == "to" else cases))
        study.add(name, None, "")
    for side in ("from", "to"):
        (tmp_path / f"{side}.names.json").write_text(json.dumps({"LRN": []}))
    assert [trial.key for trial in study.wanted()] == list(AGAIN[0])
    for name in AGAIN[0]:
        _passed(tmp_path, name, *cases)
        study.add(name, None, "")
    found = study.parity
    assert found is not None
    assert (found.unmatched, found.compared, found.differences) == ((), 2, ())
