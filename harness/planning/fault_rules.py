"""Faults that cannot act in the given job, each with the reason; refused before anything starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.faults import ClashesWith, Fault, LinkFault, Refuses
from harness.planning import fault_schedule
from harness.planning.bounds import bounds_of
from harness.planning.fault_schedule import ScheduledFault
from harness.scenario.document import Path_
from harness.scenario.schema import Scenario
from harness.vocabulary.job_bounds import JobBounds, Refusal

Violation = tuple[Path_, str]


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the faults of a scenario break: the path of the field and what is wrong."""
    job = bounds_of(scenario)
    faults: list[Fault] = [entry.fault for entry in scenario.faults]
    broken: list[Violation] = [
        (("faults", index, fault.name, *path), message)
        for index, fault in enumerate(faults)
        for path, message in (*_fault(job, fault), *_clashes(fault, faults[:index]), *_awaited(job, fault, faults))
    ]
    yield from broken
    if not broken:
        yield from _together(fault_schedule.expand(scenario.faults, job))


def _fault(job: JobBounds, fault: Fault) -> Iterator[Refusal]:
    if isinstance(fault, LinkFault) and not job.networked:
        yield (), f"{fault.name} acts on the link of a host; give topology.network"
        return
    misses = list(_selected(job, fault))
    yield from misses
    yield from _schedule(job, fault)
    if not misses and isinstance(fault, Refuses):
        yield from fault.refusals(job)


def _clashes(fault: Fault, others: Sequence[Fault]) -> Iterator[Refusal]:
    if isinstance(fault, ClashesWith):
        yield from filter(None, map(fault.clash, others))


def _selected(job: JobBounds, fault: Fault) -> Iterator[Refusal]:
    select, names = fault.select, list(job.hosts)
    hosts = list(dict.fromkeys(filter(None, job.hosts.values())))
    of_kind = [name for name in names if name.split("/")[0] == select.role]
    if select.role is not None and not of_kind:
        yield ("select", "role"), f"there is no {select.role} in this topology; there are {', '.join(names)}"
    elif select.rank is not None and select.rank >= len(of_kind):
        yield ("select", "rank"), f"{select.role} {select.rank} does not exist; there are {', '.join(of_kind)}"
    elif select.host is not None and select.host not in hosts:
        there = f"there are {', '.join(hosts)}" if hosts else "give topology.network"
        yield ("select", "host"), f"there is no host {select.host!r}; {there}"
    else:
        fitting = fault_schedule.candidates(fault, job)
        if not fitting:
            yield ("select",), f"no {select.role} is on {select.host}"
        elif select.mode is None and len(fitting) > 1:
            ranks = f"rank 0 to {len(of_kind) - 1}, or " if of_kind else ""
            yield ("select",), f"say which: {ranks}mode: one or all"


_TIMED = "a fault that begins at a time lasts a time; give for: {time: …}"


def _schedule(job: JobBounds, fault: Fault) -> Iterator[Refusal]:
    lasts, last = fault.life.steps, job.steps - 1
    if fault.every is not None and fault.every.steps is not None and fault.every.steps > last:
        yield ("every", "steps"), f"{fault.every.steps} steps are more than there are: {last + 1}"
    if fault.every is not None and fault.every.time is not None and lasts is not None:
        yield ("for", "steps"), _TIMED
    if fault.at is None:
        return
    if fault.at.step is None:
        if lasts is not None:
            yield ("for", "steps"), _TIMED
        if fault.at.event is not None:
            yield from _event(job, fault)
    elif fault.at.step > last:
        yield ("at", "step"), f"step {fault.at.step} is after the last step, {last}"
    elif lasts is not None and fault.at.step + lasts > job.steps:
        yield ("for", "steps"), f"{lasts} steps from step {fault.at.step} go beyond the last step, {last}"


def _event(job: JobBounds, fault: Fault) -> Iterator[Refusal]:
    """Only events that can come to pass."""
    assert fault.at is not None
    event, of = fault.at.event, fault.at.of
    if of is None and isinstance(fault, LinkFault):
        yield ("at",), "a link has no events; say whose with of: worker/0"
        return
    if of is not None and of not in job.hosts:
        yield ("at", "of"), f"there is no {of!r}; there are {', '.join(job.hosts)}"
        return
    roles = [of] if of is not None else fault_schedule.candidates(fault, job)
    if event in ("checkpointed", "resumed") and job.checkpoint_every is None:
        yield ("at", "event"), f"nothing is {event} without workload.checkpoint"
    elif event == "checkpointed" and roles != ["worker/0"]:
        yield ("at",), "checkpoints are written by worker 0; give of: worker/0"
    elif event != "exited" and not all(role.startswith("worker/") for role in roles):
        yield ("at",), f"only workers are {event}; give of: worker/0"


def _awaited(job: JobBounds, fault: Fault, faults: Sequence[Fault]) -> Iterator[Refusal]:
    """Refuse an event of a role that can never come because of other faults, or for want of them."""
    if fault.at is None or fault.at.event is None:
        return
    event = fault.at.event
    for role in [fault.at.of] if fault.at.of is not None else fault_schedule.candidates(fault, job):
        back = any(_brings_back(job, other, role) for other in faults)
        if any(other.life.withholds and _ends_for_good(job, other, role) for other in faults):
            yield ("at", "event"), f"{role} is never started"
        elif event == "resumed" and not back:
            yield ("at", "event"), f"{role} is never started again; give a restart"
        elif event == "exited" and fault.kind != "link" and not _others(job, fault, role) and not back:
            yield ("at", "event"), f"{role} is gone by then"
        elif event == "done" and any(other.at and _ends_for_good(job, other, role) for other in faults):
            yield ("at", "event"), f"{role} is killed before it is done"


def _others(job: JobBounds, fault: Fault, role: str) -> list[str]:
    """Whom a fault may meet beside a role."""
    return [name for name in fault_schedule.candidates(fault, job) if name != role]


def _meets(job: JobBounds, fault: Fault, role: str) -> bool:
    """Whether a role is certain to be met by a fault that does not wait for an event or a time."""
    timed = fault.at is not None and fault.at.step is None
    whole = fault.select.mode in (None, "all")
    return fault.life.whole_job or (whole and not timed and role in fault_schedule.candidates(fault, job))


def _ends_for_good(job: JobBounds, fault: Fault, role: str) -> bool:
    life = fault.life
    return (life.terminates or life.withholds) and life.restart_after is None and _meets(job, fault, role)


def _brings_back(job: JobBounds, fault: Fault, role: str) -> bool:
    life = fault.life
    there = life.whole_job or role in fault_schedule.candidates(fault, job)
    return life.terminates and life.restart_after is not None and there


def _together(schedule: Sequence[ScheduledFault]) -> Iterator[Violation]:
    if len(schedule) > fault_schedule.MAX_FAULTS:
        yield ("faults",), f"more than {fault_schedule.MAX_FAULTS} faults in all"
        return
    for number, fault in enumerate(schedule):
        reasons = (fault_schedule.meets(fault, other) for other in schedule[:number])
        for reason in dict.fromkeys(filter(None, reasons)):
            yield ("faults", fault.source), f"{fault.fault.name} of {fault.subject}: {reason}; give other steps"
