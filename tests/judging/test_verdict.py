"""A verdict goes to JSON and comes back."""

from __future__ import annotations

import json
import math

import pytest

from harness.base.errors import DamagedRunError
from harness.checks import worst
from harness.judging.hang_diagnosis import BlockedProcess
from harness.judging.verdict import Judged, Verdict
from harness.statistics.comparison import Comparison
from harness.vocabulary.events import Ended, Stack
from harness.vocabulary.quantities import ArmMeasures, Quantity
from harness.vocabulary.receipts import Receipt

LOSS = Quantity("final_loss", "", 2.5, 3, 2.0, 3.0, samples=(2.0, 2.5, 3.0))
HELD = Quantity("held_memory", "B", None, subject="worker/0", note="no window ended")
ARM = ArmMeasures(
    "main.2",
    "main",
    2,
    3,
    Ended(9.0, "main.2", "worker/0", "hung", "nothing moved", "", "training", 40),
    [Receipt(0, "kill", "worker/1", True, "ended by signal 9")],
    {("final_loss", ""): LOSS, ("held_memory", "worker/0"): HELD},
)
VERDICT = Verdict(
    "id",
    "a question",
    "fail",
    "fail: outcome of main",
    [Judged("main", "drift", "fail", "too far", Comparison(0.1, 0.05, 0.15, 20))],
    [ARM, ArmMeasures("control", "control", 1, 3, None, [], {})],
    [Stack(8.0, "main", "worker/0", "waitall", ["127.0.0.1:9 LISTEN"])],
    [BlockedProcess("main", "worker/0", "waits", "ps::Van::Start", ["scheduler"])],
    {"cores": 2},
)


def test_it_survives_the_way_through_json() -> None:
    form = json.loads(json.dumps(VERDICT.as_json(), allow_nan=False))
    again = Verdict.from_json(form)
    assert again.as_json() == form
    assert again.arm("main.2") == ARM
    assert again.arm("control").ended is None
    assert (again.checks, again.stacks, again.blocked) == (VERDICT.checks, VERDICT.stacks, VERDICT.blocked)


def test_samples_that_are_not_finite_come_back_as_such() -> None:
    curve = Quantity("loss_curve", "", math.nan, 2, samples=(1.0, math.nan))
    arm = ArmMeasures("main", "main", 1, 3, None, [], {("loss_curve", ""): curve})
    form = Verdict("id", "q", "invalid", "so", [], [arm], [], [], {}).as_json()
    quantity = Verdict.from_json(json.loads(json.dumps(form, allow_nan=False))).arm("main").get("loss_curve")
    assert quantity.value is None
    assert quantity.samples[0] == 1.0 and math.isnan(quantity.samples[1])


def test_measures_are_records() -> None:
    assert VERDICT.measures() == [
        {
            "run": "id", "arm": "main", "repeat": 2, "name": "final_loss", "subject": "", "unit": "",
            "value": 2.5, "low": 2.0, "high": 3.0, "n": 3, "note": "",
        },
        {
            "run": "id", "arm": "main", "repeat": 2, "name": "held_memory", "subject": "worker/0", "unit": "B",
            "value": None, "low": None, "high": None, "n": 0, "note": "no window ended",
        },
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"schema": "harness/verdict/1"}, "this is 'harness/verdict/1', not 'harness/verdict/4'; judge the run again"),
        ({"arms": [{}]}, "not a verdict: KeyError: 'outcome'"),
        ({"stacks": [{"more": 1}]}, "not a verdict: TypeError"),
    ],
)
def test_what_is_no_verdict_is_an_error(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(DamagedRunError, match=complaint):
        Verdict.from_json({**VERDICT.as_json(), **change})


def test_fail_outranks_unknown_outranks_invalid_outranks_pass() -> None:
    assert worst(["pass", "invalid"]) == "invalid"
    assert worst(["invalid", "unknown", "pass"]) == "unknown"
    assert worst(["unknown", "fail"]) == "fail"
