"""Layers of a folder: an overlay, or a copy where there can be none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.agent import scratch
from harness.agent.scratch import Layer
from harness.execution.backends.local import isolation

SCRIPT = """
import os, sys
from pathlib import Path
from harness.agent import namespaces, scratch
from harness.vocabulary.instructions import Scratch

real, (folder, layers, how) = namespaces.mount, sys.argv[1:]
def mount(source, target, what, kind="", **more):
    if kind == "overlay" and how == "copy":
        raise OSError(1, "not here", what)
    real(source, target, what, kind=kind, **more)
namespaces.mount = mount
built = [scratch.build(Scratch(folder, f"{layers}/{name}", f"{folder}/runs")) for name in "ab"]
for name, layer in zip("aab", [built[0], *built]):
    child = os.fork()
    if not child:
        layer.enter()
        with open(f"{folder}/log", "a") as log:
            log.write(name)
        Path(folder, "runs", name).write_text("")
        os._exit(0)
    os.waitpid(child, 0)
print(*((layer.written / "log").read_text() for layer in built), Path(folder, "log").read_text(), os.getcwd())
print(*sorted(path.name for path in built[0].written.iterdir()), *sorted(os.listdir(f"{folder}/runs")))
"""


@pytest.mark.skipif(not isolation(), reason="namespaces cannot be made here")
@pytest.mark.parametrize(("how", "seen"), [("overlay", "log runs"), ("copy", "kept log runs a b")])
def test_processes_of_a_layer_share_it_and_others_do_not(tmp_path: Path, how: str, seen: str) -> None:
    folder = tmp_path / "a, b: c"
    (folder / "runs").mkdir(parents=True)
    (folder / "log").write_text("-")
    (folder / "kept").write_text("")
    command = [*isolation(), sys.executable, "-c", SCRIPT, str(folder), str(tmp_path / "layers"), how]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"-aa -b - {Path.cwd()}", seen]


FULL = """
import os, sys
from pathlib import Path
from harness.agent import scratch
from harness.vocabulary.instructions import Scratch

folder, layers = sys.argv[1:]
layer = scratch.build(Scratch(folder, f"{layers}/a", f"{folder}/runs", 1_000_000))
child = os.fork()
if not child:
    layer.enter()
    Path(folder, "small").write_bytes(b"1" * 1000)
    Path(folder, "old").unlink()
    try:
        Path(folder, "large").write_bytes(b"1" * 2_000_000)
    except OSError as error:
        Path(folder, "small").write_text(error.strerror)
        os._exit(0)
os.waitpid(child, 0)
Path(folder, "large").exists() or layer.keep()
"""


@pytest.mark.skipif(not isolation(), reason="namespaces cannot be made here")
def test_a_layer_on_a_disk_of_its_own_fills_up_and_is_kept(tmp_path: Path) -> None:
    folder, layers = tmp_path / "folder", tmp_path / "layers"
    folder.mkdir()
    (folder / "old").write_text("")
    subprocess.run([*isolation(), sys.executable, "-c", FULL, str(folder), str(layers)], check=True)
    kept = next(path for path in (layers / "a").iterdir() if path.name in (scratch.UPPER, scratch.COPY))
    assert (kept / "small").read_text() == "No space left on device"
    assert (folder / "old").exists()


def test_a_pattern_within_the_folder_is_looked_for_in_the_layer() -> None:
    layer = Layer(0, Path("/data/train"), Path("/layers/a/upper"))
    assert layer.seen("/data/train/out/*.params") == "/layers/a/upper/out/*.params"
    assert layer.seen("/data/training/*.params") == "/data/training/*.params"
    assert layer.seen("") == ""
