"""Scenarios and misbehaviours from a seed."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

from harness.base.errors import ScenarioError
from harness.planning import planner, validation
from harness.planning.plan import Plan
from harness.scenario import load
from harness.scenario.schema import Target
from tests.simulation.world import Misbehaviour

STEPS = 100
ON_CHECKPOINTS = ("checkpoint_kill", "checkpoint_corrupt", "disk_full")
MEETINGS = (30, 35, 40, 45)
"""Steps at which faults often begin, so that they meet."""

TOPOLOGIES: tuple[dict[str, Any], ...] = (
    {"kvstore": "dist_sync", "workers": 2, "servers": 1, "network": {}},
    {"kvstore": "dist_async", "workers": 2, "servers": 1, "network": {}},
    {"kvstore": "dist_sync", "workers": 3, "servers": 2, "network": {}},
    {"horovod": {"ranks": 2}, "network": {}},
)
FAULTS = (
    "kill", "exit", "memory_limit", "memory_limit", "partition", "latency", "latency", "cpu_hog", "cpu_hog", "scale",
    "scale", "stale", "stale", "pause", "pause", "pause", "slow", "slow", "slow", "slow", "restart", "restart",
    "restart", "checkpoint_kill", "checkpoint_corrupt", "checkpoint_corrupt", "disk_full", "disk_full", "late_start",
    "wrong_start",
)  # fmt: skip


def plan_of(seed: int, keep: tuple[int, ...] | None = None) -> Plan:
    """The plan of a seed; with ``keep``, only these of its faults. What cannot be planned is drawn anew."""
    random = Random(f"plan {seed}")
    while True:
        scenario = _scenario(random, seed)
        if keep is not None:
            scenario["faults"] = [scenario["faults"][place] for place in keep if place < len(scenario["faults"])]
        try:
            loaded = validation.checked(load.parse(json.dumps(scenario), "simulated"))
        except ScenarioError:
            continue
        return planner.make(loaded, {"": Target()}, "w")


def misbehaviour_of(seed: int, plan: Plan) -> Misbehaviour | None:
    """What is wrong in the world of a seed: nothing in half of them."""
    random = Random(f"wrong {seed}")
    schedule = [
        injection for injection in plan.arms[-1].schedule if injection.part.name != "late_start"
    ]  # nobody is asked
    kind = random.choice(("", "", "", "", "", "fault", "fault", "dies", "hiccup", "hiccup", "never imports"))
    if kind in ("dies", "hiccup"):
        roles = [role.name for role in plan.arms[-1].roles]
        when = (0.0, 4.0) if kind == "dies" else (1.2, 2.4)  # while it trains
        return Misbehaviour(kind, role=random.choice(roles), at=random.uniform(*when))  # type: ignore[arg-type]
    if kind == "never imports":
        return Misbehaviour("never imports", role=random.choice(("", *plan.arms[-1].workers)))
    if kind == "fault" and schedule:
        injection = random.choice(schedule)
        way = random.choice(("ignores", "wrong role", "stops early", "never undoes"))
        return Misbehaviour(way, fault=injection.fault)  # type: ignore[arg-type]
    return None


def _scenario(random: Random, seed: int) -> dict[str, Any]:
    topology = random.choice(TOPOLOGIES)
    workers = topology.get("workers", 2)
    workload: dict[str, Any] = {"model": "mlp", "batch_size": 32, "steps": STEPS, "warmup": 10}
    every = random.choice((0, 20, 20, 30, 30))
    if every:
        workload["checkpoint"] = {"every": every}
    names = [name for name in FAULTS if every or name not in ON_CHECKPOINTS]
    faults = [
        _fault(random, random.choice(names), workers, "servers" in topology, every) for _ in range(random.randint(0, 5))
    ]
    return {
        "title": "simulated",
        "seed": seed,
        "workload": workload,
        "topology": topology,
        "startup_timeout": "10s",
        "stall_timeout": "5s",
        "faults": faults,
    }


def _fault(random: Random, name: str, workers: int, servers: bool, every: int) -> dict[str, Any]:
    role = "worker" if name in ("scale", "stale", "exit") or not servers or random.random() < 0.7 else "server"
    rank = random.choice((1, 1, random.randrange(workers)))
    select: dict[str, Any] = {"role": role, "rank": rank if role == "worker" else 0}
    if name in ON_CHECKPOINTS:
        select = {"role": "worker", "rank": 0}
    fault: dict[str, Any] = {"select": select, **_trigger(random, name, every), **_parameters(random, name)}
    if name in ("slow", "scale", "stale", "cpu_hog", "memory_limit", "latency", "disk_full") and "every" not in fault:
        by_time = "time" in fault.get("at", {}) or "event" in fault.get("at", {})
        lasts = {"time": f"{random.randint(1, 20) * 100}ms"} if by_time else {"steps": random.randint(1, 40)}
        fault["for"] = lasts
    elif name in ("pause", "partition"):
        fault["for"] = {"time": f"{random.randint(1, 30) * 100}ms"}
    elif "every" in fault and name not in ("kill", "restart", "exit", "checkpoint_corrupt"):
        fault["for"] = {"steps": random.randint(1, 15)} if "steps" in fault["every"] else {"time": "200ms"}
    return {name: fault}


def _trigger(random: Random, name: str, every: int) -> dict[str, Any]:
    if name in ("late_start", "wrong_start"):
        return {}
    if name == "checkpoint_kill":
        return {"at": {"step": every * random.randint(1, (STEPS - 1) // every)}}
    worker_only = name in ("scale", "stale", "exit")
    kind = random.choice(
        ("step", "step", "every", "random") if worker_only else ("step", "step", "time", "event", "every")
    )
    if kind == "step":
        return {"at": {"step": random.choice((random.randint(1, STEPS - 1), *MEETINGS))}}
    if kind == "time":
        return {"at": {"time": f"{random.randint(0, 12) * 100}ms"}}
    if kind == "event":
        return {"at": {"event": random.choice(("checkpointed", "resumed", "exited", "done")), "of": "worker/0"}}
    if kind == "random":
        return {"random": {"rate": "2%"}}
    return {"every": {"steps": random.randint(20, 60)}}


def _parameters(random: Random, name: str) -> dict[str, Any]:
    choices: dict[str, dict[str, Any]] = {
        "slow": {"factor": random.choice((1.5, 2.0, 4.0))},
        "restart": {
            "after": f"{random.randint(1, 20) * 100}ms",
            "scope": random.choice(("process", "job", "job", "job")),
        },
        "scale": {"factor": 2.0},
        "memory_limit": {"limit": "900MB"},
        "latency": {"by": "5ms"},
        "late_start": random.choice(({}, {"by": "1s"}, {"by": "3s"})),
        "wrong_start": {"workers": 7},
        "checkpoint_kill": random.choice(({}, {"after": "1s"})),
    }
    return choices.get(name, {})


@cache
def cached_plan(seed: int) -> Plan:
    """The plan of a seed, made once."""
    return plan_of(seed)
