"""What docs show works: parts of another distribution, and a session in Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.e2e.conftest import Command, harness, judged_arm

pytestmark = pytest.mark.e2e
EXAMPLE = ROOT / "docs" / "examples" / "two-faults"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The example as pip installs it, in a folder of its own that is put on the path."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE, folder / "source")
    argv = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*argv, "--target", str(folder / "site"), str(folder / "source")], check=True)
    return str(folder / "site")


def _run(installed: str, results: Path) -> Command:
    return harness("run", EXAMPLE / "scenario.yaml", "--json", "--results", results, PYTHONPATH=installed)


def test_faults_of_another_distribution_happen_and_leave_receipts(installed: str, target: Path, tmp_path: Path) -> None:
    command = _run(installed, tmp_path)
    assert command.code == 0, command.out + command.err
    receipts = {receipt["name"]: receipt for receipt in judged_arm(command)["receipts"]}
    assert receipts["zero_gradient"]["evidence"].startswith("3 of 3 steps, from 40: gradient of")
    assert "elements became 0" in receipts["zero_gradient"]["evidence"]
    processors = sorted(os.sched_getaffinity(0))
    assert receipts["pin"]["evidence"] == f"/proc shows processors {processors[:1]}, {processors} before"
    assert receipts["pin"]["restored"] is True


def test_they_are_listed_where_they_are_installed(installed: str) -> None:
    listed = harness("parts", "faults", "--json", PYTHONPATH=installed).json["parts"]["faults"]
    assert {"pin", "zero_gradient", "kill"} <= {part["name"] for part in listed}
    unknown = harness("validate", EXAMPLE / "scenario.yaml")
    assert (unknown.code, "unknown key" in unknown.err) == (2, True)


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "adding-a-part.md").read_text()
    shown = dict(re.findall(r"`two_faults/(\w+\.py)`:\n\n```python\n(.*?)```", page, re.S))
    assert set(shown) == {path.name for path in (EXAMPLE / "two_faults").glob("*.py")} - {"__init__.py"}
    for name, text in shown.items():
        assert text == (EXAMPLE / "two_faults" / name).read_text(), name


def test_the_session_in_python_runs(target: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    (tmp_path / "session.py").write_text("\n".join(blocks))
    shutil.copytree(ROOT / "scenarios", tmp_path / "scenarios")
    done = subprocess.run([sys.executable, "session.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "killed.png").read_bytes().startswith(b"\x89PNG")
    promised = "\n".join(re.findall(r"```text\n(.*?)```", page, re.S)).split()
    assert [word for word in done.stdout.split() if word.isalpha()] == [word for word in promised if word.isalpha()]
