"""Threads of a process are apart where the agent asks for it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import os, threading
from harness.worker import placement
event = threading.Event()
other = threading.Thread(target=event.wait)
other.start()
placement.keep_main_apart()
child = os.fork()
if not child:
    os._exit(len(os.sched_getaffinity(0)))
_, status = os.waitpid(child, 0)
main, beside = (sorted(os.sched_getaffinity(thread)) for thread in (os.getpid(), other.native_id))
event.set()
print(main, beside, os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor has no room for two")
def test_main_thread_and_others_are_apart_but_processes_are_free() -> None:
    ran = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    first, *others = own = sorted(os.sched_getaffinity(0))
    assert ran.stdout.strip() == f"{[first]} {others} {len(own)}"
