"""Which passes a sweep of two targets needs; real ones are in `tests/e2e/test_operators.py`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harness.base.errors import DamagedRunError
from harness.execution.operator_process import Pass
from harness.execution.sweep import Sweep
from harness.scenario.schema import Target
from harness.studies import software
from harness.studies.operators import Operators, _hanging_first
from harness.studies.passes import AGAIN, DIFFERING, PASSES, words
from harness.studies.study import Trial
from harness.studies.study_folder import StudyFolder
from harness.studies.ways import WAYS
from harness.targets import resolve
from harness.targets.interpreter import Interpreter


def _passed(folder: Path, name: str, *cases: str, status: str = "ok") -> None:
    made = {"op": "LRN", "shapes": [], "kinds": [], "params": {}, "status": status, "outputs": [], "gradients": []}
    made |= {"message": "no"} if status == "error" else {}
    lines = [{**made, "case": case, "variant": case.split()[-1], "changed": {}} for case in cases]
    (folder / f"{name}.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in [*lines, *({"end": op} for op in ("LRN", "BatchNorm"))])
    )


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


def test_a_pass_that_lacks_what_it_was_asked_is_damaged_and_not_alike(tmp_path: Path) -> None:
    study = _study(tmp_path, first=("ok", "ok"))
    (tmp_path / "to.jsonl").write_text("")
    with pytest.raises(DamagedRunError, match=r"to\.jsonl is damaged: it lacks LRN, which was asked"):
        _ = study.parity
    (tmp_path / "to.names.json").write_text("{")
    with pytest.raises(DamagedRunError, match=r"to\.names\.json is damaged: .*; remove it"):
        study._names(Sweep(tmp_path, 1), Pass("to", Interpreter(Path("python")), {}, tmp_path / "to.jsonl"))


def test_what_was_given_up_is_asked_again_and_named_while_it_is(tmp_path: Path) -> None:
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1"), ["LRN"], files=False)
    study.folder = StudyFolder(tmp_path)
    for side in ("from", "to"):
        (tmp_path / f"{side}.names.json").write_text(json.dumps({"LRN": []}))
    for name in (*PASSES, *AGAIN[0]):
        _passed(tmp_path, name, "LRN(2n) base")
        unswept = {"unswept": "died"} if name == "from" else {}
        with (tmp_path / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps({"end": "LRN", **unswept}) + "\n")
    for name in PASSES:
        study.add(name, None, "")
    first = study._seen(PASSES)
    assert first is not None and first.unmatched == ("LRN",)
    assert [trial.key for trial in study.wanted()] == list(AGAIN[0])
    for name in AGAIN[0]:
        study.add(name, None, "")
    assert study.parity is not None and study.parity.unmatched == ()


def _study(
    tmp_path: Path, rounds: int = len(AGAIN), first: tuple[str, str] = ("crashed", "ok"), better: bool = True
) -> Operators:
    """Of which the first passes are made; the new target's process ended in a case, or the old one's."""
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1"), ["LRN"], files=False, rounds=rounds, better=better)
    study.folder = StudyFolder(tmp_path)
    for side in ("from", "to"):
        (tmp_path / f"{side}.names.json").write_text(json.dumps({"LRN": []}))
    _round(study, PASSES, *first)
    return study


def _round(study: Operators, passes: Sequence[str], new: str, old: str = "ok") -> None:
    assert study.folder is not None
    assert [trial.key for trial in study.wanted()] == list(passes)
    names = {side: {"LRN": list[str]()} for side in ("from", "to")}
    for name in passes:
        assert study._chosen(names, name) == (["LRN"] if "LRN" in study._only else [])
        usually = {"to": new, "from": old}[name.partition("-")[0]]
        status = "ok" if any(f"-{way.name}" in name for way in WAYS) else usually
        _passed(study.folder.path, name, "LRN(2n) base", status=status)
        study.add(name, None, "")


@pytest.mark.parametrize("ends_otherwise", range(len(AGAIN)))
def test_what_ends_processes_of_the_new_one_only_has_to_do_so_in_five_passes(
    tmp_path: Path, ends_otherwise: int
) -> None:
    study = _study(tmp_path)
    for number, passes in enumerate(AGAIN):
        _round(study, passes, "crashed", "crashed" if number == ends_otherwise else "ok")
        if number == ends_otherwise:
            break
    found = study.parity
    assert found is not None, "an operator that ends the old one's, too, is asked no further"
    assert (found.differences, found.fickle, found.unstable) == ((), (), ("LRN",))


@pytest.mark.parametrize("lives", range(len(AGAIN)))
def test_what_the_new_one_survives_once_is_asked_in_all_passes(tmp_path: Path, lives: int) -> None:
    study = _study(tmp_path)
    for number, passes in enumerate(AGAIN):
        _round(study, passes, "ok" if number == lives else "crashed")
    assert [trial.key for trial in study.wanted()] == ["now-and-then"]
    found = study._seen((*PASSES, *study._asked_again()))
    assert found is not None
    assert [(each.kind, each.how) for each in found.fickle] == [
        ("crashes now and then", "so in 4 of 5 passes, and never in the old one")
    ]


def test_where_it_does_it_is_a_difference(tmp_path: Path) -> None:
    study = _study(tmp_path)
    for passes in AGAIN:
        _round(study, passes, "crashed")
    found = study.parity
    assert found is not None
    assert found.differences[0].kind == "crashes"


@pytest.mark.parametrize(("better", "rounds"), [(True, len(AGAIN)), (False, DIFFERING)])
@pytest.mark.parametrize(("was", "kind"), [("error", "takes more"), ("crashed", "no longer crashes")])
def test_what_is_better_is_so_in_five_passes_and_was_in_three_of_older_studies(
    tmp_path: Path, was: str, kind: str, better: bool, rounds: int
) -> None:
    """To live may be luck as much as to end."""
    study = _study(tmp_path, first=("ok", was), better=better)
    for passes in AGAIN[:rounds]:
        _round(study, passes, "ok", was)
    found = study.parity
    assert found is not None
    assert (found.better[0].kind, found.differences) == (kind, ())


def test_what_lives_in_a_pass_of_the_old_one_is_not_better(tmp_path: Path) -> None:
    study = _study(tmp_path, first=("ok", "crashed"))
    for number, passes in enumerate(AGAIN):
        _round(study, passes, "ok", "ok" if number == DIFFERING else "crashed")
        if number == DIFFERING:
            break
    found = study.parity
    assert found is not None
    assert ("no longer crashes" in [each.kind for each in found.better], found.differences) == (False, ())


def test_studies_of_older_versions_asked_twice_more(tmp_path: Path) -> None:
    study = _study(tmp_path, rounds=DIFFERING)
    for passes in AGAIN[:DIFFERING]:
        _round(study, passes, "crashed")
    found = study.parity
    assert found is not None
    assert found.differences[0].kind == "crashes"
    asked = dict(study.question)
    assert (asked.pop("rounds"), asked.pop("better")) == (2, True)
    assert Operators.asked(asked, tmp_path).question == {**study.question, "better": False}


def test_what_only_one_of_them_has_is_not_called() -> None:
    """By the name that the first one calls it."""
    study = Operators(Target(mxnet="1.5.1.post0"), Target(mxnet="1.9.1"))
    names: dict[str, dict[str, list[str]]] = {
        "from": {"exp": [], "a": [], "gone": []},
        "to": {"exp": [], "b": ["a"], "new": []},
    }
    assert (study._chosen(names, "from"), study._chosen(names, "to")) == (["exp", "a"], ["exp", "a"])


def test_progress_names_passes_in_words() -> None:
    assert words("from") == "the old one"
    assert words("to-plain") == "the new one without oneDNN"
    assert words("to-naive-once-more") == "the new one on NaiveEngine, what differs, pass 3 of 5 at most"
    assert words("times-2") == "what calls take, pair 2 of 5 at most"
    assert words("files") == "files that the other one reads"
    asked = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1", env={"MXNET_ENGINE_TYPE": "NaiveEngine"}))
    assert words("from-naive", asked._ways) == "the old one once more", "that way is what is asked"
    assert words("from-plain", asked._ways) == "the old one without oneDNN"


Asked = dict[str, tuple[list[str], dict[str, Any], bool]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Of passes that a study runs: which operators, without which cases, and whether by forks."""
    told: Asked = {}

    def run(_: Sweep, given: Pass, operators: list[str], say: Any, deadly: dict[str, Any], forked: bool) -> bool:
        told[given.name] = operators, deadly, forked
        return True

    monkeypatch.setattr(Sweep, "run", run)
    monkeypatch.setattr(Sweep, "names", lambda *_: {"BatchNorm": [], "LRN": []})
    monkeypatch.setattr(resolve, "interpreter", lambda *_: Interpreter(Path("python")))
    monkeypatch.setattr(software, "require_unchanged", lambda *_: None)
    return told


