from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from harness.checks import worst
from harness.checks.goodput import Goodput
from harness.checks.outcome import Outcome
from harness.checks.utilisation import Utilisation
from harness.judging.judge import _careful, _with_more, between_runs, judge
from harness.planning.plan import Plan
from harness.statistics.comparison import Spread
from harness.vocabulary.events import Ended, Event, Exited, Injected, Loss, Signalled, Stack
from harness.vocabulary.quantities import Quantity
from tests.checks.arms import arm
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
    return plan_of(SCENARIO, ("faults", [KILL]), ("control", False), ("expect", {"outcome": "hung"}))


def test_a_proven_fault_and_the_expected_outcome_pass(killed: Plan) -> None:
    verdict = judge(killed, [*PROOF, HUNG], "id", {})
    assert (verdict.verdict, verdict.reason) == ("pass", "every check passed")


def test_a_fault_without_receipt_is_invalid_whatever_the_checks_say(killed: Plan) -> None:
    verdict = judge(killed, [PROOF[0], HUNG], "id", {})
    assert verdict.verdict == "invalid"
    assert verdict.reason == "no receipt for kill of worker/1: no KILL was sent; main hung: nothing moved"
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
    control = Ended(9.0, "control", "", "completed", "")
    reason = judge(fault_plan(KILL, server), [HUNG, control], "id", {}).reason
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
    assert form["schema"] == "harness/verdict/4"
    assert form["arms"][0]["outcome"] == "hung"
    assert form["arms"][0]["receipts"][0]["proven"] is True
    assert form["stacks"] == [{"t": 8.0, "arm": "main", "subject": "worker/0", "text": "waitall", "sockets": []}]
    assert form["blocked"][0]["role"] == "worker/0"
    assert set(form["arms"][0]["measures"][0]) == {
        "name", "unit", "value", "n", "low", "high", "subject", "note", "samples", "stride"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("outcome", "by", "reason"),
    [
        ("interrupted", "SIGINT", "interrupted by SIGINT"),
        ("aborted", "the agent is gone", "aborted: the agent is gone"),
    ],
)
def test_what_was_ended_from_outside_says_nothing(
    plan_of: Callable[..., Plan], outcome: Any, by: str, reason: str
) -> None:
    verdict = judge(plan_of(), [Ended(9.0, "main", "", outcome, by)], "id", {})
    assert (verdict.verdict, verdict.reason) == ("invalid", reason)


def test_a_history_without_an_end_says_nothing(plan_of: Callable[..., Plan]) -> None:
    verdict = judge(plan_of(), [], "id", {})
    assert verdict.verdict == "invalid"
    assert verdict.reason == "the history of main has no end: the harness was killed, or could not write on"


PAUSE = {"pause": {"select": {"role": "worker", "rank": 1}, "at": {"step": 50}, "for": {"time": "1s"}}}


def _paused(seconds: float, state: str) -> list[Event]:
    return [
        Injected(1.0, "main", "worker/1", 0, 50),
        Signalled(1.0, "main", "worker/1", 0, "STOP", "S", "T", 0.5),
        Signalled(1.0 + seconds, "main", "worker/1", 0, "CONT", "T", state, 0.5),
        Ended(9.0, "main", "", "completed", "all left"),
    ]


def test_a_dose_that_is_off_is_told_apart_from_a_fault_without_receipt(plan_of: Callable[..., Plan]) -> None:
    verdict = judge(plan_of(SCENARIO, ("faults", [PAUSE]), ("control", False)), _paused(2.0, "S"), "id", {})
    assert verdict.verdict == "invalid"
    assert verdict.reason == (
        "the dose of pause of worker/1 is off by more than its tolerance: /proc state T after STOP, T before CONT, "
        "S after it; 0.0 ms run in between; 2.000 s apart, 1 s were asked"
    )


