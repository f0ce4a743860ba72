"""Where memory lies is the plan's to say, where the kernel draws nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from harness.base.process import can_fix_addresses, fix_addresses
from tests.conftest import ROOT

WHERE = """
import ctypes, mmap, os
from harness.worker import layout
layout.move()
held = mmap.mmap(-1, 1 << 22)
blocks = [bytes(100000) for _ in range(20)]
print(ctypes.addressof(ctypes.c_char.from_buffer(held)), id(blocks[-1]), "HARNESS_SHIFT" in os.environ)
"""


def where(env: dict[str, str], limit: str = "") -> str:
    """Where the program maps 4 MiB, where its heap has come to, and whether it still finds the variable."""
    argv = [sys.executable, "-c", WHERE]
    argv = ["sh", "-c", f'ulimit -v {limit}; exec "$@"', "sh", *argv] if limit else argv
    env = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "1", **env}
    ended = subprocess.run(argv, capture_output=True, text=True, env=env, cwd=ROOT, preexec_fn=fix_addresses)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.skipif(not can_fix_addresses(), reason="the kernel does not let addresses be fixed here")
def test_twins_lie_at_the_same_addresses_and_others_as_many_pages_below() -> None:
    nowhere, one, twin, other = (where({"HARNESS_SHIFT": pages} if pages else {}) for pages in ("", "70", "70", "9070"))
    assert one == twin
    addresses = [int(each.split()[0]) for each in (nowhere, one, other)]
    assert addresses[1] - addresses[2] == 9000 * 4096
    assert addresses[0] > addresses[1]
    heaps = [int(each.split()[1]) for each in (one, other)]
    assert heaps[1] - heaps[0] == 9000 * 4096
    assert all(each.endswith("False\n") for each in (nowhere, one, twin, other))


def test_a_limit_of_address_space_is_no_reason_to_fail() -> None:
    assert where({"HARNESS_SHIFT": "1000000"}, limit="2000000").endswith("False\n")
