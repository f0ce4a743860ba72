"""What differs between two passes, and what says nothing."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from harness.studies.parity import Parity, Swept, filled, parity

NAMES: dict[str, list[str]] = {"op": ["alias"]}


def _array(*values: float, dtype: str = "float32") -> dict[str, Any]:
    held = np.array(values, dtype)
    return {"dtype": dtype, "shape": list(held.shape), "data": base64.b64encode(held.tobytes()).decode()}


def _ok(*values: float, dtype: str = "float32", gradient: float = 1.0, changed: float | None = None) -> dict[str, Any]:
    after = {} if changed is None else {"0": _array(changed)}
    return {
        "status": "ok",
        "outputs": [_array(*values, dtype=dtype)],
        "gradients": [_array(gradient)],
        "changed": after,
    }


ERROR = {"status": "error", "message": "MXNetError: no"}
CRASH = {"status": "crashed", "signal": 11}
HANG = {"status": "hung", "signal": None}


def _parity(old: Any, new: Any, old_again: Any = None, new_again: Any = None) -> Parity:
    made = {
        "case": "op(2x3n) base",
        "op": "op",
        "shapes": [[2, 3]],
        "kinds": ["normal"],
        "params": {},
        "variant": "base",
    }
    each = [{made["case"]: {**made, **case}} for case in (old, old_again or old, new, new_again or new)]
    return parity(Swept(each[0], [each[1]]), Swept(each[2], [each[3]]), (NAMES, NAMES))


@pytest.mark.parametrize(
    ("old", "new", "kind", "how"),
    [
        (_ok(1.0), CRASH, "crashes", "the process ends by signal 11"),
        (ERROR, CRASH, "crashes", "the process ends by signal 11"),
        (_ok(1.0), HANG, "hangs", "no answer after 10 s"),
        (_ok(1.0, 2.0), _ok(1.0, float("nan")), "is not finite", "output 0: 2 is nan, at 1"),
        (_ok(1.0, 2.0), _ok(1.0, 2.001), "other values", "output 0: 2 is 2.001, at 1"),
        (_ok(float("inf")), _ok(float("-inf")), "other values", "output 0: inf is -inf, at 0"),
        (_ok(float("nan")), _ok(3.0), "other values", "output 0: nan is 3, at 0"),
        (_ok(7, dtype="int32"), _ok(8, dtype="int32"), "other values", "output 0: 7 is 8, at 0"),
        (_ok(1.0, gradient=1.0), _ok(1.0, gradient=2.0), "other gradients", "gradient 0: 1 is 2, at 0"),
        (_ok(1.0, changed=2.0), _ok(1.0, changed=3.0), "other arguments afterwards", "argument 0: 2 is 3, at 0"),
        (_ok(1.0, changed=2.0), _ok(1.0), "other arguments afterwards", "arguments 0 were changed, now none"),
        (_ok(1.0), _ok(1.0, dtype="float64"), "other types or shapes", "output 0: float32 (1,) is float64 (1,)"),
        (_ok(1.0), ERROR, "refuses", "MXNetError: no"),
    ],
)
def test_each_kind_of_difference_is_told(old: Any, new: Any, kind: str, how: str) -> None:
    (found,) = _parity(old, new).differences
    assert (found.op, found.kind, found.how, found.cases) == ("op", kind, how, 1)
    assert found.case["shapes"] == [[2, 3]]


@pytest.mark.parametrize(
    ("old", "new", "compared"),
    [
        (_ok(1.0, 2.0), _ok(1.0, 2.0), 1),
        (_ok(1000.0, 2.0), _ok(1000.0, 2.05), 1),  # rounding of sums whose largest is a thousand
        (_ok(float("nan"), float("inf")), _ok(float("nan"), float("inf")), 1),
        (ERROR, {"status": "error", "message": "said otherwise"}, 0),
        (CRASH, CRASH, 0),
    ],
)
def test_what_is_alike_but_for_rounding_and_words_is_no_difference(old: Any, new: Any, compared: int) -> None:
    found = _parity(old, new)
    assert (found.differences, found.better, found.compared) == ((), (), compared)


def test_what_is_not_survived_each_time_is_told_of_the_new_one_alone() -> None:
    (found,) = _parity(_ok(1.0), _ok(1.0), new_again=CRASH).fickle
    assert (found.op, found.kind) == ("op", "crashes now and then")
    assert found.how == "so in 1 of 2 passes, and never in the old one"
    assert _parity(_ok(1.0), _ok(1.0), old_again=CRASH, new_again=CRASH).fickle == ()
    assert _parity(_ok(1.0), CRASH).fickle == (), "it has its row"
    assert _parity(CRASH, CRASH, old_again=ERROR, new_again=_ok(1.0)).fickle == (), "neither does the old one"


def test_an_operator_whose_values_vary_may_still_never_have_ended_its_process() -> None:
    def swept(first: Any, again: Any) -> Swept:
        made = {"op": "op", "kinds": [], "params": {}, "variant": "base"}
        each = [
            {f"op({n})": {**made, "case": f"op({n})", **one} for n, one in enumerate(cases)} for cases in (first, again)
        ]
        return Swept(each[0], [each[1]])

    varies, steady = ([_ok(1.0), _ok(2.0)], [_ok(1.0), _ok(3.0)]), ([_ok(1.0), _ok(2.0)], [_ok(1.0), _ok(2.0)])
    crashed, other = ([_ok(1.0), _ok(2.0)], [CRASH, _ok(2.0)]), ([_ok(1.0), _ok(2.0)], [_ok(9.0), _ok(2.0)])
    for old, new, kinds in (
        (varies, crashed, ["crashes now and then"]),
        (crashed, crashed, []),
        (varies, other, []),
        (steady, other, ["does not repeat itself"]),
    ):
        found = parity(swept(*old), swept(*new), (NAMES, NAMES))
        assert [each.kind for each in found.fickle] == kinds


def test_one_chance_death_of_the_old_one_hides_no_other_values() -> None:
    def swept(*passes: Any) -> Swept:
        made = {"case": "op()", "op": "op", "kinds": [], "params": {}, "variant": "base"}
        first, *again = ({"op()": {**made, **each}} for each in passes)
        return Swept(first, again)

    was, now = _ok(1.0), _ok(2.0)
    for old, new, kinds in (
        ((was, CRASH, was, was, was), (now, now, now, now, now), ["other values"]),
        ((CRASH, was), (now, now), ["other values"]),  # so that it is asked again
        ((was, CRASH, was, was, was), (was, was, was, was, was), []),
        ((was, CRASH, was, _ok(3.0), was), (now, now, now, now, now), []),
        ((was, CRASH, CRASH, CRASH, was), (now, now, now, now, now), []),
    ):
        found = parity(swept(*old), swept(*new), (NAMES, NAMES))
        assert [each.kind for each in found.differences] == kinds


@pytest.mark.parametrize(
    ("new", "again", "kind"),
    [
        (_ok(1.0), HANG, "hangs now and then"),
        (HANG, _ok(1.0), "hangs now and then"),
        (_ok(float("nan")), _ok(1.0), "does not repeat itself"),
        (_ok(5.0), _ok(7.0), "does not repeat itself"),
        (ERROR, _ok(1.0), "does not repeat itself"),
    ],
)
def test_what_only_the_new_one_does_now_and_then(new: Any, again: Any, kind: str) -> None:
    found = _parity(_ok(1.0), new, new_again=again)
    assert (found.differences, [each.kind for each in found.fickle]) == ((), [kind])


@pytest.mark.parametrize(
    ("new", "kind"), [(CRASH, "crashes"), (HANG, "hangs"), (ERROR, "refuses")], ids=["crash", "hang", "error"]
)
def test_what_never_works_is_told_though_the_old_ones_values_vary(new: Any, kind: str) -> None:
    found = _parity(_ok(1.0), new, old_again=_ok(2.0))
    assert [(each.kind, each.cases) for each in found.differences] == [(kind, 1)]
    assert (found.unstable, found.compared) == (("op",), 0)


def test_where_processes_end_now_and_then_other_values_do_not_count() -> None:
    """Of an operator whose values vary in both: it ended its process once, and twice it came to other values."""
    made = {"case": "op() base", "op": "op", "shapes": [], "kinds": [], "params": {}, "variant": "base"}
    old = [{"op() base": {**made, **_ok(value)}} for value in (1.0, 2.0, 3.0)]
    new = [{"op() base": {**made, **case}} for case in (_ok(4.0), CRASH, _ok(5.0))]
    (each,) = parity(Swept(old[0], old[1:]), Swept(new[0], new[1:]), (NAMES, NAMES)).fickle
    assert (each.kind, each.cases) == ("crashes now and then", 1)
    assert each.how == "so in 1 of 3 passes, and never in the old one"


@pytest.mark.parametrize("old", [ERROR, CRASH], ids=["refused", "crashed"])
def test_what_works_now_and_then_and_never_did_is_no_reason(old: Any) -> None:
    again = _ok(2.0) if old is ERROR else old
    assert _parity(old, _ok(1.0), new_again=again).fickle == ()


def test_what_stands_for_another_pass_is_not_counted_again() -> None:
    case = {"op": "op", "case": "op() base", **CRASH}
    swept = Swept({"op() base": case}, [{"op() base": case}, {"op() base": {**case, **_ok(1.0)}}])
    assert len(swept.every("op() base")) == 2


def test_whole_numbers_that_are_not_kept_count_by_their_digest() -> None:
    def large(digest: str, dtype: str) -> dict[str, Any]:
        written = {**_array(1, 2, dtype=dtype), "shape": [4096], "sha256": digest}
        return {**_ok(1.0), "outputs": [written]}

    (found,) = _parity(large("a", "int32"), large("b", "int32")).differences
    assert (found.kind, found.how) == ("other values", "output 0: of 4096 values some of those that are not kept")
    assert _parity(large("a", "float32"), large("b", "float32")).differences == (), "it may be rounding"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [(CRASH, _ok(1.0), "no longer crashes"), (HANG, ERROR, "no longer hangs"), (ERROR, _ok(1.0), "takes more")],
)
def test_what_is_better_is_told_and_is_no_difference(old: Any, new: Any, kind: str) -> None:
    found = _parity(old, new)
    assert (found.differences, [each.kind for each in found.better]) == ((), [kind])


@pytest.mark.parametrize("again", [{"old_again": _ok(3.0)}, {"new_again": ERROR}])
def test_what_does_not_repeat_itself_says_nothing(again: Any) -> None:
    found = _parity(_ok(1.0), _ok(2.0), **again)
    assert (found.differences, found.unstable, found.compared) == ((), ("op",), 0)


def test_operators_that_are_gone_or_new_are_named_and_those_that_nothing_is_known_of() -> None:
    made = {"case": "op() base", "op": "op", **ERROR}
    each = {"op() base": made}
    found = parity(Swept(each), Swept(each), ({"op": ["alias"], "old": []}, {"op": [], "new": []}))
    assert (found.gone, found.new, found.untaken) == (("alias", "old"), ("new",), ("op",))


def test_what_does_not_repeat_itself_is_left_out_of_operators_that_were_asked_again() -> None:
    made = {
        "case": "op(2x3n) base",
        "op": "op",
        "shapes": [[2, 3]],
        "kinds": ["normal"],
        "params": {},
        "variant": "base",
    }
    name, old, new = made["case"], {**made, **_ok(1.0)}, {**made, **_ok(2.0)}
    first, names = Swept({name: old}), (NAMES, NAMES)
    assert [each.kind for each in parity(first, Swept({name: new}), names).differences] == ["other values"]
    again = Swept({name: new}, [{name: new}, {name: {**made, **_ok(3.0)}}])
    assert parity(first, again, names).differences == ()
    assert parity(first, again, names).unstable == ("op",)
    others = Swept({name: new}, [{"other() base": {**new, "case": "other() base", "op": "other"}}])
    assert len(parity(first, others, names).differences) == 1
    elsewhere = Swept({name: new}, [{"op(3n) base": {**new, "case": "op(3n) base"}}])  # asked again, without this case
    assert parity(first, elsewhere, names).unstable == ("op",)


def test_cases_without_a_counterpart_are_named() -> None:
    made = {"case": "op(a) base", "op": "op", "shapes": [], "kinds": [], "params": {}, "variant": "base", **_ok(1.0)}
    found = parity(Swept({"op(a) base": made}), Swept({}), (NAMES, NAMES))
    assert (found.unmatched, found.compared) == (("op",), 0)
    assert parity(Swept({"op(a) base": {**made, **ERROR}}), Swept({}), (NAMES, NAMES)).unmatched == ()
    gone = parity(Swept({"op(a) base": made}), Swept({}), (NAMES, {}))
    assert (gone.unmatched, gone.gone) == ((), ("alias", "op"))


def test_what_worked_once_by_luck_and_was_never_asked_of_the_other_is_no_missing_case() -> None:
    """A first call that reads memory which nobody wrote: where it ends its process, no further ones are made."""
    case = {"op": "op", "shapes": [], "kinds": [], "params": {}}
    base, other = ({"case": name, **case} for name in ("op(a) base", "op(a) int8"))
    crashed = {"op(a) base": {**base, **CRASH}}
    worked = {"op(a) base": {**base, **_ok(1.0)}, "op(a) int8": {**other, **_ok(1.0)}}
    found = parity(Swept(worked), Swept(crashed), (NAMES, NAMES))
    assert (found.unmatched, found.unstable) == (("op",), ()), "until it is asked again"
    found = parity(Swept(worked, [crashed]), Swept(crashed, [crashed]), (NAMES, NAMES))
    assert (found.unmatched, found.unstable, found.differences) == ((), ("op",), ())
    always = parity(Swept(worked, [worked]), Swept(crashed, [crashed]), (NAMES, NAMES))
    assert (always.unmatched, [each.kind for each in always.differences]) == (("op",), ["crashes"])
    gone = parity(Swept(worked, [crashed]), Swept({}), (NAMES, {}))
    assert (gone.unmatched, gone.unstable) == ((), ())


def test_what_a_pass_was_never_asked_is_known_from_the_next_one() -> None:
    """And what it was asked stays, so that a process that ended now and then is told."""
    case = {"op": "op", "shapes": [], "kinds": [], "params": {}}
    names = ("op(a) base", "op(a) int8")
    old, again = ({name: {**case, "case": name, **_ok(1.0)} for name in names} for _ in range(2))
    new = filled({names[0]: {**case, "case": names[0], **CRASH}}, [again])
    found = parity(Swept(old), new, (NAMES, NAMES))
    assert (found.unmatched, found.compared, found.unrepeated) == ((), 1, ("op(a) base",))
    assert [(each.kind, each.case["case"]) for each in found.fickle] == [("crashes now and then", "op(a) base")]


def test_of_large_arrays_what_is_not_finite_is_counted_and_small_values_matter() -> None:
    large = {**_array(1.0, 2.0), "sha256": "a", "not_finite": 0}
    odd = {**large, "sha256": "b", "not_finite": 3}
    one, other = ({"status": "ok", "outputs": [each], "gradients": [], "changed": {}} for each in (large, odd))
    (found,) = _parity(one, other).differences
    assert (found.kind, found.how) == ("is not finite", "output 0: 0 values are not finite, now 3")
    assert [each.kind for each in _parity(_ok(1e-3), _ok(0.0)).differences] == ["other values"]
    assert _parity(_ok(1e-9), _ok(0.0)).differences == ()


def _named(name: str, **became: Any) -> dict[str, Any]:
    return {"case": name, "op": "op", "shapes": [], "kinds": [], "params": {}, "variant": "base", **became}


def test_an_operator_that_always_dies_of_one_case_may_not_die_of_another_now_and_then() -> None:
    def once(**became: Any) -> dict[str, Any]:
        return {"op(0n) base": _named("op(0n) base", **CRASH), "op(a) base": _named("op(a) base", **became)}

    lives = [once(**_ok(1.0)) for _ in range(4)]
    dies = [once(**CRASH) for _ in range(3)]
    new = Swept(dies[0], [dies[1], lives[3]])
    found = parity(Swept(lives[0], lives[1:3]), new, (NAMES, NAMES))
    assert [(each.case["case"], each.cases) for each in found.fickle] == [("op(a) base", 2)]
    assert parity(Swept(lives[0], [lives[1], dies[2]]), new, (NAMES, NAMES)).fickle == (), "so is luck"


def test_of_an_operators_cases_the_one_that_dies_most_is_told() -> None:
    names = ("op(a) base", "op(b) base")
    lives = [{name: _named(name, **_ok(1.0)) for name in names} for _ in range(4)]
    one = {**lives[0], names[1]: _named(names[1], **CRASH)}
    both = {name: _named(name, **CRASH) for name in names}
    found = parity(Swept(lives[1], lives[2:]), Swept(both, [one, lives[0]]), (NAMES, NAMES))
    assert [(each.case["case"], each.cases) for each in found.fickle] == [("op(b) base", 2)]


@pytest.mark.parametrize(
    ("one", "other", "repeats"),
    [
        (_ok(3.062e-41), _ok(3.093e-41), False),
        (_ok(1.0, 0.0), _ok(1.0, 4.56e-41), False),
        (_ok(1.0, gradient=3.062e-41), _ok(1.0, gradient=3.093e-41), False),
        (_ok(1.0, changed=3.062e-41), _ok(1.0, changed=3.093e-41), False),
        (_ok(6.9e-310, dtype="float64"), _ok(6.8e-310, dtype="float64"), False),
        (_ok(3.062e-41), _ok(3.062e-41), True),
        (_ok(1.0, 1e-9), _ok(1.0, 3e-9), True),
        (_ok(2.0e-5, dtype="float16"), _ok(2.1e-5, dtype="float16"), True),
        (_ok(float("nan")), _ok(float("nan")), True),
        (CRASH, CRASH, True),
    ],
)
def test_numbers_below_the_normal_ones_have_to_come_again_to_the_bit(one: Any, other: Any, repeats: bool) -> None:
    """Addresses in memory that nobody wrote look like that; what is left of sums that cancel does not."""
    named = [{"op(1n) base": {"op": "op", "case": "op(1n) base", **each}} for each in (one, other)]
    assert Swept(named[0], [named[1]]).repeats("op(1n) base") is repeats