def test_a_fault_that_was_not_undone_is_invalid(plan_of: Callable[..., Plan]) -> None:
    faults = [{**PAUSE}, {"cpu_hog": {"select": {"role": "worker", "rank": 0}, "at": {"step": 90}}}]
    verdict = judge(plan_of(SCENARIO, ("faults", faults), ("control", False)), _paused(1.0, "T"), "id", {})
    assert verdict.reason == (
        "pause of worker/1 was not undone: /proc state T; "
        "no receipt for cpu_hog of worker/0: the run, or its process, ended before it was due"
    )


def test_several_checks_that_fail_are_all_named(plan_of: Callable[..., Plan]) -> None:
    expect = {"outcome": "completed", "agreement": True}
    plan = plan_of(SCENARIO, ("expect", expect))
    verdict = judge(plan, [Ended(9.0, "main", "worker/0", "crashed", "why")], "id", {})
    failed = [check.check for check in verdict.checks if check.verdict == "fail"]
    assert verdict.reason == "fail: " + ", ".join(f"{name} of main" for name in failed)


def test_where_processes_stand_is_told_of_a_hang_only(killed: Plan) -> None:
    stack = Stack(8.0, "main", "worker/0", "worker.py:1 step", ["tcp 127.0.0.1:1 -> 127.0.0.1:2 ESTABLISHED"])
    hung = judge(killed, [*PROOF, stack, HUNG, Exited(9.5, "main", "scheduler", None, 15)], "id", {})
    assert [process.role for process in hung.blocked] == ["worker/0"]
    done = Ended(9.0, "main", "", "completed", "all left")
    assert list(judge(killed, [*PROOF, stack, done], "id", {}).blocked) == []


def test_shares_of_repeats_are_judged_by_their_mean(plan_of: Callable[..., Plan]) -> None:
    """Of 5 repeats that differ by 1 %, one is wholly below the limit; their mean is not."""
    shares = (0.915, 0.925, 0.92, 0.895, 0.93)
    arms = [
        arm(Quantity("utilisation", "fraction", share, 20, share - 0.002, share + 0.002, "worker/0"), repeat=number)
        for number, share in enumerate(shares, 1)
    ]
    found = _careful(Utilisation.model_validate({"at_least": "91%"}), arms, (), between_runs(plan_of(), {}))
    assert found.verdict == "invalid"
    assert found.reason.startswith("mean of 5 repeats: worker/0 computes 91.7% of the time (90.0% to 93.4%)")
    lost = [*arms[:4], arm(Quantity("utilisation", "fraction", None, subject="worker/0"), repeat=5)]
    short = _careful(Utilisation.model_validate({"at_least": "10%"}), lost, (), between_runs(plan_of(), {}))
    assert (short.verdict, "1 of 5 repeats have none" in short.reason) == ("invalid", True)
    assert (
        _careful(Utilisation.model_validate({"at_least": "91%"}), arms[3:4], (), between_runs(plan_of(), {})).verdict
        == "fail"
    )
    assert (
        _careful(Utilisation.model_validate({"at_least": "85%"}), arms, (), between_runs(plan_of(), {})).verdict
        == "pass"
    )


def test_a_calibration_of_a_busy_hour_is_told(plan_of: Callable[..., Plan]) -> None:
    known = {"scenario": "lenet", "between_runs": {"n": 6, "sd": 0.5, "upper": 0.9}, "job": None, "disturbed_runs": 5}
    told = "calibrated here with 6 runs of lenet, of which others disturbed 5, another job"
    assert between_runs(plan_of(), {"calibration": known}).source == told


