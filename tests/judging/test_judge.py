from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.checks.outcome import Outcome
from harness.judging.judge import judge, worst
from harness.planning.plan import Plan
from harness.vocabulary.events import Ended, Event, Exited, Injected, Loss, Signalled, Stack
from tests.conftest import SCENARIO

KILL = {"kill": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}}}
PROOF: list[Event] = [
    Injected(1.0, "main", "worker/1", 0, 50),
    Signalled(1.0, "main", "worker/1", 0, "KILL", "S", "Z", 0.0),
    Exited(1.1, "main", "worker/1", None, 9),
]
HUNG = Ended(9.0, "main", "worker/0", "hung", "nothing moved")


@pytest.fixture
def killed(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(SCENARIO, ("faults", [KILL]), ("expect", {"outcome": "hung"}))


def test_a_proven_fault_and_the_expected_outcome_pass(killed: Plan) -> None:
    verdict = judge(killed, [*PROOF, HUNG], "id", {})
    assert (verdict.verdict, verdict.reason) == ("pass", "every check passed")


def test_a_fault_without_receipt_is_invalid_whatever_the_checks_say(killed: Plan) -> None:
    verdict = judge(killed, [PROOF[0], HUNG], "id", {})
    assert verdict.verdict == "invalid"
    assert verdict.reason == "no receipt for kill of worker/1: no KILL was sent"
    assert [check.verdict for check in verdict.checks] == ["pass"]


def test_without_expectation_a_run_should_complete(plan_of: Callable[..., Plan]) -> None:
    verdict = judge(plan_of(), [HUNG], "id", {})
    assert (verdict.verdict, verdict.reason) == ("fail", "fail: outcome of main")


def test_the_control_must_complete(plan_of: Callable[..., Plan]) -> None:
    expect = {"outcome": "hung", "drift": {"versus": "control", "at_most": "1%"}}
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("expect", expect))
    control = Ended(9.0, "control", "", "crashed", "why")
    verdict = judge(plan, [control, *PROOF, HUNG], "id", {})
    assert [(check.arm, check.check, check.verdict) for check in verdict.checks] == [
        ("control", "outcome", "fail"),
        ("main", "drift", "invalid"),
        ("main", "outcome", "pass"),
    ]
    assert verdict.verdict == "fail"


def test_fail_outranks_unknown_outranks_invalid_outranks_pass() -> None:
    assert worst(["pass", "invalid", "unknown", "fail"]) == "fail"
    assert worst(["pass", "invalid", "unknown"]) == "unknown"
    assert worst(["pass", "invalid"]) == "invalid"
    assert worst(["pass"]) == "pass"


def test_a_baseline_is_not_compared_with_itself(plan_of: Callable[..., Plan]) -> None:
    variants = {"a": {}, "b": {"workload.batch_size": 4}}
    expect = {"drift": {"versus": "a", "at_most": "1%"}}
    plan = plan_of(SCENARIO, ("variants", variants), ("expect", expect))
    checks = judge(plan, [], "id", {}).checks
    assert [(check.arm, check.check) for check in checks] == [("a", "outcome"), ("b", "outcome"), ("b", "drift")]


def test_a_run_that_was_cut_short_says_so_first(killed: Plan) -> None:
    stopped = Ended(9.0, "main", "", "interrupted", "SIGINT")
    assert judge(killed, [PROOF[0], stopped], "id", {}).reason == "interrupted by SIGINT"
    assert judge(killed, [PROOF[0]], "id", {}).reason.startswith("the history of main has no end")


def test_every_fault_without_receipt_is_named(fault_plan: Callable[..., Plan]) -> None:
    server = {"kill": {"select": {"role": "server"}, "at": {"step": 60}}}
    reason = judge(fault_plan(KILL, server), [HUNG], "id", {}).reason
    assert "no receipt for kill of worker/1" in reason
    assert "no receipt for kill of server/0" in reason


def test_a_check_that_breaks_is_unknown(killed: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Outcome, "judge", broken)
    verdict = judge(killed, [*PROOF, HUNG], "id", {})
    assert verdict.verdict == "unknown"
    assert verdict.checks[0].reason == "the check itself broke: ZeroDivisionError: oops"


def test_the_json_form_has_everything_and_no_nan(killed: Plan) -> None:
    past = [Loss(0.5, "main", "worker/0", 0, [None]), *PROOF, Stack(8.0, "main", "worker/0", "waitall", []), HUNG]
    form = judge(killed, past, "id", {}).as_json()
    json.dumps(form, allow_nan=False)
    assert form["schema"] == "harness/verdict/3"
    assert form["arms"][0]["outcome"] == "hung"
    assert form["arms"][0]["receipts"][0]["proven"] is True
    assert form["stacks"] == [{"t": 8.0, "arm": "main", "subject": "worker/0", "text": "waitall", "sockets": []}]
    assert form["blocked"][0]["role"] == "worker/0"
    assert set(form["arms"][0]["measures"][0]) == {
        "name", "unit", "value", "n", "low", "high", "subject", "note", "samples", "stride"
    }  # fmt: skip
