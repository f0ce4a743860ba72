"""What MXNet does under each fault on each topology: one small run a cell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

HEALTHY, FAILED = "nothing", "no verdict"
STEP = 150
"""The step before which each fault begins, of `_STEPS`."""

_STEPS = 300
_BASE = {
    "seed": 61,
    "workload": {"model": "mlp", "dataset": "digits", "batch_size": 32, "steps": _STEPS, "warmup": 20},
    "stall_timeout": "5s",
    "startup_timeout": "60s",
}
_TOPOLOGIES: dict[str, dict[str, Any]] = {
    "dist_sync": {"kvstore": "dist_sync", "workers": 2, "servers": 1, "network": {}},
    "dist_async": {"kvstore": "dist_async", "workers": 2, "servers": 1, "network": {}},
    "horovod": {"horovod": {"ranks": 2}, "network": {}},
}
_ROLES = {
    "dist_sync": ("worker", "server", "scheduler"),
    "dist_async": ("worker", "server", "scheduler"),
    "horovod": ("worker", "scheduler"),
}
_SECONDS = (1, 5, 30)
_WAYS = {"out": "from it", "in": "to it", "both": "both ways"}
_HEARTBEATS = {"PS_HEARTBEAT_INTERVAL": 1, "PS_HEARTBEAT_TIMEOUT": 3}


@dataclass(frozen=True)
class Cell:
    """One run: a fault (`HEALTHY` for none) on a topology, as a scenario in YAML."""

    topology: str
    fault: str
    text: str

    @property
    def name(self) -> str:
        """A file name."""
        return f"{self.topology}-{self.fault}".replace(" ", "-").replace(",", "")


@dataclass(frozen=True)
class Result:
    """What became of a cell. ``loss`` and ``weights`` are None where not all workers trained to the end.

    ``unproven``: why a fault has no receipt, "" where each has. ``weights``: the digest of all workers' weights, ""
    where they differ.
    """

    topology: str
    fault: str
    outcome: str
    reason: str
    unproven: str
    recovery: float | None = None
    loss: float | None = None
    weights: str | None = None
    run: str = ""


def topologies() -> list[str]:
    """The columns."""
    return list(_TOPOLOGIES)


def faults() -> list[str]:
    """The words by which rows can be chosen."""
    return ["kill", "pause", "partition", "restart"]


def cells(wanted_topologies: Sequence[str], wanted_faults: Sequence[str]) -> list[Cell]:
    """Every run of the table, the healthy ones first: others are compared with them."""
    found = [Cell(topology, HEALTHY, _text(topology, HEALTHY, None, {})) for topology in wanted_topologies]
    for topology in wanted_topologies:
        for fault, entry, changes in _rows(topology):
            if fault.split()[0] in wanted_faults:
                found.append(Cell(topology, fault, _text(topology, fault, entry, changes)))
    return found


def _rows(topology: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    at = {"at": {"step": STEP}}
    for role in _ROLES[topology]:
        select = {"select": {"role": role, **({} if role == "scheduler" else {"rank": 1 if role == "worker" else 0})}}
        yield f"kill {role}", {"kill": {**select, **at}}, {}
        for seconds in _SECONDS:
            lasts = {"for": {"time": f"{seconds}s"}}
            yield f"pause {role}, {seconds} s", {"pause": {**select, **at, **lasts}}, {}
            for way, words in _WAYS.items():
                cut = {**select, **at, **lasts, "direction": way}
                yield f"partition {role} {words}, {seconds} s", {"partition": cut}, {"patience": 20 + 2 * seconds}
        if topology != "horovod":
            yield f"restart {role}", {"restart": {**select, **at}}, {}
            if role != "scheduler":
                yield f"restart {role}, with heartbeats", {"restart": {**select, **at}}, {"env": _HEARTBEATS}
    job = {"restart": {"select": {"role": "worker", "rank": 1}, **at, "scope": "job"}}
    yield "restart job, with checkpoints", job, {"checkpoint": {"every": 40}}


def _text(topology: str, fault: str, entry: dict[str, Any] | None, changes: dict[str, Any]) -> str:
    scenario: dict[str, Any] = {
        "title": f"What does {topology} do: {fault}?",
        **_BASE,
        "topology": _TOPOLOGIES[topology],
        "faults": [] if entry is None else [entry],
    }
    if "patience" in changes:  # TCP waits up to as long again before it tries once more
        scenario["stall_timeout"] = f"{changes['patience']}s"
    if "checkpoint" in changes:
        scenario["workload"] = {**scenario["workload"], "checkpoint": changes["checkpoint"]}
    if "env" in changes:
        scenario["target"] = {"env": changes["env"]}
    return yaml.safe_dump(scenario, sort_keys=False)


def result(cell: Cell, verdict: Mapping[str, Any]) -> Result:
    """What the JSON form of a verdict says of a cell."""
    arm = verdict["arms"][-1]
    measures = {(one["name"], one["role"]): one for one in arm["measures"]}
    digests = measures.get(("different_weights", ""), {})
    return Result(
        cell.topology,
        cell.fault,
        arm["outcome"] or "unknown",
        arm["reason"],
        "; ".join(one["evidence"] for one in arm["receipts"] if not one["proven"]),
        _value(measures, "recovery_time"),
        _value(measures, "final_loss"),
        None if digests.get("value") is None else digests["note"] if digests["value"] == 1 else "",
        verdict["run"],
    )


def failed(cell: Cell, why: str) -> Result:
    """A cell whose run gave no verdict."""
    return Result(cell.topology, cell.fault, FAILED, why, why)


def _value(measures: Mapping[tuple[str, str], Mapping[str, Any]], name: str) -> float | None:
    value = measures.get((name, ""), {}).get("value")
    return None if value is None else float(value)


def words(found: Result, healthy: Result | None) -> str:
    """A cell in words: outcome, then recovery, agreement and drift where training went through."""
    if found.outcome == FAILED:
        return f"{FAILED}: {found.reason}"
    if found.unproven:
        nothing = "no packet came by" in found.unproven
        return f"{found.outcome}; {'no packet came by' if nothing else 'the fault has no receipt'}"
    if found.fault == HEALTHY or found.outcome != "completed":
        return _ended(found)
    parts = [found.outcome]
    if found.recovery is not None:
        parts.append(f"steady after {found.recovery:.1f} s")
    if found.weights == "" and (healthy is None or healthy.weights):
        parts.append("weights differ")
    return "; ".join([*parts, *_drift(found, healthy)])


def _ended(found: Result) -> str:
    if found.outcome == "hung" and "had finished" in found.reason:
        return "trained, hung at the exit"
    return found.outcome


def _drift(found: Result, healthy: Result | None) -> list[str]:
    if healthy is None or found.loss is None or not healthy.loss:
        return []
    if found.weights and found.weights == healthy.weights:
        return ["no drift"]
    return [f"loss {found.loss / healthy.loss - 1:+.0%}"]
