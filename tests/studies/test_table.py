from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cli.table import _named
from harness.judging.verdict import Verdict
from harness.planning.validation import load
from harness.report.table import MOST_REASONS, evidence, markdown
from harness.studies import table
from harness.studies.table import HEALTHY, Result, Table, words
from harness.vocabulary.events import Outcome
from harness.vocabulary.quantities import Quantity
from harness.vocabulary.receipts import Receipt
from tests.checks.arms import arm as measured


def _result(fault: str = "pause worker, 1 s", outcome: str = "completed", **fields: Any) -> Result:
    return Result("dist_sync", fault, outcome, fields.pop("reason", ""), fields.pop("unproven", ""), **fields)


def test_every_cell_is_a_scenario_and_the_healthy_ones_come_first(tmp_path: Path) -> None:
    cells = table.cells(list(table.TOPOLOGIES), table.FAULTS)
    assert [cell.fault for cell in cells[:3]] == [HEALTHY] * 3
    assert len({cell.name for cell in cells}) == len(cells) == 120
    for cell in cells:
        (tmp_path / f"{cell.name}.yaml").write_text(cell.text)
        assert len(load(tmp_path / f"{cell.name}.yaml").scenario.faults) == (cell.fault != HEALTHY)


def test_rows_and_columns_can_be_chosen() -> None:
    rows = [cell.fault for cell in table.cells(["horovod"], ["kill"])]
    assert rows == [HEALTHY, "kill worker", "kill scheduler"]


def test_a_script_may_take_the_place_of_our_training(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    workload = {"script": str(tmp_path / "train.py"), "args": ["--kv-store", "{kvstore}"]}
    cells = table.cells(["dist_async"], ["restart"], workload)
    assert cells[-1].fault == "restart job"
    for cell in cells:
        (tmp_path / "cell.yaml").write_text(cell.text)
        asked = load(tmp_path / "cell.yaml").scenario.workload
        assert (asked.script, asked.args, asked.steps) == (workload["script"], workload["args"], 300)


def test_every_cell_has_what_is_changed_and_is_as_patient_as_its_fault_takes(tmp_path: Path) -> None:
    changes = [("target.python", "/opt/python"), ("stall_timeout", "40s")]
    asked = Table(["dist_sync"], ["partition"], changes=changes)
    again = Table.asked(json.loads(json.dumps(asked.question)), tmp_path)
    texts = [cell.text for cell in table.cells(["dist_sync"], ["partition"], changes=changes)]
    assert [trial.text for trial in again.wanted()] == texts[:1]
    known = [yaml.safe_load(text) for text in texts]
    assert {body["target"]["python"] for body in known} == {"/opt/python"}
    assert {body["stall_timeout"] for body in known} == {"40s", "80s"}  # 30 s cut off take more


@pytest.mark.parametrize(("workload", "expected"), [({"script": "/train.py"}, "30s"), (table.OURS, "5s")])
def test_a_script_may_do_something_else_between_steps(workload: dict[str, Any], expected: str) -> None:
    (cell, *_) = table.cells(["dist_sync"], ["kill"], workload)
    assert yaml.safe_load(cell.text)["stall_timeout"] == expected


def test_what_is_no_duration_is_left_to_the_scenario() -> None:
    (cell, *_) = table.cells(["dist_sync"], ["kill"], changes=[("stall_timeout", "soon")])
    assert yaml.safe_load(cell.text)["stall_timeout"] == "soon"


HEALTHY_RESULT = _result(HEALTHY, loss=2.0, weights="a")


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (_result(recovery=1.24, loss=2.0, weights="a"), "completed; steady after 1.2 s; no drift"),
        (_result(loss=2.2, weights="b"), "completed"),
        (_result(loss=2.0, weights=""), "completed; weights differ"),
        (_result(outcome="hung", reason="nothing moved for 5.0 s: worker/0 at step 3"), "hung"),
        (_result(outcome="hung", stage="exit"), "trained, hung at the exit"),
        (_result(unproven="whatever", idle=True), "completed; no packet came by"),
        (_result(unproven="the wire reported nothing", word="missing"), "completed; receipt: missing"),
        (_result(unproven="2 s apart", word="dose is off"), "completed; receipt: dose is off"),
        (_result(outcome=table.FAILED, reason="exit status 3: oops"), "no verdict: exit status 3: oops"),
    ],
)
def test_a_cell_in_words(result: Result, sentence: str) -> None:
    assert words(result, HEALTHY_RESULT) == sentence


def test_the_page() -> None:
    other = Result("horovod", HEALTHY, "completed", "", "")
    assert markdown([HEALTHY_RESULT, _result(outcome="crashed"), other]) == (
        "| fault | dist_sync | horovod |\n|---|---|---|\n| nothing | completed | completed |\n"
        "| pause worker, 1 s | crashed | – |\n"
    )


def _verdict(run: str, *receipts: Receipt, outcome: Outcome = "completed", loss: float = 2.5) -> Verdict:
    arm = measured(
        Quantity("different_weights", "digests", 1, note="abc"),
        Quantity("final_loss", "", loss),
        outcome=outcome,
        receipts=receipts,
    )
    return Verdict(run, "a question", "pass", "so", [], [arm], [], [], {})


