"""``worker.pyz PLAN ARM ROLE``: become one role of one arm of a stored plan."""

import os
import sys

from . import compiled, failures, job, layout, worker
from .channel import Channel


def main():
    """A worker trains; the others serve.

    A server of ps-lite is started by importing mxnet with DMLC_ROLE set, and ends with it. A script is run in all of
    them, as MXNet's own launcher does.
    """
    if len(sys.argv) != 4:
        raise SystemExit("usage: worker.pyz PLAN ARM ROLE")
    plan, arm, role = sys.argv[1:]
    is_laid_out = layout.move()
    _keep_to_the_port()
    channel = Channel(arm, role)
    channel.emit("announced", pid=os.getpid())
    kept = os.environ.pop("HARNESS_COMPILED", None)
    if kept is not None:
        compiled.use(kept)
    schedule = job.schedule(plan, arm, role)
    tell = failures.report(channel, {name for name, _, _ in schedule.values()})
    asked, trains = job.load(plan, arm), role.startswith("worker/")
    if asked.loop == "horovod" and not trains:
        from . import rendezvous

        rendezvous.serve()
    elif asked.script is not None:
        from .own import script

        script.run(asked, channel, role, schedule, tell)
    elif trains:
        worker.run(asked, channel, role, schedule, is_laid_out)
    elif role == "scheduler":
        from . import scheduler

        scheduler.serve()
    else:
        import mxnet  # noqa: F401


def _keep_to_the_port():
    """Let ps-lite bind the port by which it numbers processes, unless the scenario gives another; unseen by Python."""
    port = os.environ.pop("HARNESS_NODE_PORT", None)
    if port is not None and "PORT" not in os.environ:
        os.putenv("PORT", port)  # as `Van::Start` in ps-lite's src/van.cc reads it
