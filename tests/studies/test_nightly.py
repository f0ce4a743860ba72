"""A night's decisions: which runs, what is suspected, what it is, and which change did it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.judging.verdict import Verdict
from harness.statistics.sequential import Look
from harness.studies import night_answers, night_budget, tonight
from harness.studies.compare import Compare
from harness.studies.meaning import Meaning
from harness.studies.night_budget import Asked
from harness.studies.nightly import Nightly
from harness.studies.nights import REMOVED, Answer, Measured, Moved, Past, is_good
from harness.studies.pairs import Pair
from harness.studies.study_folder import StudyFolder, create
from harness.studies.tracked import Tracked
from harness.studies.watched import Step, Watched
from harness.vocabulary.events import Ended
from harness.vocabulary.quantities import ArmMeasures, Quantity

VALUES: dict[str, Any] = {
    "title": "a question",
    "target": {"mxnet": "1.9.1", "env": {"NEW": "1"}},
    "workload": {"model": "mlp", "steps": 100, "batch_size": 16},
}
THEN = replace(Tracked(VALUES), files="then")
STEPS = [
    Step("a variable", {"target.env.NEW": None}),
    Step("the batch", {"workload.batch_size": 8}, "", ["train.py:9 + sleep(1)"]),
]
HISTORY = {"main": {"seconds_per_sample": [math.log(each) for each in (1.0, 1.02, 0.98, 1.01, 0.99, 1.0)]}}


def _reference(**changes: Any) -> Measured:
    numbers = {"main": {"seconds_per_sample": [1.0]}}
    return replace(Measured("mlp", THEN, numbers, {"main": ["completed"]}, "good"), **changes)


def _watched(changed: bool = False, **changes: Any) -> Watched:
    reference = _reference(tracked=THEN if changed else Tracked(VALUES))
    past = Past(reference, "n1", reference, HISTORY)
    steps = {"main": STEPS} if changed else {}
    return replace(Watched("mlp", "mlp", "", VALUES, Tracked(VALUES), past, steps), **changes)


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return create(tmp_path, "nightly", {})


def _night(folder: StudyFolder, *watched: Watched, **asked: Any) -> Nightly:
    study = Nightly(watched, Asked(**{"budget": 600.0, "repeat": 2, **asked}), {"cpu_model": "a"})
    study.folder = folder
    return study


def _run(study: Nightly, key: str, seconds: float = 1.0, outcome: str = "completed", took: float = 10.0) -> None:
    assert study.folder is not None
    run = study.folder.results / "runs" / f"20260101T000000-{key}-abc123"
    run.mkdir(parents=True)
    (run / "status.json").write_text(json.dumps({"started": 0.0, "ended": took, "status": "finished"}))
    (run / "plan.json").write_text("{}")
    study.add(key, _verdict(run.name, seconds, outcome), "")


def _verdict(run: str, seconds: float = 1.0, outcome: str = "completed") -> Verdict:
    quantity = Quantity("seconds_per_sample", "s", seconds, 10)
    ended = Ended(1.0, "main", "", outcome, "", "", "")
    arm = ArmMeasures("main", "main", 0, 0, ended, [], {("seconds_per_sample", ""): quantity})
    return Verdict(run, "t", "pass", "fine", [], [arm], [], [], {})


def _compared(study: Nightly, key: str, effects: list[float], meaning: str = "identical") -> Compare:
    made = study.made(key)
    assert isinstance(made, Compare)
    made.short.found = {"now": Meaning(meaning, f"the numbers are {meaning}")}  # type: ignore[arg-type]
    for number, effect in enumerate(effects, 1):
        both = {name: {"now": effect} for name in ("throughput", "throughput_overall")}
        made.evidence.pairs.append(Pair(f"r{number}", 1.0, both, {"throughput": 100.0}))
        made.evidence.looks.append(Look(number, 0.9 * number / len(effects)))
    made.spending.taken = 30.0
    study.parts[key] = made
    study.budget.seconds += made.spending.taken
    return made


SLOWER = [-0.05, -0.051, -0.049, -0.0505, -0.0495, -0.05]
UNDECIDED = [-0.2, 0.2, -0.15, 0.18, 0.01, -0.02]
SAME = [0.0, 0.001, -0.001, 0.0005, -0.0005, 0.0]


def _next(study: Nightly) -> str:
    return next((trial.key for trial in study.wanted()), "")


def test_each_scenario_is_measured_before_any_is_measured_again(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), _watched(key="other"))
    asked = []
    while key := _next(study):
        asked.append(key)
        _run(study, key)
    assert asked == ["round-1-mlp", "round-1-other", "round-2-mlp", "round-2-other"]
    assert study.tonight.numbers("mlp") == {"main": {"seconds_per_sample": [1.0, 1.0]}}
    assert (study.night.scenarios[0].state, study.rounds) == ("good", 2)


def test_a_short_budget_drops_rounds_of_all(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), _watched(key="other"), budget=60.0, repeat=9)
    while key := _next(study):
        _run(study, key, took=12.0)
    assert study.rounds == 2
    assert len(study.tonight.numbers("mlp")["main"]["seconds_per_sample"]) == 2


def test_changed_software_is_looked_at_and_good_where_it_is_the_same(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    assert _next(study) == "look-main-mlp"
    _compared(study, "look-main-mlp", SAME)
    assert (_next(study), study.night.scenarios[0].state) == ("", "good")


def test_what_cannot_be_told_is_looked_at_again(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", [0.05, -0.06, 0.04])
    found = study.night.scenarios[0]
    assert found.state == "undecided" and "now is undecided" in found.note


def test_a_change_that_is_slower_twice_is_blamed_by_halves(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp", seconds=1.25)
    _compared(study, "look-main-mlp", SLOWER)
    assert _next(study) == "confirm-throughput-main-mlp"
    _compared(study, "confirm-throughput-main-mlp", SLOWER)
    assert _next(study) == "step-1-throughput-main-mlp"
    _compared(study, "step-1-throughput-main-mlp", SAME)
    assert _next(study) == ""
    (answer,) = study.answers
    assert (answer.word, answer.cause, answer.since) == ("software", "the batch", folder.id)
    assert answer.shown == (
        "samples/s: 1 on the last good night, 0.8 tonight, each by itself, whatever else the machine did "
        "(medians of 1 and 1 rounds)",
        "train.py:9 + sleep(1)",
    )
    assert study.night.scenarios[0].state == "alert"


def test_a_night_that_ends_before_its_first_verdict_has_a_state_and_says_why(folder: StudyFolder) -> None:
    found = _night(folder, _watched()).night.scenarios[0]
    assert (found.state, found.note) == ("failed", "it was not measured")


def test_a_change_that_is_slower_once_is_noise_and_asked_again_tomorrow(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SLOWER)
    _compared(study, "confirm-throughput-main-mlp", SAME)
    assert [answer.word for answer in study.answers] == ["noise"]
    assert study.night.scenarios[0].state == "undecided"


def test_slower_and_then_faster_is_no_confirmation(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SLOWER)
    _compared(study, "confirm-throughput-main-mlp", [-effect for effect in SLOWER])
    assert [answer.word for answer in study.answers] == ["noise"]


def test_the_same_software_is_never_to_blame(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), repeat=1)
    _run(study, "round-1-mlp", seconds=1.5)
    assert [_next(study), study.suspects[0].word] == ["with-0-1-throughput-main-mlp", "slower"]
    _run(study, "with-0-1-throughput-main-mlp", seconds=1.5)
    _run(study, "with-0-2-throughput-main-mlp", seconds=1.5)
    assert [answer.word for answer in study.answers] == ["machine"]
    assert study.night.scenarios[0].state == "good"


def test_a_night_that_is_slow_only_once_is_noise(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), repeat=1)
    _run(study, "round-1-mlp", seconds=1.5)
    _run(study, "with-0-1-throughput-main-mlp")
    _run(study, "with-0-2-throughput-main-mlp")
    assert [answer.word for answer in study.answers] == ["noise"]


def test_facts_that_changed_are_named_with_the_machine(folder: StudyFolder) -> None:
    reference = _reference(tracked=Tracked(VALUES), facts={"cpu_model": "b"})
    study = _night(folder, _watched(past=Past(reference, "n1", reference, HISTORY)), repeat=1)
    _run(study, "round-1-mlp", seconds=1.5)
    for number in (1, 2):
        _run(study, f"with-0-{number}-throughput-main-mlp", seconds=1.5)
    assert study.answers[0].cause == "cpu_model: b → a"


@pytest.mark.parametrize(
    ("now", "then", "word"),
    [("hung", "completed", "software"), ("hung", "hung", "machine"), ("completed", "completed", "noise")],
)
def test_an_arm_that_ends_otherwise_is_run_with_both(folder: StudyFolder, now: str, then: str, word: str) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS[:1]}), repeat=1)
    _run(study, "round-1-mlp", outcome="hung")
    _compared(study, "look-main-mlp", SAME)
    while key := _next(study):
        _run(study, key, outcome=now if key.startswith("with-1-") else then)
    (answer,) = study.answers
    assert (answer.measure, answer.word) == ("outcome", word)


@pytest.mark.parametrize(("now", "then"), [(2, 0), (3, 1), (1, 0)])
def test_what_ends_so_now_and_then_is_no_reason_to_wake_anybody(folder: StudyFolder, now: int, then: int) -> None:
    """A job that hangs once in five by itself comes to such counts on too many nights."""
    study = _night(folder, _watched(changed=True, steps={"main": STEPS[:1]}), repeat=1)
    _run(study, "round-1-mlp", outcome="hung")
    for count, odd in ((1, now), (0, then)):
        for number in range(1, 4):
            name = f"with-{count}-{number}-outcome-main-mlp"
            study.verdicts[name] = _verdict("run", outcome="hung" if number <= odd else "completed")
    _compared(study, "look-main-mlp", SAME)
    assert [answer.word for answer in study.answers] == ["not decided"]


def test_what_pages_say_of_jobs_that_hang_by_themselves_and_of_room_for_looks() -> None:
    """Of five rounds one is odd, then three runs of three, and none of three with the old software."""

    def told(share: float) -> float:
        return 1000 * (1 - (1 - share) ** 5) * (share * (1 - share)) ** tonight.OUTCOME_RERUNS

    assert (round(told(0.2)), told(0.1) < 1) == (3, True)
    asked, shares = Asked(), (night_budget.LOOKING - night_budget.ROUNDS_IF_CHANGED, night_budget.LOOKING)
    assert [int(share * asked.budget / (asked.confirm * night_budget.LOOK)) for share in shares] == [3, 8]


def test_what_nobody_could_tell_is_not_the_machines(folder: StudyFolder) -> None:
    """Else a level that moved would count as explained, and never be suspected again."""
    for effects, word in ((SAME, "machine"), (UNDECIDED, "not decided")):
        study = _night(folder, _watched(changed=True), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run", 1.25)
        _compared(study, "look-main-mlp", UNDECIDED)
        _compared(study, "confirm-throughput-main-mlp", effects)
        study.verdicts |= {f"with-0-{number}-throughput-main-mlp": _verdict("run", 1.25) for number in (1, 2)}
        assert [answer.word for answer in study.answers] == [word]


def test_looks_of_names_that_would_be_alike_are_two(folder: StudyFolder) -> None:
    one = _watched(changed=True, key="c", values={**VALUES, "variants": {"a-b": {}}}, steps={"a-b": STEPS})
    other = _watched(changed=True, key="b-c", values={**VALUES, "variants": {"a": {}}}, steps={"a": STEPS})
    assert list(_night(folder, one, other)._looks) == ["a.b-c", "a-b-c"]


def test_a_side_that_computes_something_else_is_told_where_it_does_so_twice(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS[1:]}), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SAME, "different")
    assert _next(study) == "confirm-meaning-main-mlp"
    _compared(study, "confirm-meaning-main-mlp", [], "identical")
    assert [answer.word for answer in study.answers] == ["not decided"], "what begins late shows in pairs alone"
    _compared(study, "confirm-meaning-main-mlp", SAME, "identical")
    assert [answer.word for answer in study.answers] == ["noise"]
    _compared(study, "confirm-meaning-main-mlp", [], "different")
    assert [(answer.measure, answer.word, answer.cause) for answer in study.answers] == [
        ("meaning", "software", "the batch")
    ]


def _asked_of(study: Nightly, key: str) -> tuple[float, bool]:
    made = study.made(key)
    assert isinstance(made, Compare)
    return made.question_.budget, made.question_.of_meaning


def test_which_change_brings_what_short_runs_show_is_asked_by_short_runs(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS}), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SAME, "different")
    assert _asked_of(study, "confirm-meaning-main-mlp") == (60.0, True)
    _compared(study, "confirm-meaning-main-mlp", [], "identical")
    assert _asked_of(study, "step-1-meaning-main-mlp") == (60.0, True), "what begins late shows in pairs alone"
    _compared(study, "confirm-meaning-main-mlp", [], "different")
    assert _asked_of(study, "step-1-meaning-main-mlp") == (1.0, True)
    step = _compared(study, "step-1-meaning-main-mlp", [], "identical")
    assert study.answers[0].cause == "the batch"
    step.short.found = {}
    assert study.answers[0].cause == "one of: a variable; the batch", "short runs that failed say nothing"


def test_what_does_not_train_is_asked_in_pairs_too(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS}), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SAME).broken = "now did not train to the end"
    assert _asked_of(study, "confirm-meaning-main-mlp") == (60.0, False)


def test_what_may_be_had_back_tomorrow_is_not_good_today(folder: StudyFolder) -> None:
    for may_pass, state in ((True, "undecided"), (False, "good")):
        steps = [Step("packages", {}, "no network", may_pass=may_pass)]
        study = _night(folder, _watched(changed=True, steps={"main": steps}), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run")
        assert study.night.scenarios[0].state == state


def test_what_was_never_looked_at_is_never_taken_for_good(folder: StudyFolder) -> None:
    watched = _watched(changed=True, steps={"main": STEPS})
    past = replace(watched.past, tried=20, last=_reference(tracked=watched.tracked, state="undecided"))
    study = _night(folder, replace(watched, past=past), repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("run")
    assert study.night.scenarios[0].state == "undecided"
    _compared(study, "look-main-mlp", [-0.3, 0.3, -0.2, 0.2, -0.1, 0.1])
    assert study.night.scenarios[0].state == "good", "twenty looks could not tell"


def test_what_is_not_known_beside_an_alert_keeps_it_from_being_good(folder: StudyFolder) -> None:
    values = {**VALUES, "variants": {"a": {}, "b": {"workload.warmup": 8}}}
    watched = _watched(changed=True, values=values, steps={"a": STEPS[1:], "b": STEPS[1:]})
    study = _night(folder, watched, repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("run")
    _compared(study, "look-a-mlp", SLOWER)
    _compared(study, "confirm-throughput-a-mlp", SLOWER)
    found = study.night.scenarios[0]
    assert (found.state, "was not looked at" in found.note) == ("alert", True)
    (alert,) = found.answers
    assert not is_good(found, {alert.id: "on purpose"})
    _compared(study, "look-b-mlp", SAME)
    settled = study.night.scenarios[0]
    assert (settled.state, settled.note) == ("alert", "")
    assert is_good(settled, {alert.id: "on purpose"})


def test_what_was_not_decided_beside_an_alert_of_the_same_arm_is_looked_at_again(folder: StudyFolder) -> None:
    steps = {"main": STEPS[1:]}
    first = _night(folder, _watched(changed=True, steps=steps), repeat=1)
    _run(first, "round-1-mlp")
    _compared(first, "look-main-mlp", SLOWER)
    _compared(first, "confirm-throughput-main-mlp", SLOWER)
    found = first.night.scenarios[0]
    growth = replace(found.answers[0], id="g", measure="growth", word="not decided")
    for answers, again in ((found.answers, False), ([*found.answers, growth], True)):
        past = replace(_watched(changed=True).past, last=replace(found, answers=answers))
        assert _watched(changed=True, steps=steps, past=past).can_be_looked_at("main") == again


def test_a_change_that_does_less_than_half_of_it_is_not_to_blame(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS}), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SLOWER)
    _compared(study, "confirm-throughput-main-mlp", [-0.3 + noise for noise in (0.0, 0.01, -0.01, 0.02, -0.02, 0.0)])
    scattered = [-0.12 + noise for noise in (0.0, 0.03, -0.03, 0.04, -0.04, 0.0)]
    _compared(study, "step-1-throughput-main-mlp", scattered)
    assert study.answers[0].cause == "one of: a variable; the batch"


def test_what_cannot_be_had_back_is_not_decided(folder: StudyFolder) -> None:
    steps = [Step("packages", {}, "no network")]
    study = _night(folder, _watched(changed=True, steps={"main": steps}), repeat=1)
    _run(study, "round-1-mlp", seconds=1.5)
    while key := _next(study):
        _run(study, key, seconds=1.5)
    assert [(answer.word, "no network" in answer.text) for answer in study.answers] == [("not decided", True)]
    assert "no network" in study.night.scenarios[0].note


def test_the_same_alert_is_told_once_and_nothing_is_asked_again(folder: StudyFolder) -> None:
    first = _night(folder, _watched(changed=True, steps={"main": STEPS[1:]}), repeat=1)
    _run(first, "round-1-mlp")
    _compared(first, "look-main-mlp", SLOWER)
    _compared(first, "confirm-throughput-main-mlp", SLOWER)
    found = first.night.scenarios[0]
    past = replace(_watched(changed=True).past, last=found)
    later = create(folder.results, "nightly", {})
    study = _night(later, _watched(changed=True, past=past), repeat=1)
    assert study.watched["mlp"].known == found
    (answer,) = study.answers
    assert (answer.since, answer.id) == (folder.id, found.answers[0].id)


def test_runs_that_failed_leave_a_failed_scenario(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), repeat=1)
    study.add("round-1-mlp", None, "the disk is full")
    found = study.night.scenarios[0]
    assert (found.state, found.note, _next(study)) == ("failed", "the disk is full", "")


def test_what_never_passed_is_no_good_night(folder: StudyFolder) -> None:
    study = _night(folder, _watched(past=Past()), repeat=1)
    _run(study, "round-1-mlp", outcome="crashed")
    study.verdicts["round-1-mlp"] = replace(study.verdicts["round-1-mlp"], verdict="fail", reason="outcome of main")
    found = study.night.scenarios[0]
    assert (found.state, found.note) == ("failed", "outcome of main; no night has passed yet")


def test_a_scenario_that_cannot_begin_fails_alone(folder: StudyFolder) -> None:
    study = Nightly([_watched()], Asked(repeat=1), {}, {"other": "other.yaml:1:1: no", "old": REMOVED})
    study.folder = folder
    _run(study, "round-1-mlp")
    assert [(each.key, each.state, each.note) for each in study.night.scenarios] == [
        ("mlp", "good", ""),
        ("other", "failed", "other.yaml:1:1: no"),
        ("old", "removed", REMOVED),
    ]


def test_a_verdict_that_turns_is_run_again_whole(folder: StudyFolder) -> None:
    reference = _reference(outcomes={"main": ["completed"], "": ["fail"]})
    reference = replace(reference, tracked=Tracked(VALUES))
    study = _night(folder, _watched(past=Past(reference, "n1", reference, {})), repeat=1)
    _run(study, "round-1-mlp")
    asked = study.wanted()[0]
    assert asked.key == "with-0-1-outcome-verdict-mlp"
    assert "control" not in asked.text
    while key := _next(study):
        _run(study, key)
    assert [(answer.arm, answer.word) for answer in study.answers] == [("", "machine")]


@pytest.mark.parametrize(("outcome", "state"), [("crashed", "undecided"), ("completed", "good")])
def test_a_night_on_which_all_ended_otherwise_is_no_good_one(folder: StudyFolder, outcome: str, state: str) -> None:
    """A machine without room crashes everything: what crashes the night after is not as usual."""
    study = _night(folder, _watched(), repeat=1)
    _run(study, "round-1-mlp", outcome=outcome)
    while key := _next(study):
        _run(study, key, outcome=outcome)
    found = study.night.scenarios[0]
    assert (found.state, is_good(found, {})) == (state, state == "good")


@pytest.mark.parametrize("outcome", ["aborted", "interrupted"])
def test_more_runs_that_say_nothing_decide_nothing(folder: StudyFolder, outcome: str) -> None:
    study = _night(folder, _watched(changed=True, steps={"main": STEPS[:1]}), repeat=1)
    _run(study, "round-1-mlp", outcome="hung")
    _compared(study, "look-main-mlp", SAME)
    while key := _next(study):
        _run(study, key, outcome=outcome if key.startswith("with-1-") else "completed")
    (answer,) = study.answers
    assert (answer.word, "3 more runs say nothing" in answer.text) == ("not decided", True)


@pytest.mark.parametrize(("others", "state"), [(1, "undecided"), (0, "good")])
def test_a_change_that_cannot_be_undone_hides_no_other(folder: StudyFolder, others: int, state: str) -> None:
    steps = {"main": [Step("steps", {}, "sides cannot differ by it"), *STEPS[:others]]}
    study = _night(folder, _watched(changed=True, steps=steps), repeat=1)
    _run(study, "round-1-mlp")
    assert study.night.scenarios[0].state == state


def test_what_asks_otherwise_is_not_called_the_machine(folder: StudyFolder) -> None:
    reference = _reference(outcomes={"main": ["completed"], "": ["fail"]}, tracked=Tracked({**VALUES, "expect": {}}))
    study = _night(folder, _watched(past=Past(reference, "n1", reference, {})), repeat=1)
    _run(study, "round-1-mlp")
    (answer,) = study.answers
    assert (answer.word, "what is asked of the scenario" in answer.text) == ("not decided", True)


def test_a_hang_whose_software_cannot_be_had_back_is_no_good_night(folder: StudyFolder) -> None:
    steps = {"main": [Step("packages", {}, "no network")]}
    study = _night(folder, _watched(changed=True, steps=steps, past=_watched(changed=True).past), repeat=1)
    _run(study, "round-1-mlp", outcome="hung")
    while key := _next(study):
        _run(study, key, outcome="hung")
    assert [answer.word for answer in study.answers] == ["not decided"]
    assert study.night.scenarios[0].state == "undecided"


def test_one_odd_round_of_the_reference_hides_no_hang(folder: StudyFolder) -> None:
    reference = _reference(outcomes={"main": [*["completed"] * 4, "hung"]}, tracked=Tracked(VALUES))
    study = _night(folder, _watched(past=Past(reference, "n1", reference, {})), repeat=1)
    _run(study, "round-1-mlp", outcome="hung")
    assert [suspect.measure for suspect in study.suspects] == ["outcome"]


def test_a_confirmation_that_cannot_tell_is_not_noise(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SLOWER)
    _compared(study, "confirm-throughput-main-mlp", [0.05, -0.06, 0.04])
    assert [answer.word for answer in study.answers] == ["not decided"]


def test_another_cause_is_another_alert(folder: StudyFolder) -> None:
    ids = set()
    for what in ("one script", "another script"):
        study = _night(
            folder, _watched(changed=True, steps={"main": [Step(what, {"workload.batch_size": 8})]}), repeat=1
        )
        study.parts["look-main-mlp"] = _compared(study, "look-main-mlp", SLOWER)
        _compared(study, "confirm-throughput-main-mlp", SLOWER)
        ids.add(study.answers[0].id)
    assert len(ids) == 2


def test_a_night_goes_on_where_a_round_failed_before_its_look(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), _watched(key="other"), repeat=1)
    made = study.made("look-main-mlp")
    own = create(folder.results, made.name, made.question)
    folder.write_json("parts.json", {"look-main-mlp": own.id})
    assert "look-main-mlp" in study.add("look-main-mlp", None, "")  # no round is there yet
    assert _next(study) == "round-1-mlp"


def test_the_question_makes_the_same_study(folder: StudyFolder, tmp_path: Path) -> None:
    study = _night(folder, _watched(changed=True))
    again = Nightly.asked(json.loads(json.dumps(study.question, sort_keys=True)), tmp_path)
    assert json.dumps(again.question, sort_keys=True) == json.dumps(study.question, sort_keys=True)
    assert again.watched["mlp"].tracked.fingerprint == study.watched["mlp"].tracked.fingerprint


def test_a_look_may_go_on_while_the_night_has_room(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), budget=3600.0, confirm=60.0, repeat=1)
    _run(study, "round-1-mlp", took=100.0)
    look = study.made("look-main-mlp")
    assert isinstance(look, Compare)
    assert (look.question_.budget, look.question_.limit) == (30.0, 0.7 * 3600 - 100)
    _compared(study, "look-main-mlp", SLOWER).spending.taken = 30.0
    confirm = study.made("confirm-throughput-main-mlp")
    assert isinstance(confirm, Compare)
    assert (confirm.question_.budget, confirm.question_.limit) == (60.0, 3600.0 - 130)


def test_what_was_not_looked_at_says_how_it_would_be(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), budget=100.0, repeat=1)
    _run(study, "round-1-mlp", took=90.0)
    assert _next(study) == ""
    found = study.night.scenarios[0]
    assert found.state == "undecided"
    assert found.note.endswith(
        "it was not looked at: a look takes 20 s at least, and all of them share what rounds leave of 70% of the "
        "budget, 100 s; give more, as in --budget 90min"
    )


def test_what_confirms_leaves_room_for_what_waits(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), _watched(changed=True, key="other"), budget=3600.0, repeat=1)
    for key in ("mlp", "other"):
        _run(study, f"round-1-{key}", took=100.0)
        _compared(study, f"look-main-{key}", SLOWER)
    confirm = study.made("confirm-throughput-main-mlp")
    assert isinstance(confirm, Compare)
    assert confirm.question_.limit == (3600.0 - 260.0) / 2


def _moved(software: str) -> Moved:
    return Moved("main", "seconds_per_sample", "n0", 0.0, math.log(1.25), software, {"cpu_model": "c"})


def test_a_level_that_moved_with_software_is_not_the_machines(folder: StudyFolder) -> None:
    """Also where something harmless changes on a later night, and the software of then is as slow by now."""
    history = {"main": {"seconds_per_sample": [math.log(each) for each in (1.25, 1.26, 1.24)]}}
    for software, word in (("another", "not decided"), (THEN.fingerprint, "machine")):
        watched = _watched(changed=True)
        past = replace(watched.past, history=history, moved=[_moved(software)])
        study = _night(folder, replace(watched, past=past), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run", 1.25)
        _compared(study, "look-main-mlp", SAME)
        _compared(study, "confirm-throughput-main-mlp", SAME)
        study.verdicts |= {f"with-0-{number}-throughput-main-mlp": _verdict("run", 1.25) for number in (1, 2)}
        (answer,) = study.answers
        assert answer.word == word
    assert answer.cause == "cpu_model: c → a", "since the night before it moved"


def test_more_of_what_was_told_is_another_matter(folder: StudyFolder) -> None:
    def told(effects: list[float], *pending: Answer) -> Answer:
        watched = _watched(changed=True, steps={"main": STEPS[1:]})
        past = replace(watched.past, alerts=pending)  # accepted meanwhile, or not
        study = _night(folder, replace(watched, past=past), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run")
        _compared(study, "look-main-mlp", effects)
        _compared(study, "confirm-throughput-main-mlp", effects)
        return study.answers[0]

    first = told(SLOWER)
    assert first.effect == pytest.approx(-0.05, abs=0.001)
    assert told(SLOWER, first).id == first.id
    more = told([2 * each for each in SLOWER], first)
    assert more.id.startswith(f"{first.id}-"), "or accepting the first would accept both"
    assert told([2 * each for each in SLOWER], first, more).id == more.id
    assert told([each / 2 for each in SLOWER], first).id == first.id, "less of it is nothing new"


def test_what_has_no_size_is_another_matter_with_every_edit(folder: StudyFolder) -> None:
    """Or accepting what is computed otherwise on purpose would accept the next mistake, too."""
    ids = set()
    for digest in ("0123456789ab", "ba9876543210"):
        step = Step(f"train.py@{digest}", {"workload.batch_size": 8})
        study = _night(folder, _watched(changed=True, steps={"main": [step]}), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run")
        _compared(study, "look-main-mlp", SAME, "different")
        _compared(study, "confirm-meaning-main-mlp", [], "different")
        (answer,) = study.answers
        ids.add(answer.id)
    assert len(ids) == 2


def test_the_same_cause_has_one_id_however_often_files_are_edited() -> None:
    assert night_answers._DIGEST.sub("", "the script's files (t.py@0123456789ab → t.py@ba9876543210)") == (
        "the script's files (t.py → t.py)"
    )


def test_what_hung_in_one_round_of_changed_software_is_not_good_because_it_did_not_again(folder: StudyFolder) -> None:
    for changed, state in ((True, "undecided"), (False, "good")):
        values = {**VALUES, "faults": [{"kill": {"at": {"step": 5}}}]}
        study = _night(folder, _watched(changed=changed, values=values), repeat=2)
        study.verdicts |= {"round-1-mlp": _verdict("run", outcome="hung"), "round-2-mlp": _verdict("run")}
        names = [f"with-{count}-{number}-outcome-main-mlp" for count in (0, 2) for number in (1, 2, 3)]
        study.verdicts |= {name: _verdict("run") for name in names}
        assert [answer.word for answer in study.answers] == ["noise"]
        assert study.night.scenarios[0].state == state


def test_what_was_told_and_not_accepted_is_never_taken_for_good(folder: StudyFolder) -> None:
    watched = _watched(changed=True)
    alert = Answer("a1", "mlp", "main", "throughput", "software", "", since="n2")
    for pending, state in (((), "good"), ((alert,), "undecided")):
        past = replace(
            watched.past, tried=20, last=_reference(tracked=watched.tracked, state="undecided"), pending=pending
        )
        study = _night(folder, replace(watched, past=past), repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run")
        _compared(study, "look-main-mlp", [-0.3, 0.3, -0.2, 0.2, -0.1, 0.1])
        found = study.night.scenarios[0]
        still_open = "not accepted: a1 (throughput), of the night n2" in found.note
        assert (found.state, still_open) == (state, bool(pending))


def test_what_is_still_open_is_told_where_nobody_looked_again(folder: StudyFolder) -> None:
    watched = _watched(changed=True)
    alert = Answer("a1", "mlp", "main", "throughput", "software", "", since="n2")
    study = _night(folder, replace(watched, past=replace(watched.past, pending=[alert])), repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("run")
    found = study.night.scenarios[0]
    assert (found.state, "not accepted: a1 (throughput), of the night n2" in found.note) == ("undecided", True)


def test_numbers_of_another_job_are_not_suspected_and_those_that_are_gone_are(folder: StudyFolder) -> None:
    steps = [Step("scenario workload.steps: 100 → 200", {}, "the same for all sides", other_job=True)]
    study = _night(folder, _watched(changed=True, steps={"main": steps}), repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("run", 1.5)
    assert (study.suspects, study.night.scenarios[0].state) == ([], "good")
    watched = _watched(changed=True)
    reference = _reference(tracked=THEN, numbers={"main": {"seconds_per_sample": [1.0], "final_loss": [0.4]}})
    study = _night(folder, replace(watched, past=replace(watched.past, reference=reference)), repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("run")
    _compared(study, "look-main-mlp", SAME)
    assert [(suspect.measure, suspect.why.partition(",")[0]) for suspect in study.suspects] == [
        ("meaning", "final_loss is no finite number")
    ]
    assert study.night.scenarios[0].state == "undecided"


def _after_a_pass(**reference: Any) -> Watched:
    """After a good night whose runs passed."""
    known = _reference(tracked=Tracked(VALUES), outcomes={"main": ["completed"], "": ["pass"]}, **reference)
    return _watched(past=Past(known, "n1", known, HISTORY))


@pytest.mark.parametrize(("again", "state"), [("crashed", "failed"), ("completed", "good")])
def test_a_night_on_which_nothing_passed_has_failed(folder: StudyFolder, again: str, state: str) -> None:
    """Software is as it was: the data may be gone, or the disk. Somebody has to be told, by the exit code at least."""
    study = _night(folder, _after_a_pass(), repeat=1)
    study.verdicts["round-1-mlp"] = replace(_verdict("r", outcome="crashed"), verdict="fail", reason="no such file")
    while key := _next(study):
        _run(study, key, outcome=again)
    found = study.night.scenarios[0]
    assert found.state == state
    if state == "failed":
        assert found.note.startswith("none of 1 runs passed: no such file; main: crashed in 1 of 1 rounds")


def test_a_night_of_which_nothing_can_be_told_has_failed(folder: StudyFolder) -> None:
    study = _night(folder, _after_a_pass(), repeat=1)
    study.verdicts["round-1-mlp"] = replace(_verdict("r"), verdict="unknown", reason="the limit was not measured")
    found = study.night.scenarios[0]
    assert (found.state, found.note) == ("failed", "none of 1 runs passed: the limit was not measured")


def test_a_number_that_is_gone_keeps_a_night_from_being_good(folder: StudyFolder) -> None:
    """Else it was never missed again: the next nights are compared with this one."""
    study = _night(
        folder, _after_a_pass(numbers={"main": {"seconds_per_sample": [1.0], "final_loss": [0.4]}}), repeat=1
    )
    study.verdicts["round-1-mlp"] = _verdict("r")
    found = study.night.scenarios[0]
    told = "main: no run of tonight has final_loss, which the last good night had"
    assert (found.state, found.note) == ("undecided", told)


def test_failures_of_the_harness_are_no_usual_end(folder: StudyFolder) -> None:
    """Three processes that could not be started were usual, and what crashed after them was no news."""
    known = _reference(tracked=THEN, outcomes={"main": ["aborted", "aborted", "completed"]})
    study = _night(folder, _watched(changed=True, past=Past(known, "n1", known, HISTORY)), repeat=1)
    study.verdicts["round-1-mlp"] = _verdict("r", outcome="crashed")
    (suspect,) = [each for each in study.suspects if each.measure == "outcome"]
    assert suspect.why == "crashed in 1 of 1 rounds, completed before"


def test_a_step_that_all_of_the_time_holds_back_clears_no_change(folder: StudyFolder) -> None:
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    _compared(study, "look-main-mlp", SLOWER)
    _compared(study, "confirm-throughput-main-mlp", SLOWER)
    step = _compared(study, "step-1-throughput-main-mlp", SLOWER)
    for pair in step.evidence.pairs:
        pair.effects["throughput_overall"][step.evidence.others[0].name] = 0.0  # type: ignore[index]
    (answer,) = study.answers
    assert (answer.word, answer.cause) == ("software", "one of: a variable; the batch")


def test_rounds_that_could_not_run_are_told_beside_those_that_did(folder: StudyFolder) -> None:
    study = _night(folder, _watched())
    _run(study, "round-1-mlp")
    study.add("round-2-mlp", None, "no space left on device")
    found = study.night.scenarios[0]
    assert (found.state, found.note) == ("good", "1 more rounds could not run: no space left on device")


def test_a_look_that_failed_is_a_look(folder: StudyFolder) -> None:
    """Else its change stayed undecided for ever: seven of them are enough."""
    study = _night(folder, _watched(changed=True), repeat=1)
    _run(study, "round-1-mlp")
    assert not study.night.scenarios[0].looked
    study.add("look-main-mlp", None, "there is no GPU 0")
    found = study.night.scenarios[0]
    assert (found.state, found.looked, "there is no GPU 0" in found.note) == ("undecided", True, True)


def test_the_machine_is_not_blamed_where_nobody_knows_what_the_software_was(folder: StudyFolder) -> None:
    no_good_night = _watched(past=Past(None, "", None, HISTORY))
    new_arm = _watched(changed=True, steps={})
    for number, watched in enumerate((no_good_night, new_arm)):
        study = _night(create(folder.results, f"nightly{number}", {}), watched, repeat=1)
        study.verdicts["round-1-mlp"] = _verdict("run", 1.5)
        assert not _next(study).startswith("with-"), "runs would not decide it"
        told = [(answer.word, "no good night had" in answer.text) for answer in study.answers]
        assert told == [("not decided", True)]


def test_more_runs_that_failed_are_no_lack_of_time(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), repeat=1)
    _run(study, "round-1-mlp", seconds=1.5)
    for number in (1, 2):
        study.add(f"with-0-{number}-throughput-main-mlp", None, "the agent died")
    (answer,) = study.answers
    assert (answer.word, answer.text.endswith("; the agent died")) == ("not decided", True)


def test_a_round_that_the_harness_aborted_says_nothing_of_a_job(folder: StudyFolder) -> None:
    study = _night(folder, _watched(), repeat=1)
    _run(study, "round-1-mlp", outcome="aborted")
    assert study.suspects == []


def test_a_hang_beside_a_night_that_was_aborted_in_part_is_suspected(folder: StudyFolder) -> None:
    before = {"main": [*["completed"] * 4, "aborted, completed"]}
    watched = _watched()
    known = replace(watched.past, reference=_reference(tracked=Tracked(VALUES), outcomes=before))
    study = _night(folder, replace(watched, past=known), repeat=5)
    for number in range(1, 6):
        _run(study, f"round-{number}-mlp", outcome="hung" if number == 5 else "completed")
    assert [suspect.why for suspect in study.suspects] == ["hung in 1 of 5 rounds, completed before"]


def test_a_round_that_failed_is_made_again_when_the_night_goes_on(folder: StudyFolder) -> None:
    """What failed is forgotten then: of three rounds the first is missing, and those after the third."""
    study = _night(folder, _watched(), repeat=4)
    for number in (2, 3):
        study.verdicts[f"round-{number}-mlp"] = _verdict("run")
    asked = []
    while key := _next(study):
        asked.append(key)
        _run(study, key)
    assert asked == ["round-1-mlp", "round-4-mlp"]
