from __future__ import annotations

from pathlib import Path

import pytest

from harness.base import settings
from harness.base.errors import InputError
from harness.base.settings import Setting


def test_the_nearest_file_that_has_settings_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert settings.find(inner, {}) == {}
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n\n[tool.harness]\nresults = "out"\nbudget = "2min"\n'
    )
    (inner / "pyproject.toml").write_text('[tool.other]\nresults = "no"\n')
    place = tmp_path / "pyproject.toml"
    outer = {"results": Setting(str(tmp_path / "out"), f"{place}:5"), "budget": Setting("2min", f"{place}:6")}
    assert settings.find(inner, {}) == outer
    own = tmp_path / "a" / "harness.toml"
    own.write_text("# mine\njobs = 2\n")
    assert settings.find(inner, {}) == {"jobs": Setting("2", f"{own}:2")}


def test_the_variable_comes_before_files(tmp_path: Path) -> None:
    (tmp_path / "harness.toml").write_text('results = "/elsewhere"\n')
    assert settings.find(tmp_path, {}) == {"results": Setting("/elsewhere", f"{tmp_path / 'harness.toml'}:1")}
    assert settings.find(tmp_path, {"HARNESS_RESULTS": "here"}) == {"results": Setting("here", "HARNESS_RESULTS")}
    assert settings.find(tmp_path / "none", {"HARNESS_RESULTS": ""})["results"].value == "/elsewhere"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = 1\n", r"harness\.toml:1: 'a' is not a setting; there are results, budget, jobs"),
        ('jobs = 1\n\nresults = ""\n', r"harness\.toml:3: results: '' is not allowed; write a text"),
        ('results = "x\\u0000y"\n', r"harness\.toml:1: results: 'x\\x00y' is not allowed"),
        ("jobs = true\n", r"harness\.toml:1: jobs: True is not allowed"),
        ("[results]\nx = 1\n", r"harness\.toml:1: results: \{'x': 1\} is not allowed"),
        ("jobs = \n", r"harness\.toml is not TOML: .*line 1"),
    ],
)
def test_what_is_no_setting_is_told_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "harness.toml").write_text(text)
    with pytest.raises(InputError, match=complaint):
        settings.find(tmp_path, {})


def test_a_file_of_that_name_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "harness.toml").symlink_to("nowhere")
    with pytest.raises(InputError, match=r"harness\.toml is not a file that can be read"):
        settings.find(tmp_path, {})


def test_a_home_is_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "mine"))
    (tmp_path / "harness.toml").write_text('results = "~/r"\n')
    assert settings.find(tmp_path, {})["results"].value == str(tmp_path / "mine" / "r")