def _run(study: Operators, *names: str) -> None:
    assert study.folder is not None
    list(study.run([Trial(name) for name in names], study.folder, cast(Any, SimpleNamespace(signal=None)), 1))


@pytest.mark.parametrize(
    ("forks", "target"),
    [
        (True, {}),
        (True, {"env": {"MXNET_MKLDNN_ENABLED": "0"}}),
        (False, {"env": {"OMP_NUM_THREADS": "4"}}),
        (False, {"env": {"MXNET_CPU_WORKER_NTHREADS": "2"}}),
        (False, {"cuda": "11"}),
    ],
)
def test_some_passes_fork_and_none_where_a_fork_would_not_heed_what_is_asked(
    forks: bool, target: dict[str, Any], tmp_path: Path, asked: Asked
) -> None:
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1", **target))
    study.folder = StudyFolder(tmp_path)
    every = (*PASSES, *(name for passes in AGAIN for name in passes))
    for name in every:
        _passed(tmp_path, name, "LRN(2n) base")
        study.add(name, None, "")
    _run(study, *every)
    ones = {*PASSES, *AGAIN[1], *AGAIN[2]}
    assert {name: told[2] for name, told in asked.items()} == {name: forks and name in ones for name in every}


def test_both_are_asked_the_same_though_a_process_of_one_ended(tmp_path: Path, asked: Asked) -> None:
    """What one was not asked on NaiveEngine, as it died of it once, changed what became of later cases, each time."""
    study = Operators(Target(mxnet="1.9.1"), Target(mxnet="1.9.1"))
    study.folder = StudyFolder(tmp_path)
    _passed(tmp_path, "from", "LRN(2n) base")
    _passed(tmp_path, "to", "LRN(2n) base", status="hung")
    _run(study, "from-naive", "to-naive")
    told = ["LRN", "BatchNorm"], {"LRN": {"LRN(2n) base": "hung"}}, True
    assert asked == {"from-naive": told, "to-naive": told}


def test_what_hung_before_comes_first_as_it_takes_longest() -> None:
    assert _hanging_first(["a", "LRN", "b"], {"LRN": {"LRN(2n) base": "hung"}}) == ["LRN", "a", "b"]
    assert _hanging_first(["a", "LRN", "b"], {"LRN": {"LRN(2n) base": "crashed"}}) == ["a", "LRN", "b"]
