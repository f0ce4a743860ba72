from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import ScenarioError
from harness.scenario import document


def test_numbers_with_an_exponent_are_numbers() -> None:
    text = "a: 1e-3\nb: -2E5\nc: 1.0e-3\nd: '1e-3'\ne: 1e\nf: e3\ng: 0x1e3"
    assert document.parse(text, "x").values == {
        "a": 0.001, "b": -200000.0, "c": 0.001, "d": "1e-3", "e": "1e", "f": "e3", "g": 483,
    }  # fmt: skip


def test_values_and_their_places() -> None:
    parsed = document.parse("a: 1\nb:\n  - c: two\n  - 3.5\n", "f.yaml")
    assert parsed.values == {"a": 1, "b": [{"c": "two"}, 3.5]}
    assert parsed.place(("a",)) == "f.yaml:1:1"
    assert parsed.place(("b", 0, "c")) == "f.yaml:3:5"
    assert parsed.place(("b", 1)) == "f.yaml:4:5"
    assert parsed.place(("b", 0, "missing")) == "f.yaml:3:5"


def test_aliases_are_expanded() -> None:
    assert document.parse("a: &x {b: 1}\nc: *x\n", "f").values == {"a": {"b": 1}, "c": {"b": 1}}


LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join(['*' + before] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f:1:1: the file is empty"),
        ("# only a comment\n", "f:1:1: the file is empty"),
        ("a: [1", "f:1:6: not YAML: expected ',' or ']'"),
        ("a: 1\n\tb: 2\n", "f:2:1: not YAML: a tab stands here; YAML is indented with spaces"),
        ("a:\n  b: 1\n c: 2\n", "f:3:2: not YAML: this does not continue what began in line 1"),
        ("a: b: c\n", "f:1:5: not YAML: a second `key: value` within a value"),
        ("title: x\nworkload\nseed: 1\n", "f:3:1: not YAML: the key that begins in line 2 has no colon"),
        ("a: \x00", "f:1:1: not YAML: special characters are not allowed"),
        ("a: 1\nb: 2\na: 3\n", "f:3:1: the key 'a' stands twice"),
        ("a: !!python/object:os.system x", "f:1:4: the tag !!python/object:os.system is not allowed"),
        ("a: !custom x", "f:1:4: the tag !custom is not allowed"),
        ("a: !!binary aGVsbG8=", "f:1:4: the tag !!binary is not allowed"),
        ("a: !!int seven", "f:1:4: 'seven' is not a number"),
        ("? [1, 2]\n: 3\n", "f:1:3: a key must be a word"),
        ("a: *nothing", "f:1:4: not YAML: found undefined alias"),
        ("a: 1\n--- \nb: 2\n", "f:2:1: not YAML: but found another document"),
        (LAUGHS, "more than 20000 values, with aliases expanded"),
        ("a: &x [*x]", "nested deeper than 50 levels"),
        ("[" * 60 + "]" * 60, "nested deeper than 50 levels"),
        ("[" * 100_000, "nested deeper than 50 levels"),
    ],
)
def test_everything_else_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        document.parse(text, "f")
    assert message in str(caught.value)


def test_files_that_cannot_be_scenarios(tmp_path: Path) -> None:
    big, latin, gone = tmp_path / "big.yaml", tmp_path / "latin.yaml", tmp_path / "gone.yaml"
    big.write_bytes(b"a" * 50_000_000)
    latin.write_bytes("title: x\nname: é".encode("latin-1"))
    for path, message in (
        (big, "the file is larger than 1000 kB"),
        (latin, "latin.yaml:2:7: byte 0xe9 is not UTF-8"),
        (gone, "cannot be read: no such file or directory"),
        (tmp_path, "cannot be read: is a directory"),
    ):
        with pytest.raises(ScenarioError) as caught:
            document.read(path)
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "net = 1\n"),
        ("train", "#!/usr/bin/env python\nimport mxnet as mx\nnet = mx.gluon.nn.Dense(1)\n"),
        ("train", "from mxnet import gluon\nx = {'a': [1}\n"),
    ],
)
def test_a_training_script_is_told_where_it_belongs(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ScenarioError, match=rf"{name}:1:1: this is Python, not a scenario; .*: harness try .*{name}$"):
        document.read(path)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        document.parse(text, "f")
    except ScenarioError as error:
        assert str(error).startswith("f:")


_words = st.text("abcxyz", min_size=1, max_size=5).filter(lambda word: word not in ("y", "n"))
_values = st.recursive(
    st.integers(-1000, 1000) | _words | st.booleans() | st.none(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(_words, children, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(_words, _values, min_size=1, max_size=4))
def test_what_was_written_is_read(values: dict[str, object]) -> None:
    import yaml

    assert document.parse(yaml.safe_dump(values), "f").values == values


def test_an_escape_that_names_no_character_is_shown_at_its_place() -> None:
    with pytest.raises(ScenarioError, match=r"^q.yaml:2:9: not YAML: an escape that names no character"):
        document.parse('tags: []\ntitle: "\\UFFFFFFFF"\n', "q.yaml")


def test_half_a_character_is_no_text() -> None:
    with pytest.raises(ScenarioError, match="is not text"):
        document.parse('title: "\\uD800"\n', "q.yaml")


def test_a_file_whose_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.yaml")
    path.write_text("title: t\n")
    with pytest.raises(ScenarioError, match=r"caf.udce9.yaml': the file's name is not UTF-8"):
        document.read(path)
