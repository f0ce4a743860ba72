"""What parts may know of a scenario's job, gathered from it."""

from __future__ import annotations

from harness import topologies
from harness.gpu import wheels
from harness.planning.network import lay_out
from harness.scenario.schema import Scenario
from harness.vocabulary.job_bounds import JobBounds

UNKNOWN_STEPS = 10_000_000
"""Of a script that ends by itself."""


def bounds_of(scenario: Scenario) -> JobBounds:
    """The bounds of a scenario's job, or of a variant's."""
    workload, topology = scenario.workload, scenario.topology
    part = topologies.find(topology)
    names, exchange = part.names(topology), part.exchange(topology)
    hosts = dict.fromkeys(names, "")
    if topology.network is not None:
        placed = {role: host.name for host in lay_out(topology.network, names).hosts for role in host.roles}
        hosts = {name: placed[name] for name in names}
    return JobBounds(
        hosts=hosts,
        environments={role.name: role.env for role in part.roles(topology, lambda _: topologies.LOOPBACK)},
        steps=workload.steps or UNKNOWN_STEPS,
        warmup=workload.warmup,
        window=workload.window,
        seed=scenario.seed,
        training=workload.training if workload.script is None else "script",
        model=workload.model or workload.script or workload.training,
        input=workload.facts.input if workload.script is None else "",
        smallest=workload.facts.smallest if workload.script is None else 1,
        variable=workload.facts.variable or workload.script is not None,
        checkpoint_every=workload.checkpoint.every if workload.checkpoint else None,
        own_checkpoints=workload.checkpoint is not None and workload.checkpoint.files is not None,
        elastic=part.elastic,
        copies=exchange.workers * (len(topology.contexts) if exchange.splits_batches else 1),
        phases=workload.phases,
        counts_live=workload.memory != "resident",
        startup_timeout=scenario.startup_timeout,
        faults=len(scenario.faults),
        repeats=scenario.repeats,
        contexts=tuple(topology.contexts),
        scratch=workload.scratch,
        nccl=(scenario.target.nccl or wheels.DEFAULT_NCCL) if scenario.target.cuda else "",
    )
