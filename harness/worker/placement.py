"""Main thread and all others of a process on processors of their own, as the agent asks for where sides take turns.

The main thread issues operations and the engine's thread computes them: where the kernel moves them about, sides differ
by luck (`harness/agent/placement.py`).
"""

import os


def keep_main_apart():
    """Place the threads that there are by now; what they start inherits it, but for processes."""
    own = os.sched_getaffinity(0)
    first, *others = sorted(own)
    for thread in map(int, os.listdir("/proc/self/task")):
        try:
            os.sched_setaffinity(thread, {first} if thread == os.getpid() else others)
        except ProcessLookupError:
            pass  # a thread that ended meanwhile
    os.register_at_fork(after_in_child=lambda: os.sched_setaffinity(0, own))
