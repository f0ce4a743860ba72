"""What a target computes otherwise in another way, and who is to blame for it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from harness.studies.parity import Difference, Parity, Swept, parity
from harness.studies.unlike import Case
from harness.studies.ways import WAYS, as_usual, with_ways

NAME = "op(2x3n) base"
NOTHING = Parity((), (), (), 1, 1, (), (), ())


def _case(value: float, name: str = NAME) -> dict[str, Case]:
    held = base64.b64encode(np.array([value], "float32").tobytes()).decode()
    output = {"dtype": "float32", "shape": [1], "data": held}
    made: dict[str, Any] = {"case": name, "op": name.partition("(")[0], "status": "ok", "variant": "base"}
    return {name: {**made, "outputs": [output], "gradients": [], "changed": {}}}


def _target(usual: float, naive: float, again: Mapping[str, float] | None = None) -> Mapping[str, Swept]:
    """What one makes of a case; ``again``: of the same once more, by the name of the way."""
    known = {way: _case(value) for way, value in (again or {}).items()}
    return {
        "": Swept(_case(usual), [known.get("", {})]),
        "naive": Swept(_case(naive), [known.get("naive", {})]),
    }


def test_what_the_new_target_alone_computes_otherwise_speaks_against_it() -> None:
    (told,) = with_ways(NOTHING, _target(1.0, 1.0), _target(1.0, 2.0)).differences
    assert (told.op, told.kind, told.how) == ("op", "otherwise on NaiveEngine", "output 0: 1 is 2, at 0")
    assert (told.cases, told.case["env"]) == (1, {"MXNET_ENGINE_TYPE": "NaiveEngine"})


def test_what_the_old_target_alone_did_is_better_now() -> None:
    found = with_ways(NOTHING, _target(1.0, 2.0), _target(1.0, 1.0))
    assert (found.differences, [each.kind for each in found.better]) == ((), ["no longer otherwise on NaiveEngine"])


def test_what_both_do_is_told_and_is_no_difference() -> None:
    found = with_ways(NOTHING, _target(1.0, 2.0), _target(1.0, 2.0))
    assert (found.differences, found.better, found.otherwise) == ((), (), ("op otherwise on NaiveEngine",))


def test_what_both_do_each_in_its_own_way_speaks_against_the_new_one() -> None:
    (told,) = with_ways(NOTHING, _target(1.0, 2.0), _target(1.0, 3.0)).differences
    assert (told.kind, told.how) == ("otherwise on NaiveEngine", "output 0: 2 is 3, at 0")
    assert with_ways(NOTHING, _target(1.0, 2.0), _target(5.0, 3.0)).differences == (), "it has its row"


def test_what_both_do_and_the_new_one_does_better_is_no_difference() -> None:
    ends, refuses = ({NAME: {**_case(1.0)[NAME], "status": word, "message": "no"}} for word in ("crashed", "error"))
    old: Mapping[str, Swept] = {**_target(1.0, 1.0), "naive": Swept(ends, [ends])}
    new: Mapping[str, Swept] = {**_target(1.0, 1.0), "naive": Swept(refuses, [refuses])}
    found = with_ways(NOTHING, old, new)
    assert (found.differences, [each.kind for each in found.better]) == ((), ["no longer otherwise on NaiveEngine"])
    (told,) = with_ways(NOTHING, new, old).differences
    assert (told.kind, told.how) == ("otherwise on NaiveEngine", "the process ends")


def test_what_a_way_changes_is_not_now_and_then() -> None:
    fickle = replace(NOTHING, fickle=(Difference("op", "does not repeat itself", _case(2.0)[NAME], ""),))
    assert with_ways(fickle, _target(1.0, 1.0), _target(1.0, 2.0)).fickle == ()
    assert with_ways(fickle, _target(1.0, 1.0), _target(1.0, 1.0)).fickle == fickle.fickle
    crash = replace(NOTHING, fickle=(Difference("op", "crashes now and then", _case(2.0)[NAME], ""),))
    assert with_ways(crash, _target(1.0, 1.0), _target(1.0, 2.0)).fickle == crash.fickle


@pytest.mark.parametrize(("plain", "how"), [(1.0, "it is 2; without oneDNN it is as it was"), (2.0, "it is 2")])
def test_of_what_differs_anyway_it_is_told_whether_it_does_without_onednn(plain: float, how: str) -> None:
    difference = Difference("op", "other values", _case(2.0)[NAME], "it is 2")
    old, new = ({**_target(usual, usual), "plain": Swept(_case(by))} for usual, by in ((1.0, 1.0), (2.0, plain)))
    found = with_ways(replace(NOTHING, differences=(difference,)), old, new)
    assert ([each.how for each in found.differences], found.otherwise, found.better) == ([how], (), ())


def test_what_an_engine_changes_says_nothing_of_targets() -> None:
    """As what lies in memory that nobody wrote: it comes again in one engine, and not in the other."""
    old, new = _target(1.0, 3.0), _target(2.0, 2.0)
    found = parity(as_usual(old), as_usual(new), ({}, {}))
    assert (found.differences, found.unstable) == ((), ("op",))
    assert [each.kind for each in with_ways(found, old, new).better] == ["no longer otherwise on NaiveEngine"]
    assert parity(as_usual(_target(1.0, 1.0)), as_usual(new), ({}, {})).differences


@pytest.mark.parametrize("naive", [{NAME: {**_case(1.0)[NAME], "status": "crashed", "signal": 6}}, {}])
def test_what_naive_engine_does_not_survive_hides_no_difference(naive: Mapping[str, Case]) -> None:
    old = {**_target(1.0, 1.0), "naive": Swept(naive)}
    found = parity(as_usual(old), as_usual(_target(2.0, 2.0)), ({}, {}))
    assert ([each.kind for each in found.differences], found.unstable) == (["other values"], ())


def test_rounding_is_no_difference() -> None:
    assert with_ways(NOTHING, _target(1.0, 1.0), _target(1.0, 1.00001)) == NOTHING


@pytest.mark.parametrize("again", [{"": 3.0}, {"naive": 3.0}])
def test_what_does_not_repeat_itself_says_nothing(again: Mapping[str, float]) -> None:
    assert with_ways(NOTHING, _target(1.0, 1.0), _target(1.0, 2.0, again)) == NOTHING


def test_what_lies_in_memory_that_nobody_wrote_is_no_difference() -> None:
    """Of `_contrib_index_copy` beyond its array: by luck the same in all passes of the new one, and as good as zero."""
    old = _target(3.062e-41, 4.562e-41, {"": 3.093e-41, "naive": 4.579e-41})
    new = _target(7.316e34, 0.0, {"": 7.316e34, "naive": 0.0})
    assert with_ways(NOTHING, old, new).differences == ()
    steady = _target(3.062e-41, 3.062e-41, {"": 3.062e-41, "naive": 3.062e-41})
    assert len(with_ways(NOTHING, steady, new).differences) == 1, "what is computed has the same bits"


def test_a_case_that_the_old_target_was_not_asked_in_that_way_says_nothing() -> None:
    old = {**_target(1.0, 1.0), "naive": Swept({})}
    assert with_ways(NOTHING, old, _target(1.0, 2.0)) == NOTHING


def test_without_onednn_only_what_has_code_for_it_is_asked() -> None:
    (_, plain) = WAYS
    assert plain.matters_to("Convolution") and plain.matters_to("gluon.nn.Conv2D")
    assert plain.matters_to("_contrib_quantize_v2")
    assert not plain.matters_to("topk") and not plain.matters_to("softmax_cross_entropy")


def test_what_differs_and_has_no_row_is_named() -> None:
    """As the old one does not come to the same on NaiveEngine: by memory that nobody wrote, most likely."""
    old, new = _target(1.0, 1.5), _target(2.0, 2.5)
    names: tuple[dict[str, list[str]], dict[str, list[str]]] = ({"op": []}, {"op": []})
    plain = parity(as_usual(old), as_usual(new), names)
    found = with_ways(plain, old, new)
    assert (found.differences, found.untold) == ((), ("op",))
    old, new = _target(1.0, 1.0), _target(2.0, 2.0)
    rowed = with_ways(parity(as_usual(old), as_usual(new), names), old, new)
    assert ([each.kind for each in rowed.differences], rowed.untold) == (["other values"], ())
