"""A file of known differences, and its mistakes with their places."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.base.errors import ScenarioError
from harness.studies import accepted, study_folder
from harness.studies.accepted import Acceptance


def _file(folder: Path, text: str) -> Path:
    path = folder / "accepted.yaml"
    path.write_text(text)
    return path


def test_names_and_why(tmp_path: Path) -> None:
    text = '- name: "operator Deconvolution: refuses"\n  because: we never slice there\n'
    assert accepted.read(_file(tmp_path, text)) == {
        "operator Deconvolution: refuses": Acceptance("we never slice there")
    }


def test_an_empty_list_accepts_nothing(tmp_path: Path) -> None:
    assert accepted.read(_file(tmp_path, "[]\n")) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: a\nbecause: b\n", ":1:1: expected a list"),
        ("- name: a\n", ":1:3: expected name and because"),
        ("- name: a\n  because: b\n  until: c\n", ":1:3: expected name and because"),
        ("- name: a\n  because: b\n  up_to: 0.05\n", ":3:3: up_to 0.05 is not a percentage"),
        ("", ":1:1: the file is empty; write a list of entries with name and because"),
        ("- name: a\n  because: 3\n", ":2:3: because is 3"),
        ("- name: ' '\n  because: b\n", ":1:3: name is ' '"),
        ("- just text\n", ":1:3: expected name and because"),
        (
            "- {name: a, because: b, up_to: 5%}\n- {name: a, because: c}\n",
            ":2:4: 'a' is accepted before; write it once",
        ),
    ],
)
def test_mistakes_have_places(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        accepted.read(_file(tmp_path, text))
    assert message in str(error.value)


def test_what_is_kept_with_a_study(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "qualify", {})
    assert accepted.of(None) == accepted.of(folder) == {}
    accepted.keep({"a": Acceptance("b")}, folder)
    accepted.keep({"c": Acceptance("d", 0.05)}, folder)
    assert accepted.of(folder) == {"c": Acceptance("d", 0.05)}


def test_what_older_versions_kept_has_no_limit(tmp_path: Path) -> None:
    folder = study_folder.create(tmp_path, "qualify", {})
    folder.write_json("accepted.json", {"a": "b"})
    assert accepted.of(folder) == {"a": Acceptance("b")}


def test_a_limit_is_a_percentage(tmp_path: Path) -> None:
    text = "- name: speed lenet\n  because: known\n  up_to: 5%\n"
    known = accepted.read(_file(tmp_path, text))
    assert known == {"speed lenet": Acceptance("known", 0.05)}
    assert [known["speed lenet"].covers(size) for size in (0.03, 0.45, None)] == [True, False, False]
