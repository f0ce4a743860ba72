"""``worker.pyz PLAN ARM ROLE``: become one role of one arm of a stored plan."""

import os
import sys

from . import failures, job, worker
from .channel import Channel


def main():
    """A worker trains; the others serve.

    A server or scheduler of ps-lite is started by importing mxnet with DMLC_ROLE set, and ends with it.
    """
    if len(sys.argv) != 4:
        raise SystemExit("usage: worker.pyz PLAN ARM ROLE")
    plan, arm, role = sys.argv[1:]
    channel = Channel(arm, role)
    channel.emit("announced", pid=os.getpid())
    schedule = job.schedule(plan, arm, role)
    failures.report(channel, {name for name, _, _ in schedule.values()})
    if role.startswith("worker/"):
        worker.run(job.load(plan, arm), channel, role, schedule)
    elif job.load(plan, arm).loop == "horovod":
        from . import rendezvous

        rendezvous.serve()
    else:
        import mxnet  # noqa: F401
