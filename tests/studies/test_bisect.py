"""Which target is asked next, and what the answers come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import InputError
from harness.scenario.schema import Target
from harness.studies import bisect, study_folder
from harness.studies.again import Again
from harness.studies.bisect import Asked, Bisect, Shown, next_place
from harness.studies.compare import Compare
from harness.studies.operators import Operators
from harness.studies.pairs import Pair
from harness.studies.parity import Difference, Parity

VALUES = {"title": "t", "workload": {"model": "mlp", "steps": 50}, "expect": {"outcome": "completed"}}
TARGETS = tuple(Target(mxnet=version) for version in ("1.5.0", "1.6.0", "1.7.0", "1.8.0", "1.9.1"))
OF_RUNS = Asked(TARGETS, name="s", values=VALUES)


@pytest.mark.parametrize("first_bad", [1, 2, 3, 4, 5, 6, 7, 8])
@pytest.mark.parametrize("skipped", [set(), {1}, {3, 4}, {2, 5, 6}])
def test_halves_find_the_first_in_few_questions(first_bad: int, skipped: set[int]) -> None:
    shown: list[Shown] = ["unknown"] * 9
    through, asked = [False] * 9, 0
    skipped = skipped - {8}
    while (place := next_place(shown, through)) is not None:
        through[place], asked = True, asked + 1
        shown[place] = "unknown" if place in skipped else "yes" if place >= first_bad else "no"
    bad = shown.index("yes")
    good = max(place for place in range(bad) if shown[place] == "no")
    assert good < first_bad <= bad
    assert set(range(good + 1, bad)) <= skipped
    assert asked <= 6 + len(skipped)


@pytest.mark.parametrize(
    ("shown", "asked"),
    [
        (("no", "unknown", "unknown"), 2),
        (("yes", "unknown", "yes"), None),
        (("no", "unknown", "no"), None),
        (("no", "unknown", "unknown", "unknown", "unknown", "yes"), 2),
    ],
)
def test_both_ends_come_first_and_without_a_difference_nothing_else(
    shown: tuple[Shown, ...], asked: int | None
) -> None:
    assert next_place(shown, [each != "unknown" for each in shown]) == asked


def _bisected(*words: str | None) -> Bisect:
    """A study of runs with a verdict for each target; None: it was not asked, "": it does not start."""
    study = Bisect(OF_RUNS)
    for key, word in zip(study.keys, words, strict=True):
        if word == "":
            study.failures[key] = "does not import mxnet"
        elif word is not None:
            part = Again(VALUES, TARGETS[int(key)], 3)
            part.words = {f"run-{n}": each for n, each in enumerate(word.split(), 1)}
            part.reasons = dict.fromkeys(part.words, "why")
            study.parts[key] = part
    return study


PASS, FAIL = "pass pass pass", "fail fail fail"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            (PASS, None, PASS, FAIL, FAIL),
            "mxnet 1.8.0 (fail 3 of 3: why) is the first that shows it; mxnet 1.7.0 (pass 3 of 3) does not",
        ),
        (
            (PASS, "fail pass pass", FAIL, None, FAIL),
            "mxnet 1.7.0 (fail 3 of 3: why) shows it, mxnet 1.5.0 (pass 3 of 3) does not; of those between nothing can "
            "be said: mxnet 1.6.0 (pass 2 of 3, fail 1 of 3: why)",
        ),
        ((PASS, PASS, "", FAIL, FAIL), "of those between nothing can be said: mxnet 1.7.0 (does not import mxnet)"),
        ((FAIL, None, None, None, FAIL), "the first one shows it, too: mxnet 1.5.0 (fail 3 of 3: why)"),
        ((PASS, None, None, None, PASS), "the last one does not show it: mxnet 1.9.1"),
        ((PASS, None, None, None, "invalid pass pass"), "of the last one nothing can be said: mxnet 1.9.1"),
        ((PASS, None, None, None, ""), "of the last one nothing can be said: mxnet 1.9.1 (does not import mxnet)"),
        (("", FAIL, None, None, FAIL), "of the first nothing can be said: does not import mxnet"),
        ((PASS, None, None, None, FAIL), "2 targets asked so far"),
    ],
)
def test_the_answer_in_words(words: tuple[str | None, ...], said: str) -> None:
    assert said in _bisected(*words).in_words


@pytest.mark.parametrize(
    ("words", "sure"),
    [
        ((PASS, None, PASS, FAIL, FAIL), True),
        ((PASS, "fail pass pass", FAIL, None, FAIL), False),  # it may be the one between
        (("", PASS, FAIL, None, FAIL), False),  # nobody knows of the first
        ((PASS, None, None, None, PASS), False),
    ],
)
def test_only_neighbours_are_sure(words: tuple[str | None, ...], sure: bool) -> None:
    study = _bisected(*words)
    assert (study.is_found, study.summary()["found"]) == (sure, sure)
    assert ("does not; of the first nothing can be said" in study.in_words) == (words[0] == "")


def _operators(*differences: tuple[str, ...], unrepeated: tuple[str, ...] = (), compared: int = 9) -> Operators:
    """An operator that differs so, each with its cases."""
    found = tuple(
        Difference("exp", kind, {"case": names[0]}, "how", len(names), names)
        for kind, *rest in differences
        if (names := tuple(rest))
    )
    known = Parity(found, (), (), compared, 1, (), (), (), unrepeated=unrepeated)
    study = Operators(TARGETS[0], TARGETS[1], ["exp"])
    study.__class__ = type("Known", (Operators,), {"parity": known})
    return study


@pytest.mark.parametrize(
    ("middle", "shown"),
    [
        (_operators(("is not finite", "exp(2)")), "yes"),
        (_operators(("is not finite", "exp(1)", "exp(2)")), "yes"),
        (_operators(("is not finite", "exp(1)")), "unknown"),  # it may have another cause
        (_operators(("other types or shapes", "exp(3)")), "no"),  # it is another question
        (_operators(), "no"),
        (_operators(unrepeated=("exp(2)",)), "unknown"),  # just what is asked for says nothing
        (_operators(unrepeated=("exp(4)",)), "no"),
        (_operators(compared=0), "unknown"),
    ],
)
def test_an_operator_has_to_differ_as_it_does_in_the_last(middle: Operators, shown: str) -> None:
    study = Bisect(Asked(TARGETS, operator="exp"))
    study.parts = {"02": middle, "04": _operators(("is not finite", "exp(2)"))}
    assert (study.shown("02"), study.shown("04")) == (shown, "yes")


def test_a_measure_is_asked_for_half_of_what_the_last_differs_by() -> None:
    study = Bisect(Asked(TARGETS, name="s", values=VALUES, measure="throughput", resolve=0.03))
    assert study._resolve == 0.03
    study.parts["04"] = _slower(study, "04", -0.2)
    middle = study.made("02")
    assert isinstance(middle, Compare)
    assert middle.question_.resolve == pytest.approx(0.1, abs=0.001)


@pytest.mark.parametrize(
    ("effect", "scatter", "shown"), [(-0.15, 10, "yes"), (-0.08, 15, "unknown"), (-0.07, 1, "no"), (0.0, 1, "no")]
)
def test_what_differs_by_less_than_half_does_not_show_it(effect: float, scatter: float, shown: str) -> None:
    study = Bisect(Asked(TARGETS, name="s", values=VALUES, measure="throughput", resolve=0.03))
    study.parts["04"] = _slower(study, "04", -0.2)
    study.parts["02"] = _slower(study, "02", effect, scatter)
    assert (study.shown("02"), study.shown("04")) == (shown, "yes")


def _slower(study: Bisect, key: str, effect: float, scatter: float = 1.0) -> Compare:
    """A part whose second side is slower by so much, in four pairs."""
    part = study.made(key)
    assert isinstance(part, Compare)
    for noise in (0.0, 0.001, -0.001, 0.002):
        both = {name: {"other": effect + scatter * noise} for name in ("throughput", "throughput_overall")}
        part.evidence.pairs.append(Pair("run", 1.0, both, {}))
    part.evidence.look(1.0, 1.0)
    return part


def test_what_scripts_are_told() -> None:
    body = _bisected(PASS, None, PASS, FAIL, FAIL).summary()
    assert (body["last_without"], body["first_with"]) == ("mxnet 1.7.0", "mxnet 1.8.0")
    assert [each["shows"] for each in body["targets"]] == ["no", "unknown", "no", "yes", "yes"]
    assert body["targets"][1]["because"] == "not asked"


def test_beside_the_first_the_first_shows_nothing() -> None:
    for asked in (Asked(TARGETS, operator="exp"), Asked(TARGETS, name="s", values=VALUES, measure="throughput")):
        study = Bisect(asked)
        assert [trial.key for trial in study.wanted()] == ["04"]
        assert study.shown("00") == "no"
        assert Bisect.asked(study.question, Path()).question == study.question


def test_parts_are_of_their_targets(tmp_path: Path) -> None:
    study = Bisect(OF_RUNS)
    study.folder = study_folder.create(tmp_path, "bisect", study.question)
    part = study.made("02")
    assert isinstance(part, Again)
    assert [trial.key for trial in part.wanted()] == ["run-1", "run-2", "run-3"]
    assert "mxnet: 1.7.0" in part.wanted()[0].text and "seed: 2" in part.wanted()[2].text
    assert Again.asked(part.question, tmp_path).question == part.question


def test_targets_that_have_no_order() -> None:
    with pytest.raises(InputError, match="nothing between"):
        Bisect(Asked(TARGETS[:1], operator="exp"))
    with pytest.raises(InputError, match="given twice"):
        Bisect(Asked((*TARGETS, TARGETS[1]), operator="exp"))
    assert tuple(sorted(bisect.RELEASED)) == bisect.RELEASED


def test_a_side_that_fails_is_not_slower() -> None:
    study = Bisect(Asked(TARGETS, name="s", values=VALUES, measure="throughput"))
    part = study.made("04")
    assert isinstance(part, Compare)
    part.broken = "other did not train to the end"
    study.parts["04"] = part
    assert (study.shown("04"), study.first) == ("unknown", ("00", None))
    assert "of the last one nothing can be said" in study.in_words


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (Parity((), (), (), 9, 1, (), (), ()), "no"),
        (Parity((), (), (), 0, 0, ("exp",), (), ()), "unknown"),
        (Parity((), (), (), 9, 1, (), (), (), ("exp",)), "unknown"),
        (Parity((), (), (), 9, 1, (), (), (), fickle=(Difference("exp", "crashes now and then", {}, ""),)), "unknown"),
        (Parity((), (), (), 0, 0, (), ("exp",), ()), "yes"),
    ],
)
def test_an_operator_that_was_not_compared_says_nothing(found: Parity, shown: str) -> None:
    study = Bisect(Asked(TARGETS, operator="exp"))
    part = study.made("04")
    part.__class__ = type("Known", (Operators,), {"parity": found})
    study.parts["04"] = part
    assert study.shown("04") == shown


def test_those_before_that_nobody_asked_are_named() -> None:
    """What came, went and came again is not found by halves."""
    assert _bisected(PASS, None, PASS, FAIL, FAIL).in_words.endswith(
        "taken to be without it, and not asked: mxnet 1.6.0"
    )
    assert "not asked" not in _bisected(PASS, PASS, FAIL, FAIL, FAIL).in_words
