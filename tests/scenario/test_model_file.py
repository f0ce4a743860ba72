"""A user's file is read, not run; what is wrong with it is said with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.scenario import model_file
from harness.scenario.model_facts import ModelFacts

GOOD = """\
raise SystemExit("this file was run")
from somewhere import loss
SIZE: int = 12
other, third = 3, 4
def build(): ...
class Net: ...
"""


def _file(tmp_path: Path, text: str) -> model_file.ModelFile:
    path = tmp_path / "net.py"
    path.write_text(text)
    return model_file.read(str(path))


def test_what_it_says(tmp_path: Path) -> None:
    file = _file(tmp_path, GOOD)
    assert file.facts == ModelFacts(size=12, variable=True, smallest=1)
    assert [file.refusal(name) for name in ("build", "Net")] == [None, None]
    assert {"loss", "build", "Net"} <= file.names


def test_data_of_its_own(tmp_path: Path) -> None:
    assert _file(tmp_path, "def build(): ...\ndef batches(**named): ...\n").facts.own_batches


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def build(: ...\n", ":1:11: invalid syntax"),
        ("def built(): ...\n", " has no function build at its top"),
        ("def build(): ...\nINPUT = 'video'\n", ": INPUT is 'video'; allowed are image, flat, sequence, tokens, ids"),
        ("def build(): ...\nSIZE = 0\n", ": SIZE is 0; allowed are whole numbers from 1"),
        ("def build(): ...\nSIZE = width * 2\n", ": SIZE is 'width * 2'; allowed are whole numbers from 1"),
        ("from config import SIZE\ndef build(): ...\n", ": SIZE has to be written out, as in SIZE = 8"),
        ("SIZE, SMALLEST = 4, 2\ndef build(): ...\n", ": SIZE has to be written out, as in SIZE = 8"),
        ("def build(): ...\nSIZE = 4\nSMALLEST = 9\n", ": SIZE is 4, below SMALLEST, 9"),
        ("def build(units, classes, depth=3): ...\n", ": build asks for units; give that in workload.model_args"),
        (
            "def build(): ...\ndef batches(step, batch_size): ...\n",
            ": batches has to take step, batch_size, size, seed, rank, workers, and nothing else",
        ),
        ("def build(): ...\nVARIABLE = 1\n", ": VARIABLE is 1; allowed are True and False"),
    ],
)
def test_what_is_wrong_with_it(tmp_path: Path, text: str, why: str) -> None:
    assert _file(tmp_path, text).refusal("build") == f"{tmp_path}/net.py{why}"


def test_arguments_that_are_given(tmp_path: Path) -> None:
    text = "def build(classes, units=3): ...\ndef batches(step, batch_size, **others): ...\n"
    assert _file(tmp_path, text).refusal("build") is None


def test_no_file(tmp_path: Path) -> None:
    why = f"{tmp_path}/net.py cannot be read: no such file or directory"
    assert model_file.read(f"{tmp_path}/net.py").refusal("build") == why
