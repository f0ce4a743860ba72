from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness import table
from harness.report.table import markdown
from harness.scenario.load import load
from harness.table import HEALTHY, Result, words


def _result(fault: str = "pause worker, 1 s", outcome: str = "completed", **fields: Any) -> Result:
    return Result("dist_sync", fault, outcome, fields.pop("reason", ""), fields.pop("unproven", ""), **fields)


def test_every_cell_is_a_scenario_and_the_healthy_ones_come_first(tmp_path: Path) -> None:
    cells = table.cells(table.topologies(), table.faults())
    assert [cell.fault for cell in cells[:3]] == [HEALTHY] * 3
    assert len({cell.name for cell in cells}) == len(cells) == 120
    for cell in cells:
        (tmp_path / f"{cell.name}.yaml").write_text(cell.text)
        assert len(load(tmp_path / f"{cell.name}.yaml").scenario.faults) == (cell.fault != HEALTHY)


def test_rows_and_columns_can_be_chosen() -> None:
    found = [cell.fault for cell in table.cells(["horovod"], ["kill"])]
    assert found == [HEALTHY, "kill worker", "kill scheduler"]


HEALTHY_RESULT = _result(HEALTHY, loss=2.0, weights="a")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (_result(recovery=1.24, loss=2.0, weights="a"), "completed; steady after 1.2 s; no drift"),
        (_result(loss=2.2, weights="b"), "completed; loss +10%"),
        (_result(loss=2.0, weights=""), "completed; weights differ; loss +0%"),
        (_result(outcome="hung", reason="nothing moved for 5.0 s: worker/0 at step 3"), "hung"),
        (_result(outcome="hung", reason="server/0 had finished and did not leave"), "trained, hung at the exit"),
        (_result(unproven="out: no packet came by in 1.000 s"), "completed; no packet came by"),
        (_result(unproven="the wire reported nothing"), "completed; the fault has no receipt"),
        (_result(outcome=table.FAILED, reason="exit status 3: oops"), "no verdict: exit status 3: oops"),
    ],
)
def test_a_cell_in_words(result: Result, said: str) -> None:
    assert words(result, HEALTHY_RESULT) == said


def test_the_page() -> None:
    other = Result("horovod", HEALTHY, "completed", "", "")
    assert markdown([HEALTHY_RESULT, _result(outcome="crashed"), other]) == (
        "| fault | dist_sync | horovod |\n|---|---|---|\n| nothing | completed | completed |\n"
        "| pause worker, 1 s | crashed | – |\n"
    )


def test_a_verdict_becomes_a_result() -> None:
    cell = table.cells(["dist_sync"], ["kill"])[1]
    measure = {"role": "", "note": "abc", "value": 1}
    verdict = {
        "run": "id",
        "arms": [
            {
                "outcome": "completed",
                "reason": "because",
                "receipts": [{"proven": True, "evidence": "so"}, {"proven": False, "evidence": "no KILL was sent"}],
                "measures": [{**measure, "name": "different_weights"}, {**measure, "name": "final_loss", "value": 2.5}],
            }
        ],
    }
    found = table.result(cell, verdict)
    assert (found.unproven, found.loss, found.weights, found.recovery) == ("no KILL was sent", 2.5, "abc", None)
