"""A comparison as people read it: what failed, and what has changed, comes first."""

from __future__ import annotations

import io

import pytest
from matplotlib.figure import Figure
from rich.console import Console

from harness.report import compare, compare_figure
from harness.studies.compare import Compare
from harness.studies.finding import Finding, Question, Word
from harness.studies.meaning import Meaning
from harness.studies.pairs import Pair
from harness.studies.sides import Side, Sides
from harness.vocabulary.events import Ended

SIDES = Sides(
    "q", {"title": "Why?", "workload": {"model": "mlp", "steps": 50}}, (Side("a", {}), Side("b", {"target.env.X": 1}))
)


def _study() -> Compare:
    study = Compare(SIDES, Question())
    study.short.found = {"b": Meaning("identical", "the same numbers", 0.0)}
    return study


def _lines(study: Compare) -> list[str]:
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(compare.render(study))
    return console.export_text().splitlines()


def test_a_side_that_fails_is_the_first_line() -> None:
    study = _study()
    for number in (1, 2):
        ended = Ended(1.0, "b", "worker/0", "crashed", "signal 9")
        study._add_lost(f"pair-00{number}", Pair("run", 1.0, {}, {}), [("b", ended)])
    first, *_, last = _lines(study)
    assert first == "FAILED 2 times: b did not train to the end: crashed: signal 9"
    assert "  it has not trained to its end in any pair" in _lines(study)
    assert last == "failed 2 times: b did not train to the end: crashed: signal 9"


def test_what_has_changed_is_the_first_line() -> None:
    study = _study()
    study.changed = "the target of b has changed since this was begun; begin a new comparison"
    assert _lines(study)[0] == f"NOT GONE ON WITH: {study.changed}"


def test_few_turns_that_take_most_of_the_time_are_told() -> None:
    study = _study()
    for noise in (0.0, 0.03, -0.03, 0.02, -0.02, 0.01):
        study.spending.add(40.0)
        study._take(Pair("run", 40.0, {"throughput": {"b": noise}, "throughput_overall": {"b": noise * 9 - 0.3}}, {}))
    told = "\n".join(_lines(study))
    assert "b is undecided" in told
    assert "over all of the time (" in told and "few turns take much of it" in told
    assert "were disturbed" not in told


def test_what_an_interval_waits_for_is_told() -> None:
    """Pairs; then the first look, before which there is none however many there are."""
    study, effects = _study(), {"throughput": {"b": 0.01}, "throughput_overall": {"b": 0.01}}
    for number in range(6):
        told = "\n".join(_lines(study))
        assert ("due once a quarter of 300 s is spent; go on with --resume last" in told) == (number >= 4)
        assert ("an interval needs 4 pairs that count" in told) == (1 <= number < 4)
        study.spending.add(1.0)
        study._take(Pair("run", 1.0, {name: {"b": 0.01 + number / 1000} for name in effects}, {}))


def test_that_a_side_is_the_same_takes_all_of_the_time() -> None:
    """No budget is large enough where nobody saw it."""
    study = _study()
    for number in range(8):
        study.spending.add(40.0)
        study._take(Pair("run", 40.0, {"throughput": {"b": 0.0001 * (-1) ** number}}, {}))
    told = "\n".join(_lines(study))
    assert "that it is the same takes the time of all steps, which nobody saw here" in told
    assert "larger --budget" not in told


def test_a_busy_machine_is_told_with_the_answer() -> None:
    study = _study()
    for _ in range(2):
        study._take(Pair("run", 1.0, {"throughput": {"b": 0.03}}, {}, "others used 40%"))
    told = _lines(study)
    assert any("(1 of 1 pairs were disturbed)" in line for line in told)
    assert any(line.startswith("on a busy machine a side may suffer more") for line in told)


def test_dots_of_disturbed_pairs_are_hollow() -> None:
    """An alpha would give what has no colour one: black."""
    study = _study()
    for place, noise in enumerate((0.0, 0.03, -0.03, 0.02, -0.02, 0.01)):
        effects = {"throughput": {"b": noise}, "throughput_overall": {"b": noise}}
        study._take(Pair("run", 40.0, effects, {}, "others used 40%" if place > 2 else ""))
    axes = Figure().subplots()
    compare_figure._pairs(axes, study, study.scenario.sides[1])
    dots = axes.collections[0].get_facecolors()  # type: ignore[attr-defined]
    assert [bool(alpha) for *_, alpha in dots] == [True, True, True, False, False]


def test_where_training_goes_is_the_question_another_meaning_is_no_alarm() -> None:
    study = Compare(SIDES, Question("drift"))
    study.short.found = {"b": Meaning("different", "it computes something else: first the loss of step 1", 0.1)}
    told = _lines(study)
    assert not any("ANOTHER MEANING" in line for line in told)
    assert "b: it computes something else: first the loss of step 1" in told


@pytest.mark.parametrize(
    ("word", "question", "told"),
    [
        ("same", Question(), "this setting likely does nothing here"),
        ("same", Question(resolve=0.05), "as far as was asked"),
        ("same", Question(measure="drift"), "this setting likely does nothing to where training goes"),
        ("undecided", Question(), "so far"),
    ],
)
def test_how_surely_a_setting_does_nothing_is_no_more_than_was_asked(word: Word, question: Question, told: str) -> None:
    study = Compare(SIDES, question)
    assert compare._how_surely(study, Finding(question.measure, "b", word, None)) == told
