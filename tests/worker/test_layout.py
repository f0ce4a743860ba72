"""Where memory lies is the plan's to say, where the kernel draws nothing."""

from __future__ import annotations

import mmap
import subprocess
import sys

import pytest

from harness.base.process import can_fix_addresses, fix_addresses
from tests.conftest import ROOT

WHERE = """
import ctypes, mmap, os, subprocess
from harness.worker import layout
moved = layout.move()
small, large = (mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for size in (1 << 18, 70000000))
blocks = [bytes(100000) for _ in range(20)]
small, large = (ctypes.addressof(ctypes.c_char.from_buffer(each)) for each in (small, large))
child = subprocess.check_output(["cat", "/proc/self/personality"])
print(small, large, id(blocks[-1]), "HARNESS_SHIFT" in os.environ, moved, child)
"""

needs_fixed = pytest.mark.skipif(not can_fix_addresses(), reason="the kernel does not let addresses be fixed here")


def where(shift: str, limit: str = "unlimited") -> list[str]:
    """Where the program maps 256 KiB, and 70 MB, and its heap has come to; if the variable is left; what a child is."""
    argv = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", sys.executable, "-c", WHERE]
    env = {
        "PATH": "/usr/bin:/bin",
        "PYTHONHASHSEED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        **({"HARNESS_SHIFT": shift} if shift else {}),
    }
    ended = subprocess.run(argv, capture_output=True, text=True, env=env, cwd=ROOT, preexec_fn=fix_addresses)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split(maxsplit=5)


@needs_fixed
def test_twins_lie_at_the_same_addresses_and_others_as_many_pages_off() -> None:
    one, twin, other = map(where, ("70 5", "70 5", "9070 1005"))
    assert one == twin
    assert int(one[0]) - int(other[0]) == int(one[1]) - int(other[1]) == 9000 * mmap.PAGESIZE
    assert int(other[2]) - int(one[2]) == 1000 * mmap.PAGESIZE
    assert {tuple(each[3:5]) for each in (one, other)} == {("False", "True")}


@needs_fixed
def test_what_is_started_has_drawn_addresses_again() -> None:
    """It has no shift of its own: at fixed ones it would have the same luck in all pairs."""
    assert where("70 5")[5] == "b'00000000\\n'\n"
    assert where("")[4:] == ["False", "b'00040000\\n'\n"]


@needs_fixed
def test_what_cannot_be_mapped_is_no_reason_to_fail() -> None:
    assert where("1000000 5", limit="2000000")[3] == "False"


THREADS = """
import ctypes, threading
from harness.worker import layout

def mapped():
    with open("/proc/self/maps") as file:
        return sum(int(high, 16) - int(low, 16) for low, high in (line.split()[0].split("-") for line in file))

layout._map_threads(ctypes.CDLL(None), 300000)
before = mapped()
threads = [threading.Thread(target=lambda: [bytearray(1 << 14), gate.wait()]) for _ in range(5)]
gate = threading.Event()
for each in threads:
    each.start()
after = mapped()
gate.set()
for each in threads:
    each.join()
print(after - before, threads[0].name)
"""


def test_threads_get_what_was_mapped_for_them() -> None:
    """But for a stack or two, of which glibc keeps 40 MiB: else each maps one of 8 MiB, and a heap of 64."""
    told = subprocess.check_output([sys.executable, "-c", THREADS], text=True, cwd=ROOT).split(maxsplit=1)
    assert int(told[0]) < 16 << 20
    assert told[1].startswith("Thread-1"), "a script's threads are named as without us"
