from __future__ import annotations

import pytest

from harness.base.errors import ScenarioError
from harness.scenario import document, overrides

TEXT = "a: {b: 1, c: [x, y]}\nd: word\n"


def _applied(*options: str) -> object:
    parsed = document.parse(TEXT, "f.yaml")
    return overrides.apply(parsed, [overrides.from_option(option) for option in options]).values


def test_values_are_read_as_yaml() -> None:
    assert overrides.from_option("a.b=64") == ("a.b", 64)
    assert overrides.from_option("a.b={x: 1s}") == ("a.b", {"x": "1s"})
    assert overrides.from_option("a.b=") == ("a.b", None)
    assert overrides.from_option("a.b=x=y") == ("a.b", "x=y")


def test_fields_are_changed_and_maps_made_where_there_are_none() -> None:
    assert _applied("a.b=2", "a.c.1=z", "e.f.g=3") == {
        "a": {"b": 2, "c": ["x", "z"]},
        "d": "word",
        "e": {"f": {"g": 3}},
    }


def test_the_original_stays_as_it_was() -> None:
    parsed = document.parse(TEXT, "f.yaml")
    overrides.apply(parsed, [("a.b", 2)])
    assert parsed.values == {"a": {"b": 1, "c": ["x", "y"]}, "d": "word"}


def test_what_is_set_within_a_map_that_was_set_stays_there() -> None:
    """Else a side of a comparison would change the scenario of all."""
    parsed, whole = document.parse(TEXT, "f.yaml"), ("e", {"f": 1})
    first = overrides.apply(parsed, [whole])
    assert overrides.apply(parsed, [whole, ("e.f", 2)]).values["e"] == {"f": 2}
    assert (first.values["e"], whole) == ({"f": 1}, ("e", {"f": 1}))


def test_the_place_of_a_changed_field_is_the_option() -> None:
    changed = overrides.apply(document.parse(TEXT, "f.yaml"), [("a.b", 2)])
    assert changed.place(("a", "b")) == "--set a.b=2"
    assert changed.place(("a", "c")) == "f.yaml:1:11"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("a.b", "--set a.b: write a path, an equals sign and a value"),
        ("=3", "--set =3: write a path"),
        ("a.c.7=z", "a.c.7: there is no entry 7; the list has 2"),
        ("a.c.x=z", "a.c.x: there is no entry x; the list has 2"),
        ("a.b=[", "--set a.b=[:1:2: not YAML"),
    ],
)
def test_what_cannot_be_set(option: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        _applied(option)
    assert message in str(caught.value)