def test_a_calibration_holds_for_its_own_kind_of_job(plan_of: Callable[..., Plan]) -> None:
    facts = {"target": {"mxnet": "1.9.1"}}

    def between(sd: float, **job: Any) -> tuple[float, str]:
        kind = {**(plan_of().job(facts) or {}), **job}
        known = {"scenario": "lenet", "between_runs": {"n": 12, "sd": sd, "upper": sd}, "job": kind}
        spread = between_runs(plan_of(), {**facts, "calibration": known})
        return spread.sd, spread.source

    assert between(0.02) == (0.02, "calibrated here with 12 runs of lenet")
    assert between(0.02, batch_size=4096) == (0.09, "a cautious default")
    assert between(0.02, size=[224]) == (0.09, "a cautious default")
    assert between(0.02, sync_every=1) == (0.09, "a cautious default")
    assert between(0.02, model_args={"layers": 12}) == (0.09, "a cautious default")
    assert between(0.02, network={"mtu": 1500, "hosts": []}) == (0.09, "a cautious default")
    assert between(0.02, impaired=False) == (0.02, "calibrated here with 12 runs of lenet"), "as earlier ones had it"
    assert between(0.02, impaired=True) == (0.09, "a cautious default")
    assert between(0.02, mxnet="1.8.0") == (0.09, "a cautious default"), "as in an interpreter that was upgraded"
    assert between(0.20, model="resnet18") == (0.20, "calibrated here with 12 runs of lenet, another job")


def test_a_calibration_is_of_the_software_and_of_all_arms(plan_of: Callable[..., Plan]) -> None:
    plain = plan_of()
    for text in ("target: {mxnet: 1.8.0.post0}", "target: {env: {OMP_NUM_THREADS: '2'}}"):
        assert plan_of(SCENARIO + text + "\n").job({}) != plain.job({})
    naive = {"target": {"env": {"MXNET_ENGINE_TYPE": "NaiveEngine"}}}
    both = plan_of(SCENARIO, ("variants", {"a": {}, "b": naive}))
    assert (plain.job({}) is None, both.job({})) == (False, None)


def test_with_faults_runs_differ_by_the_default_at_least(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("expect", {"outcome": "hung"}))
    calm, wild = Spread(0.01, "runs", "calibrated"), Spread(0.2, "runs", "calibrated")
    completed, goodput = Outcome(is_="completed"), Goodput(versus="control", at_least="90%")
    assert [_with_more(spread, plan, completed, "main").sd for spread in (calm, wild)] == [0.09, 0.2]
    assert _with_more(calm, plan, completed, "control") is calm
    saving = plan_of(SCENARIO, ("workload.checkpoint", {"every": 10, "keep": 2}))
    assert _with_more(calm, saving, completed, "main") is calm
    assert _with_more(calm, saving, goodput, "main").sd == 0.09, "saving is in it, and no calibration knows how long"


def test_a_control_that_no_check_names_decides_nothing_but_is_told(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("faults", [KILL]), ("expect", {"outcome": "hung"}))
    past = [*PROOF, HUNG]
    for outcome, told in (("stopped", ""), ("hung", "; without its faults it is hung: so, too")):
        control = Ended(20.0, "control", "", outcome, "so, too")  # type: ignore[arg-type]
        verdict = judge(plan, [*past, control], "id", {})
        assert (verdict.verdict, verdict.reason) == ("pass", f"every check passed{told}")
        assert verdict.trusted
    aborted = judge(plan, [*past, Ended(20.0, "control", "", "aborted", "no room")], "id", {})
    assert (aborted.verdict, aborted.trusted) == ("pass", True)
    assert aborted.reason.endswith("without its faults it is aborted: no room")
    for control in ([], [Ended(20.0, "control", "", "interrupted", "SIGINT")]):
        cut = judge(plan, [*past, *control], "id", {})
        assert (cut.verdict, cut.trusted) == ("invalid", False)


def test_two_variants_may_end_alike_however_that_is(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(SCENARIO, ("variants", {"a": {}, "b": {}}), ("expect", {"outcome": {"versus": "a"}}))
    for other, verdict in (("hung", "pass"), ("completed", "fail"), ("aborted", "invalid")):
        past = [Ended(9.0, "a", "", other, "why"), Ended(9.0, "b", "", "hung", "why")]  # type: ignore[arg-type]
        found = judge(plan, past, "id", {})
        assert [(check.arm, check.verdict) for check in found.checks] == [("b", verdict)]
        assert found.verdict == verdict
        assert "without its faults" not in found.reason
