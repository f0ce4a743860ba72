"""Faults as they are written to faults that are scheduled: whom, and when exactly. The same seed gives the same ones.

What comes out is again what a scenario could say, one process or host and one moment each, so that a run can be cut
down to some of its faults.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from harness.faults import Entry, Fault, LinkFault
from harness.vocabulary.job_bounds import JobBounds
from harness.vocabulary.schedule import At, Select, process

MAX_FAULTS = 1000


@dataclass(frozen=True)
class ScheduledFault:
    """One fault of the schedule; ``source`` is the place in the scenario's list of the entry that it is of."""

    source: int
    entry: Entry
    subject: str

    @cached_property
    def fault(self) -> Fault:
        """The fault of its entry."""
        return self.entry.fault

    @cached_property
    def steps(self) -> tuple[float, float]:
        """Steps from which to which it is in force, as far as steps can tell; a paused worker takes none."""
        return _steps(self.fault)

    @cached_property
    def span(self) -> tuple[str, float, float] | None:
        """In which unit it is in force, from when, and to when; None where an event begins it."""
        return _span(self.fault, self.steps)


def expand(entries: Sequence[Entry], job: JobBounds) -> list[ScheduledFault]:
    """Every fault of a schedule, in the order of the entries; no more than one beyond `MAX_FAULTS`.

    Of drawn and repeated ones, those are left out that would meet themselves still in force on the same subject, whose
    subject is dead by then, or that would go beyond the last step.
    """
    schedule: list[ScheduledFault] = []
    for index, entry in enumerate(entries):
        drawn = entry.fault.every is not None or entry.fault.random is not None
        for fault in _all_of(index, entry, job):
            if not drawn or _fits(fault, schedule, job):
                schedule.append(fault)
            if len(schedule) > MAX_FAULTS:
                return schedule
    return schedule


def _all_of(index: int, entry: Entry, job: JobBounds) -> Iterator[ScheduledFault]:
    random = Random(f"{_seed(entry.fault, job)} {index}")
    for at in _moments(entry.fault, job, random):
        for subject in chosen(entry.fault, job, random):
            yield ScheduledFault(index, _settled(entry, at, subject, job), subject)


def _seed(fault: Fault, job: JobBounds) -> int:
    own = fault.random.seed if fault.random else None
    return job.seed if own is None else own


def _moments(fault: Fault, job: JobBounds, random: Random) -> Iterator[At | None]:
    if fault.random is not None:
        steps = range(max(job.warmup, 1), job.steps)
        yield from (At(step=step) for step in steps if random.random() < fault.random.rate)
    elif fault.every is not None and fault.every.steps is not None:
        marks = range(fault.every.steps, job.steps, fault.every.steps)
        yield from (At(step=step) for step in marks[: fault.every.times])
    elif fault.every is not None:
        assert fault.every.time is not None and fault.every.times is not None
        times = [fault.every.time * count for count in range(1, fault.every.times + 1)]
        yield from (At.model_validate({"time": f"{seconds:.9f}s"}) for seconds in times)
    else:
        yield fault.at


def candidates(fault: Fault, job: JobBounds) -> list[str]:
    """Processes that fit the selection, or for faults on links, hosts."""
    roles = job.selected(fault.select)
    if isinstance(fault, LinkFault):
        return list(dict.fromkeys(job.hosts[role] for role in roles))
    return roles


def _drawable(fault: Fault, job: JobBounds) -> list[str]:
    """Those that one is drawn from: of links, none that carries nothing but the start and the end of a job."""
    fitting = candidates(fault, job)
    if not isinstance(fault, LinkFault) or fault.select.mode in (None, "all"):
        return fitting
    busy = {host for role, host in job.hosts.items() if role != "scheduler"}
    return [host for host in fitting if host in busy] or fitting


def chosen(fault: Fault, job: JobBounds, random: Random) -> list[str]:
    """Those of the candidates that are met this time, in order."""
    fitting, value = _drawable(fault, job), fault.select.value
    if fault.life.whole_job:
        fitting = fitting[:1]  # all share its fate, whomever it meets
    if fault.select.mode == "one":
        count = 1
    elif fault.select.mode == "fixed":
        count = min(int(value or 1), len(fitting))
    elif fault.select.mode == "fixed-percent":
        count = math.ceil(float(value or 1.0) * len(fitting) - 1e-9)
    else:
        count = len(fitting)
    return fitting if count == len(fitting) else sorted(random.sample(fitting, count), key=fitting.index)


def _settled(entry: Entry, at: At | None, subject: str, job: JobBounds) -> Entry:
    fault = entry.fault
    select = Select(host=subject) if isinstance(fault, LinkFault) else process(subject)
    changes: dict[str, object] = {"select": select, "at": at, "every": None, "random": None}
    if isinstance(fault, LinkFault) and fault.peer is not None:
        changes["peer"] = job.hosts.get(fault.peer, fault.peer)
    return entry.with_fault(fault.model_copy(update=changes))


def _fits(fault: ScheduledFault, schedule: Sequence[ScheduledFault], job: JobBounds) -> bool:
    """Whether a drawn fault can be together with those that are scheduled already, within the job's steps."""
    end = fault.steps[1]
    if end != math.inf and end > job.steps:
        return False
    return not any(meets(fault, other) for other in schedule)


def meets(fault: ScheduledFault, other: ScheduledFault) -> str | None:
    """Why one fault cannot be together with another that comes before it in the list, or None."""
    if fault.subject != other.subject:
        return None
    if fault.fault.name == other.fault.name and _overlap(fault.span, other.span):
        return "it is in force there already at that time"
    if (why := _dead(fault, other)) is not None or _dead(other, fault) is None:
        return why
    begins = other.fault.at.step if other.fault.at else None
    return f"{other.fault.name}, before it in the list, finds its process dead then, at step {begins}"


def _steps(fault: Fault) -> tuple[float, float]:
    begin, life = fault.at.step if fault.at else None, fault.life
    if begin is None:
        return 0, math.inf
    if life.steps is not None:
        return begin, begin + life.steps
    if life.instantaneous or life.restart_after is not None or life.duration is not None:
        return begin, begin + 1  # where a time ends it, nobody knows the step
    return begin, math.inf


def _span(fault: Fault, steps: tuple[float, float]) -> tuple[str, float, float] | None:
    at, life = fault.at, fault.life
    if at is None:
        return "start-up", 0.0, math.inf
    if at.step is not None:
        return "steps", *steps
    if at.time is None:
        return None
    seconds = life.seconds if life.restart_after is None else life.restart_after
    lasts = 0.0 if life.instantaneous else math.inf if seconds is None else seconds
    return "seconds", at.time, at.time + lasts


def _overlap(span: tuple[str, float, float] | None, other: tuple[str, float, float] | None) -> bool:
    """Whether both are in force at once, as far as one unit of time can tell."""
    if span is None or other is None or span[0] != other[0]:
        return False
    return span[1] < other[2] and other[1] < span[2]


def _dead(scheduled: ScheduledFault, killer: ScheduledFault) -> str | None:
    """A process that is not started again can only have faults before its end."""
    fault, end = scheduled.fault, killer.fault
    if fault.kind == "link" or not end.life.terminates or end.life.restart_after is not None:
        return None
    begins, death = fault.at.step if fault.at else None, end.at.step if end.at else None
    if begins is None or death is None or min(scheduled.steps[1], begins + 1) <= death:
        return None
    return f"its process is dead by then ({end.name} at step {death})"
