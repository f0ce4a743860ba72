"""Whose doing it is that a process of an arm ended, and how that is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harness.execution import failure
from harness.execution.fault_scheduler import FaultScheduler
from harness.execution.roles import Roles, RoleState
from harness.planning.plan import Arm
from harness.vocabulary.events import Exited, Failed, Outcome

_ABORTS = (4, 6, 7, 8, 11)
"""Signals by which a library ends its process: ILL, ABRT, BUS, FPE, SEGV."""

_UNHEARD = "it left by itself, as by exec, or closed what it is heard by"

_ASKED = ("AskedError", "the harness was asked")
"""In errors of faults that let a script fail (`harness/worker/failures.py`), also where it wraps them."""


@dataclass(frozen=True)
class Exits:
    """Answers about an arm's processes, by what is known of its roles and faults when it is asked."""

    arm: Arm
    roles: Roles
    scheduler: FaultScheduler

    def broken_by(self, event: Exited, is_started: bool) -> tuple[Outcome, str] | None:
        """Outcome and reason where the end of a process is that of the arm; None where it was meant to end, or may."""
        name, role = event.subject, self.roles[event.subject]
        if name in self.scheduler.expected_exits and not self._failed_by_itself(event):
            if self.scheduler.will_restart or self.roles.any_worker_lives or self.roles.done:
                return None
            return "crashed", f"{name} ended as planned and no worker is left"
        if role.dismissed:
            return None
        how = f"exit status {event.status}" if event.signal is None else f"signal {event.signal}"
        if next(known.service for known in self.arm.roles if known.name == name):
            return "aborted", f"{name}, which is the harness's own, ended with {how}"
        if role.done and role.step == 0:
            return "aborted", f"{name} ended with {how} and without a step: {_why_no_step(role)}"
        if not is_started:
            return self._broken_before_the_start(name, how, event.signal)
        if event.status == 0 and self.roles.may_leave(name):
            return None
        step = role.failed.step if role.failed is not None else role.step
        why = "" if role.failed is None else f": {self.in_short(role.failed)}"
        reason = f"{name} ended with {how}" + (f" at step {max(step, role.step)}" if name in self.arm.workers else "")
        if event.status == 0 and not why and name in self.arm.workers and self.arm.workload.own_file is not None:
            return "aborted", f"{reason} or later; {_UNHEARD}"
        return "crashed", f"{reason}{why}"

    def _broken_before_the_start(self, name: str, how: str, signal: int | None) -> tuple[Outcome, str]:
        """By MXNet, unless it was something else that raised an exception, or a script that ended itself."""
        failed = {each: known for each, state in self.roles.workers.items() if (known := state.failed)}
        named = name if name in failed else next(iter(failed), name)
        why = f": {self.in_short(failed[named])}" if named in failed else ""
        reason = f"{name} ended with {how} before all were ready" if named == name else f"{named} failed"
        own = self.arm.workload.own_file
        if own is not None and not why and how == "exit status 0" and name in self.arm.workers:
            why = f"; {_UNHEARD}" if self.arm.workload.script is not None else f"; {Path(own).name} ended it"
        runs_own = own is not None and (named in self.arm.workers or self.arm.workload.script is not None)
        by_mxnet = failed[named].mxnet if named in failed else not runs_own or signal in _ABORTS
        return ("refused" if by_mxnet else "crashed"), f"{reason}{why}"

    def _failed_by_itself(self, event: Exited) -> bool:
        """Whether an exception ended it that no fault asked for."""
        failed = self.roles[event.subject].failed
        by_itself = failed is not None and not any(word in failed.error for word in _ASKED)
        return event.signal is None and by_itself and not self.scheduler.will_restart

    def in_short(self, failed: Failed) -> str:
        """An exception in a line."""
        return failure.in_short(failed, built=self.arm.target.python is None)

    def all_left(self) -> str:
        """That all is over, with how many steps: as many as were asked for, unless a script ends by itself."""
        fewer = ", ".join(f"{name} {steps}" for name, steps in self.roles.ended_early.items())
        by_itself = f" ({fewer}, by the script's own end)" if fewer else ""
        done = f"{self.roles.done} of {len(self.arm.workers)} workers trained {self._steps()}"
        return f"{done}{by_itself} and every process left"

    def _steps(self) -> str:
        job = self.arm.workload
        taken = self.roles.most_taken or 0
        if job.script is None or taken == job.steps:
            return f"{job.steps} steps"
        if any(state.again for state in self.roles.workers.values()):
            return f"{taken} steps, counted from where it was started again,"
        return f"{taken} steps" if job.steps is None else f"{taken} steps, not {job.steps}, by the script's own end,"

    def left_early(self) -> str:
        """Which workers of a script ended by themselves after fewer steps than another one has taken."""
        early = self.roles.ended_early.items()
        return "".join(f"; {name} had ended by itself after {steps} steps" for name, steps in early)

    def trains_elsewhere(self) -> str:
        """That a script's workers train with another kvstore than the topology has, so that nobody asks its servers."""
        wanted, seen = self.arm.workload.kvstore, self.roles.kvstore
        if self.arm.workload.script is None or not wanted.startswith("dist") or not seen or seen.startswith("dist"):
            return ""
        return (
            f"the script trains with kvstore {seen}, each worker by itself, and the topology's is {wanted}: tell the "
            "script, as in args: [--kv-store, '{kvstore}'] or `-- --kv-store dist_sync`"
        )

    def lacks_mxnet(self, role: str) -> str:
        """Where MXNet would have to have been imported for the end to be its matter, and was not.

        A script that fails by itself before it imports MXNet has failed by itself.
        """
        is_script = role in self.roles.states and self.arm.workload.script is not None
        failed = self.roles[role].failed if is_script else None
        if failed is not None and not failed.mxnet and not _lacks_a_module_of_mxnets(failed.error):
            return ""
        if not self.roles.imported:
            return "any worker"
        if role not in self.arm.workers or role in self.scheduler.expected_exits:
            return ""
        state = self.roles[role]
        return "" if state.imported or state.spawned is None else role


def _why_no_step(role: RoleState) -> str:
    """Of a user's script."""
    if not role.imported:
        return "the script never imported mxnet"
    if not role.ready:
        return "no batch, gradient or update of MXNet's was seen; in processes that it starts none is"
    return "batches or gradients were seen, but no update by a gluon.Trainer or a Module, nor pushes to a kvstore"


def _lacks_a_module_of_mxnets(error: str) -> bool:
    """Whether an import failed, of MXNet or of what it is made of."""
    return error.startswith(("ImportError", "ModuleNotFoundError", "OSError")) and "mxnet" in error.lower()
