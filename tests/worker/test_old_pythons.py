"""The worker compiles under every Python it may meet, and its parts without mxnet run there."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.execution import worker_archive

VERSIONS = ["3.7", "3.8", "3.9", "3.10", "3.11"]
SCRIPT = """
import compileall, io, sys, zipfile
sys.path.insert(0, sys.argv[1])
import _harness_worker.main, _harness_worker.own.script
from _harness_worker import memory, models
assert models.find("mlp").input == "flat"
assert memory.resident()["peak"] > 0
archive = zipfile.ZipFile(sys.argv[1])
for name in archive.namelist():
    if name.endswith(".py"):
        compile(archive.read(name), name, "exec")
print("fine")
"""


def interpreter(version: str) -> str | None:
    """A python of that version: on the path, or one that pyenv keeps."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    kept = sorted(root.glob(f"{version}.*/bin/python{version}"))
    candidates = [str(path) for path in kept] + [path for path in [shutil.which(f"python{version}")] if path]
    for candidate in candidates:
        if subprocess.run([candidate, "-c", "pass"], capture_output=True).returncode == 0:
            return candidate
    return None


@pytest.mark.parametrize("version", VERSIONS)
def test_the_worker_under(version: str, tmp_path: Path) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no python{version} here")
    path = tmp_path / "worker.pyz"
    path.write_bytes(worker_archive.build())
    # No numpy there: a stand-in lets the modules that need it be imported.
    (tmp_path / "numpy.py").write_text("")
    env = {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([python, "-c", SCRIPT, str(path)], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("fine\n", "")
