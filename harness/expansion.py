"""Faults as they are written to faults that are decided: whom, and when exactly. The same seed gives the same ones.

What comes out is again what a scenario could say, one process or host and one moment each, so that a run can be cut
down to some of its faults.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from harness import topologies
from harness.faults import Entry, Fault, LinkFault, ProcessFault
from harness.network import lay_out
from harness.scenario.schema import Scenario
from harness.schedule import At, Select, process

MAX_FAULTS = 1000


@dataclass(frozen=True)
class Ground:
    """What faults can meet: roles, each with its host where there is one, and the steps in which they can."""

    hosts: Mapping[str, str]
    steps: int
    warmup: int
    seed: int


@dataclass(frozen=True)
class Decided:
    """One fault of the schedule; ``source`` is the place in the scenario's list of the entry that it is of."""

    source: int
    entry: Entry
    target: str


def ground(scenario: Scenario) -> Ground:
    """What the faults of a scenario can meet."""
    topology, network = scenario.topology, scenario.topology.network
    names = topologies.find(topology).names(topology)
    hosts = dict.fromkeys(names, "")
    if network is not None:
        hosts = {role: host.name for host in lay_out(network, names).hosts for role in host.roles}
        hosts = {name: hosts[name] for name in names}
    return Ground(hosts, scenario.workload.steps, scenario.workload.warmup, scenario.seed)


def expand(entries: Sequence[Entry], ground: Ground) -> list[Decided]:
    """Every fault of a schedule, in the order of the entries; no more than one beyond `MAX_FAULTS`.

    Of drawn and repeated ones, those are left out that would meet themselves still in force on the same target, whose
    target is dead by then, or that would go beyond the last step.
    """
    decided: list[Decided] = []
    for index, entry in enumerate(entries):
        for one in _all_of(index, entry, ground):
            drawn = entry.fault.at is None and not entry.fault.timeless
            others = [other for other in decided if other.target == one.target] if drawn else []
            if not drawn or _possible(one, others, ground):
                decided.append(one)
            if len(decided) > MAX_FAULTS:
                return decided
    return decided


def _all_of(index: int, entry: Entry, ground: Ground) -> Iterator[Decided]:
    random = Random(f"{_seed(entry.fault, ground)} {index}")
    for at in _moments(entry.fault, ground, random):
        for target in chosen(entry.fault, ground, random):
            yield Decided(index, _settled(entry, at, target, ground), target)


def _seed(fault: Fault, ground: Ground) -> int:
    own = fault.random.seed if fault.random else None
    return ground.seed if own is None else own


def _moments(fault: Fault, ground: Ground, random: Random) -> Iterator[At | None]:
    if fault.random is not None:
        steps = range(max(ground.warmup, 1), ground.steps)
        yield from (At(step=step) for step in steps if random.random() < fault.random.rate)
    elif fault.every is not None and fault.every.steps is not None:
        marks = range(fault.every.steps, ground.steps, fault.every.steps)
        yield from (At(step=step) for step in marks[: fault.every.times])
    elif fault.every is not None:
        assert fault.every.time is not None and fault.every.times is not None
        times = [fault.every.time * count for count in range(1, fault.every.times + 1)]
        yield from (At.model_validate({"time": f"{seconds:.9f}s"}) for seconds in times)
    else:
        yield fault.at


def candidates(fault: Fault, ground: Ground) -> list[str]:
    """Processes that fit the selection, or for faults on links, hosts."""
    select = fault.select
    roles = [
        role
        for role, host in ground.hosts.items()
        if select.role in (None, role.split("/")[0])
        and (select.rank is None or role.endswith(f"/{select.rank}"))
        and select.host in (None, host)
    ]
    if isinstance(fault, LinkFault):
        return list(dict.fromkeys(ground.hosts[role] for role in roles))
    return roles


def chosen(fault: Fault, ground: Ground, random: Random) -> list[str]:
    """Those of the candidates that are met this time, in order."""
    found, value = candidates(fault, ground), fault.select.value
    if fault.select.mode == "one":
        count = 1
    elif fault.select.mode == "fixed":
        count = min(int(value or 1), len(found))
    elif fault.select.mode == "fixed-percent":
        count = math.ceil(float(value or 1.0) * len(found) - 1e-9)
    else:
        count = len(found)
    return found if count == len(found) else sorted(random.sample(found, count), key=found.index)


def _settled(entry: Entry, at: At | None, target: str, ground: Ground) -> Entry:
    fault = entry.fault
    select = Select(host=target) if isinstance(fault, LinkFault) else process(target)
    changes: dict[str, object] = {"select": select, "at": at, "every": None, "random": None}
    if isinstance(fault, LinkFault) and fault.peer is not None:
        changes["peer"] = ground.hosts.get(fault.peer, fault.peer)
    return entry.with_fault(fault.model_copy(update=changes))


def span(fault: Fault) -> tuple[float, float]:
    """Steps from which to which it is in force, as far as steps can tell; a paused worker takes none."""
    at, lasts = fault.at.step if fault.at else None, getattr(fault.duration, "steps", None)
    if at is None:
        return 0, math.inf
    if lasts is not None:
        return at, at + lasts
    if fault.momentary or fault.revival is not None or fault.duration is not None:
        return at, at + 1  # where a time ends it, nobody knows the step
    return at, math.inf


def _possible(one: Decided, others: Sequence[Decided], ground: Ground) -> bool:
    fault = one.entry.fault
    end = span(fault)[1]
    if end != math.inf and end > ground.steps:
        return False
    return not any(meets(one, other) for other in others)


def meets(one: Decided, other: Decided) -> str | None:
    """Why one fault cannot be together with another that comes before it in the list, or None."""
    first, second = one.entry.fault, other.entry.fault
    if one.target != other.target:
        return None
    if first.name == second.name and _overlap(first, second):
        return "it is in force there already at that time"
    return _dead(one, other) or _dead(other, one)


def _overlap(first: Fault, second: Fault) -> bool:
    """Whether both are in force at once, as far as it is known: by steps, or by the clock."""
    (begin, end), (other_begin, other_end) = span(first), span(second)
    if first.at is None or second.at is None or (first.at.step is None) != (second.at.step is None):
        return first.at is None and second.at is None
    if first.at.step is None:
        if first.at.time is None or second.at.time is None:
            return False
        begin, other_begin = first.at.time, second.at.time
        end, other_end = begin + _seconds(first), other_begin + _seconds(second)
    return begin < other_end and other_begin < end


def _seconds(fault: Fault) -> float:
    lasts = getattr(fault.duration, "time", None)
    return 0.0 if fault.momentary else math.inf if lasts is None else lasts


def _dead(one: Decided, killer: Decided) -> str | None:
    """A process that is not started again can only have faults before its end."""
    fault, deadly = one.entry.fault, killer.entry.fault
    if not (isinstance(fault, ProcessFault) and deadly.deadly and deadly.revival is None):
        return None
    begin, end = (fault.at.step if fault.at else None), span(fault)[1]
    death = deadly.at.step if deadly.at else None
    if begin is None or death is None or min(end, begin + 1) <= death:
        return None
    return f"its process is dead by then ({deadly.name} at step {death})"
