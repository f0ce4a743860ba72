"""Faults that cannot act in the given job, each with the reason; refused before anything starts."""

from __future__ import annotations

from collections.abc import Iterator

from harness import expansion, network, topologies
from harness.expansion import Decided, Ground
from harness.faults import Fault, LinkFault, WorkerFault
from harness.scenario import models
from harness.scenario.document import Path_
from harness.scenario.schema import Scenario

Violation = tuple[Path_, str]
_OF_CHECKPOINTS = ("checkpoint_kill", "checkpoint_corrupt", "disk_full")


def violations(scenario: Scenario) -> Iterator[Violation]:
    """Every rule that the faults of a scenario break: the path of the field and what is wrong."""
    ground = expansion.ground(scenario)
    broken = False
    for index, entry in enumerate(scenario.faults):
        fault: Fault = entry.fault
        for path, message in _fault(scenario, ground, fault):
            broken = True
            yield ("faults", index, fault.name, *path), message
    if not broken:
        yield from _together(expansion.expand(scenario.faults, ground))


def _fault(scenario: Scenario, ground: Ground, fault: Fault) -> Iterator[Violation]:
    if isinstance(fault, LinkFault) and scenario.topology.network is None:
        yield (), f"{fault.name} acts on the link of a host; give topology.network"
        return
    found = list(_selected(ground, fault))
    yield from found
    yield from _schedule(scenario, ground, fault)
    if found:
        return
    if isinstance(fault, LinkFault):
        yield from _link(ground, fault)
    elif isinstance(fault, WorkerFault):
        yield from _worker(ground, fault)
    yield from _particular(scenario, ground, fault)


def _selected(ground: Ground, fault: Fault) -> Iterator[Violation]:
    select, names = fault.select, list(ground.hosts)
    hosts = list(dict.fromkeys(filter(None, ground.hosts.values())))
    of_kind = [name for name in names if name.split("/")[0] == select.role]
    if select.role is not None and not of_kind:
        yield ("select", "role"), f"there is no {select.role} in this topology; there are {', '.join(names)}"
    elif select.rank is not None and select.rank >= len(of_kind):
        yield ("select", "rank"), f"{select.role} {select.rank} does not exist; there are {', '.join(of_kind)}"
    elif select.host is not None and select.host not in hosts:
        there = f"there are {', '.join(hosts)}" if hosts else "give topology.network"
        yield ("select", "host"), f"there is no host {select.host!r}; {there}"
    else:
        found = expansion.candidates(fault, ground)
        if not found:
            yield ("select",), f"no {select.role} is on {select.host}"
        elif select.mode is None and len(found) > 1:
            ranks = f"rank 0 to {len(of_kind) - 1}, or " if of_kind else ""
            yield ("select",), f"say which: {ranks}mode: one or all"


def _schedule(scenario: Scenario, ground: Ground, fault: Fault) -> Iterator[Violation]:
    lasts, last = getattr(fault.duration, "steps", None), scenario.workload.steps - 1
    if fault.every is not None and fault.every.steps is not None and fault.every.steps > last:
        yield ("every", "steps"), f"{fault.every.steps} steps are more than there are: {last + 1}"
    if fault.every is not None and fault.every.time is not None and lasts is not None:
        yield ("for", "steps"), "a fault that begins at a time lasts a time; give for: {time: …}"
    if fault.at is None:
        return
    if fault.at.step is None:
        if lasts is not None:
            yield ("for", "steps"), "a fault that begins at a time lasts a time; give for: {time: …}"
        if fault.at.event is not None:
            yield from _event(scenario, ground, fault)
    elif fault.at.step > last:
        yield ("at", "step"), f"step {fault.at.step} is after the last step, {last}"
    elif lasts is not None and fault.at.step + lasts > scenario.workload.steps:
        yield ("for", "steps"), f"{lasts} steps from step {fault.at.step} go beyond the last step, {last}"


def _event(scenario: Scenario, ground: Ground, fault: Fault) -> Iterator[Violation]:
    """Only events that can come to pass."""
    assert fault.at is not None
    event, of = fault.at.event, fault.at.of
    if of is None and isinstance(fault, LinkFault):
        yield ("at",), "a link has no events; say whose with of: worker/0"
        return
    if of is not None and of not in ground.hosts:
        yield ("at", "of"), f"there is no {of!r}; there are {', '.join(ground.hosts)}"
        return
    roles = [of] if of is not None else expansion.candidates(fault, ground)
    if event in ("checkpointed", "resumed") and scenario.workload.checkpoint is None:
        yield ("at", "event"), f"nothing is {event} without workload.checkpoint"
    elif event == "checkpointed" and roles != ["worker/0"]:
        yield ("at",), "checkpoints are written by worker 0; give of: worker/0"
    elif event != "exited" and not all(role.startswith("worker/") for role in roles):
        yield ("at",), f"only workers are {event}; give of: worker/0"


