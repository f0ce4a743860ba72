"""What decides numbers, and what differs between two nights."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.studies.tracked import Change, Tracked, changes

VALUES: dict[str, Any] = {
    "title": "a question",
    "tags": ["asv"],
    "target": {"mxnet": "1.9.1", "env": {"OMP_NUM_THREADS": "1"}},
    "workload": {"model": "mlp", "steps": 100, "optimizer": {"name": "sgd", "learning_rate": 0.1}},
    "expect": {"outcome": "completed"},
}
NOW = Tracked(VALUES, {"": {"mxnet": "1.9.1", "numpy": "1.23.5"}}, "", "0.1 abc")


def _with(**values: Any) -> Tracked:
    return replace(NOW, values={**VALUES, **values})


def test_what_is_asked_of_numbers_is_no_part_of_their_software() -> None:
    assert _with(title="another", tags=[]).fingerprint == NOW.fingerprint
    assert _with(expect={}).fingerprint != NOW.fingerprint
    assert changes(_with(expect={}, repeat=3), NOW, "") == []
    assert _with(workload={**VALUES["workload"], "steps": 101}).fingerprint != NOW.fingerprint
    assert replace(NOW, files="train.py@1").fingerprint != NOW.fingerprint
    assert replace(NOW, packages={"": {"mxnet": "1.9.1"}}).fingerprint != NOW.fingerprint


def test_each_field_that_differs_is_a_change_of_its_own() -> None:
    optimizer = {"name": "sgd", "learning_rate": 0.2}
    then = _with(target={"mxnet": "1.9.1"}, workload={**VALUES["workload"], "optimizer": optimizer})
    found = changes(then, NOW, "")
    assert found == [
        Change("field", "target.env", None, {"OMP_NUM_THREADS": "1"}),
        Change("field", "workload.optimizer.learning_rate", 0.2, 0.1),
    ]
    assert str(found[1]) == "scenario workload.optimizer.learning_rate: 0.2 → 0.1"


def test_packages_files_and_the_harness_are_told_in_words() -> None:
    then = replace(NOW, packages={"": {"mxnet": "1.9.1", "numpy": "1.22.0"}}, files="train.py@1", harness="0.0 abc")
    assert [str(change) for change in changes(then, NOW, "")] == [
        "packages of the target: numpy 1.22.0 → 1.23.5",
        "the script's files (train.py@1 → none)",
        "the harness: 0.0 abc → 0.1 abc",
    ]


def test_another_version_is_one_change_with_all_its_packages() -> None:
    then = replace(_with(target={"mxnet": "1.8.0.post0"}), packages={"": {"mxnet": "1.8.0.post0"}})
    assert [change.name for change in changes(then, NOW, "")] == ["target.mxnet", "target.env"]


def test_a_script_that_only_moved_is_the_same() -> None:
    one, other = ({**VALUES["workload"], "script": place} for place in ("a/train.py", "b/train.py"))
    assert changes(_with(workload=one), _with(workload=other), "") == []


def test_an_arm_has_its_variants_fields() -> None:
    both = _with(variants={"slow": {"workload.steps": 7, "target.python": "/p"}, "plain": {}})
    assert both.arm("slow")["workload"]["steps"] == 7
    assert both.arm("slow")["target"]["mxnet"] is None
    assert both.arm("plain") == NOW.arm("")
    assert "expect" not in both.arm("slow")


def test_what_is_the_same_for_all_sides_cannot_differ_between_them() -> None:
    assert not Change("field", "workload.steps", 1, 2).is_possible
    assert not Change("field", "seed", 1, 2).is_possible
    assert not Change("harness", "harness").is_possible
    assert Change("field", "workload.batch_size", 1, 2).is_possible
    assert Change("files", "a").is_possible


def test_what_older_nights_did_not_say_of_a_library_is_no_change() -> None:
    then, now = (Tracked({}, {"": {"mxnet": "2.0.0", **more}}) for more in ({}, {"libmxnet.so": "abc"}))
    assert changes(then, now, "") == []
    other = Tracked({}, {"": {"mxnet": "2.0.0", "libmxnet.so": "def"}})
    assert [str(each) for each in changes(now, other, "")] == ["packages of the target: libmxnet.so abc → def"]