def test_every_cell_is_wanted_until_it_has_an_answer() -> None:
    study = Table(["dist_sync"], ["kill"])
    assert [trial.key for trial in study.wanted()] == ["dist_sync-nothing"]
    assert study.total == 4
    assert study.add("dist_sync-nothing", _ended("completed", steps=300), "") == ("dist_sync, nothing: completed")
    keys = [trial.key for trial in study.wanted()]
    assert keys == ["dist_sync-kill-worker", "dist_sync-kill-server", "dist_sync-kill-scheduler"]
    proven, missing = (
        Receipt(0, "kill", "worker/1", word, "no KILL was sent", happened=word) for word in (True, False)
    )
    assert study.add(keys[0], _verdict("id", proven, missing), "") == (
        "dist_sync, kill worker: completed; receipt: missing"
    )
    assert study.add(keys[1], None, "exit status 3: oops") == "dist_sync, kill server: no verdict: exit status 3: oops"
    assert [trial.key for trial in study.wanted()] == keys[2:]
    (_, kill, server) = study.results
    assert (server.outcome, kill.run) == ("no verdict", "id")
    assert (kill.unproven, kill.loss, kill.weights, kill.recovery) == ("no KILL was sent", 2.5, "abc", None)


def test_it_is_made_again_from_its_question(tmp_path: Path) -> None:
    study = Table(["horovod"], ["pause"])
    again = Table.asked(study.question, tmp_path)
    assert [trial.key for trial in again.wanted()] == [trial.key for trial in study.wanted()]
    assert again.total == study.total == 7


def test_why_cells_ended_so_and_the_run_that_shows_it() -> None:
    hung = _result(outcome="hung", reason="nothing moved for 5.0 s: worker/0 at step 150", run="r1")
    unproven = _result(unproven="the wire reported nothing", word="missing", run="r2")
    waits = _result(
        outcome="hung", reason="nothing moved for 5.0 s", where="worker/0 waits (worker/1 is gone)", run="r3"
    )
    (line,) = evidence([waits])
    why = "hung: worker/0 waits (worker/1 is gone) (nothing moved for 5.0 s)"
    assert line.plain == f"dist_sync, pause worker, 1 s: {why}\n  harness show r3"
    told = [line.plain for line in evidence([HEALTHY_RESULT, hung, unproven])]
    assert told == [
        "dist_sync, pause worker, 1 s: hung: nothing moved for 5.0 s: worker/0 at step 150\n  harness show r1",
        "dist_sync, pause worker, 1 s: completed: the wire reported nothing\n  harness show r2",
    ]
    many = [line.plain for line in evidence([hung] * (MOST_REASONS + 2))]
    assert (len(many), many[-1]) == (MOST_REASONS + 1, "and 2 more: --json has the reason and the run of each")


@pytest.mark.parametrize(
    ("arguments", "text", "columns"),
    [
        (["--kv-store", "dist_async"], "import mxnet", ["dist_async"]),
        (["--kv-store", "{kvstore}"], "# no horovod", ["dist_sync", "dist_async"]),
        ([], "", ["dist_sync", "dist_async"]),
        ([], "import mxnet\nimport horovod.mxnet as hvd\n", ["horovod"]),
    ],
)
def test_a_script_is_run_with_what_it_names(arguments: list[str], text: str, columns: list[str]) -> None:
    assert _named(arguments, text) == columns


def _ended(outcome: Outcome, reason: str = "so", steps: int | None = None) -> Verdict:
    arm = measured()
    ended = replace(arm.ended, outcome=outcome, reason=reason, steps=steps)  # type: ignore[type-var]
    return Verdict("run", "t", "pass", "fine", [], [replace(arm, ended=ended)], [], [], {})


def test_faults_come_half_way_where_a_script_ends_sooner() -> None:
    study = Table(["dist_sync"], ["kill"], {"script": "/x/train.py"})
    assert [trial.key for trial in study.wanted()] == ["dist_sync-nothing"]
    study.add("dist_sync-nothing", _ended("completed", steps=100), "")
    trials = study.wanted()
    assert len(trials) == 3
    assert all("step: 50" in trial.text for trial in trials)
    assert study.what.endswith("each fault before step 50")


def test_where_it_does_not_train_healthy_nothing_is_done_to_it() -> None:
    study = Table(["dist_sync", "dist_async"], ["kill"], {"script": "/x/train.py"})
    study.add("dist_sync-nothing", _ended("crashed", "worker/0 failed: ValueError: no data"), "")
    study.add("dist_async-nothing", _ended("completed", steps=300), "")
    assert study.broken == ["dist_sync"]
    assert {trial.key.split("-")[0] for trial in study.wanted()} == {"dist_async"}
    assert all("step: 150" in trial.text for trial in study.wanted())


def test_variables_of_the_script_are_in_every_cell() -> None:
    study = Table(["dist_sync"], ["restart"], {"script": "/x/train.py"}, {"DATA": "/d"})
    again = Table.asked(study.question, Path("results"))
    known = [yaml.safe_load(cell.text)["target"]["env"] for cell in again._cells.values()]
    assert {env["DATA"] for env in known} == {"/d"}
    assert any("PS_HEARTBEAT_TIMEOUT" in env for env in known)