def _link(ground: Ground, fault: LinkFault) -> Iterator[Violation]:
    places = [*ground.hosts, *ground.hosts.values()]
    if fault.peer is not None and fault.peer not in places:
        yield ("peer",), f"there is no {fault.peer!r}; there are {', '.join(dict.fromkeys(places))}"
    if fault.peer is not None and fault.name == "bandwidth":
        yield ("peer",), "packets to all hosts share one queue, so that a bandwidth is that of the whole link"


def _worker(ground: Ground, fault: WorkerFault) -> Iterator[Violation]:
    others = [name for name in expansion.candidates(fault, ground) if not name.startswith("worker/")]
    if others:
        yield ("select",), f"{fault.name} is committed by a worker, not by {', '.join(others)}; give role: worker"


def _particular(scenario: Scenario, ground: Ground, fault: Fault) -> Iterator[Violation]:
    """What single faults need."""
    if fault.name in _OF_CHECKPOINTS:
        yield from _checkpoint(scenario, ground, fault)
    if fault.name == "restart" and scenario.topology.horovod is not None and not fault.whole_job:
        yield ("scope",), "Horovod for MXNet is not elastic: a rank that comes back cannot join; give scope: job"
    if fault.name == "wrong_start":
        yield from _told_wrong(scenario, fault)
    if fault.name == "stale" and fault.at is not None and fault.at.step == 0:
        yield ("at", "step"), "before step 0 there is no gradient to send again"
    if fault.name == "disk_full" and len({e.fault.disk for e in scenario.faults if e.fault.name == "disk_full"}) > 1:
        yield ("disk",), "all share one disk of checkpoints; give one size"
    if fault.name == "shape_shift":
        yield from _sizes(scenario, fault)


def _checkpoint(scenario: Scenario, ground: Ground, fault: Fault) -> Iterator[Violation]:
    asked = scenario.workload.checkpoint
    if asked is None:
        yield (), f"{fault.name} acts on checkpoints; give workload.checkpoint"
        return
    if expansion.candidates(fault, ground) != ["worker/0"]:
        yield ("select",), "checkpoints are written by worker 0; give role: worker, rank: 0"
    step = fault.at.step if fault.at else None
    if fault.name == "checkpoint_kill" and (step is None or step % asked.every or not step):
        yield ("at",), f"checkpoints are written at multiples of {asked.every} steps; give such a step"


def _told_wrong(scenario: Scenario, fault: Fault) -> Iterator[Violation]:
    if scenario.topology.network is not None and getattr(fault, "port", None) == network.PORT:
        yield ("port",), f"{network.PORT} is the right one in a pocket cluster; give another"
    roles = topologies.find(scenario.topology).roles(scenario.topology, lambda _: topologies.LOOPBACK)
    name = f"{fault.select.role}/{fault.select.rank or 0}"
    for role in roles:
        if role.name in (name, fault.select.role) and dict(fault.environment(role.name, role.env)) == role.env:
            yield (), f"{role.name} is told nothing of the kind in this topology, or the same"


def _sizes(scenario: Scenario, fault: Fault) -> Iterator[Violation]:
    facts = models.facts(scenario.workload.model)
    assert facts is not None and isinstance(fault, WorkerFault)
    smallest = min(fault.sizes(scenario.seed, scenario.workload.steps))
    if not facts.variable:
        yield ("shapes",), f"{scenario.workload.model} takes one size only"
    elif smallest < facts.smallest:
        yield ("shapes",), f"{scenario.workload.model} needs a size of {facts.smallest} or more, not {smallest}"


def _together(decided: list[Decided]) -> Iterator[Violation]:
    if len(decided) > expansion.MAX_FAULTS:
        yield ("faults",), f"more than {expansion.MAX_FAULTS} faults in all"
        return
    for number, one in enumerate(decided):
        reasons = (expansion.meets(one, other) for other in decided[:number])
        for reason in dict.fromkeys(filter(None, reasons)):
            yield ("faults", one.source), f"{one.entry.fault.name} of {one.target}: {reason}; give other steps"
