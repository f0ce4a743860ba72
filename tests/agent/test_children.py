"""Which file is a role's newest checkpoint."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from harness.agent import children
from harness.agent.children import Child
from harness.base.process import can_fix_addresses
from harness.vocabulary.instructions import Share, Spawn

NOBODY: Any = None


def child(pattern: Path, own_files: Path = Path("/")) -> Child:
    return Child("worker/0", Path("/"), NOBODY, 0, NOBODY, own_checkpoints=str(pattern), own_files=own_files)


def test_a_file_of_before_the_start_is_none_of_the_scripts(tmp_path: Path) -> None:
    old, new = tmp_path / "old.params", tmp_path / "new.params"
    old.write_bytes(b"precious")
    os.utime(old, (time.time() - 60,) * 2)
    asked = child(tmp_path / "*.params")
    assert asked.newest_checkpoint is None
    new.write_bytes(b"of the job")
    assert asked.newest_checkpoint == new


def test_a_file_that_is_dated_ahead_is_none_of_the_scripts_until_it_is_written(tmp_path: Path) -> None:
    """As on a shared disk whose clock is ahead."""
    ahead = tmp_path / "best.params"
    ahead.write_bytes(b"precious")
    os.utime(ahead, (time.time() + 86400,) * 2)
    spawn = Spawn(
        "worker/0", ("/bin/true",), {}, str(tmp_path), str(tmp_path / "log"), checkpoints=f"{tmp_path}/*.params"
    )
    started = children.spawn(spawn)
    started.process.wait()
    assert started.newest_checkpoint is None
    ahead.write_bytes(b"of the job")
    assert started.newest_checkpoint == ahead
    started.close()


def test_a_link_out_of_a_layer_is_none_of_the_layers(tmp_path: Path) -> None:
    layer, mine = tmp_path / "layer", tmp_path / "mine.params"
    layer.mkdir()
    asked = child(layer / "*.params", layer)
    mine.write_bytes(b"the user's")
    (layer / "latest.params").symlink_to(mine)
    assert asked.newest_checkpoint is None
    (layer / "real.params").write_bytes(b"the job's")
    (layer / "latest.params").unlink()
    (layer / "latest.params").symlink_to("real.params")
    assert asked.newest_checkpoint is not None
    assert asked.newest_checkpoint.resolve() == layer / "real.params"


@pytest.mark.skipif(not can_fix_addresses(), reason="the kernel does not let addresses be fixed here")
@pytest.mark.parametrize(("share", "fixed"), [(Share(0, 1, 1), True), (None, False)])
def test_only_where_sides_take_turns_are_addresses_fixed(tmp_path: Path, share: Share | None, fixed: bool) -> None:
    before = Path("/proc/self/personality").read_text()
    spawned = children.spawn(
        Spawn("worker/0", ("sleep", "600"), {"PATH": os.environ["PATH"]}, str(tmp_path), os.devnull, share=share)
    )
    try:
        told = int(Path(f"/proc/{spawned.pid}/personality").read_text(), 16)
    finally:
        spawned.signal(signal.SIGKILL)
        spawned.process.wait()
        spawned.close()
    assert bool(told & 0x0040000) == fixed
    assert Path("/proc/self/personality").read_text() == before
