"""What becomes of a job whose processes are killed, paused, cut off or restarted, on each topology: a run a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import yaml

from harness.base.errors import InputError
from harness.judging.verdict import Verdict
from harness.studies.study import Study, Trial

HEALTHY, FAILED = "nothing", "no verdict"
FAULTS = ("kill", "pause", "partition", "restart")
"""The words by which rows can be chosen."""

STEP = 150
"""The step before which each fault begins, of `_STEPS`; half-way where a script ends sooner."""

_STEPS = 300
OURS: Mapping[str, Any] = {"model": "mlp", "dataset": "digits", "batch_size": 32}
"""What is trained where no script is given."""

_LENGTH = {"steps": _STEPS, "warmup": 20}
_BASE = {
    "seed": 61,
    "stall_timeout": "5s",
    "startup_timeout": "60s",
    "control": False,
}
TOPOLOGIES: Mapping[str, Mapping[str, Any]] = {
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

    ``stage``: where it hung. ``unproven``: why a receipt does not stand, "" where each does, and ``word`` for it;
    ``idle``: because nothing came by that it could act on. ``weights``: the digest of all workers' weights, "" where
    they differ; ``where``: what workers were waiting for, where they hung. ``steps``: how many
    all workers trained, where they came to their end.
    """

    topology: str
    fault: str
    outcome: str
    reason: str
    unproven: str
    stage: str = ""
    idle: bool = False
    word: str = ""
    recovery: float | None = None
    loss: float | None = None
    weights: str | None = None
    run: str = ""
    where: str = ""
    steps: int | None = None


class Table(Study):
    """Every fault of `FAULTS` on every one of `TOPOLOGIES`, or some; InputError for others.

    ``workload``: what is trained, as a scenario says it, but for the steps; a script's arguments may ask for {kvstore}.
    ``env``: variables that it needs.
    """

    name: ClassVar[str] = "table"

    def __init__(
        self,
        topologies: Sequence[str] = (),
        faults: Sequence[str] = (),
        workload: Mapping[str, Any] = OURS,
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._workload, self._env = dict(workload), dict(env)
        self._topologies, self._faults = chosen_topologies(topologies), chosen_faults(faults)
        self._results: dict[str, Result] = {}

    @property
    def question(self) -> Mapping[str, Any]:
        asked = {"topologies": self._topologies, "faults": self._faults, "workload": self._workload}
        return {**asked, "env": self._env} if self._env else asked

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Table:
        return cls(question["topologies"], question["faults"], question.get("workload", OURS), question.get("env", {}))

    @property
    def _cells(self) -> dict[str, Cell]:
        """Those that there are, as far as is known: where a job does not even train healthy, nothing more is asked."""
        steps = {topology: self._step(topology) for topology in self._topologies}
        known = cells(self._topologies, self._faults, self._workload, steps, self._env)
        return {cell.name: cell for cell in known if cell.fault == HEALTHY or cell.topology not in self.broken}

    def _healthy(self, topology: str) -> Result | None:
        return self._results.get(Cell(topology, HEALTHY, "").name)

    def _step(self, topology: str) -> int:
        """Before which faults begin: half-way, where the job ends sooner than it may."""
        healthy = self._healthy(topology)
        taken = healthy.steps if healthy is not None and healthy.steps else _STEPS
        return max(1, min(STEP, taken // 2))

    @property
    def broken(self) -> list[str]:
        """Topologies on which the job does not train to its end though nothing is done to it."""
        healthy = [self._healthy(topology) for topology in self._topologies]
        return [each.topology for each in healthy if each is not None and each.outcome != "completed"]

    @property
    def total(self) -> int:
        return len(self._cells)

    def wanted(self) -> Sequence[Trial]:
        missing = {name: cell for name, cell in self._cells.items() if name not in self._results}
        first = {name: cell for name, cell in missing.items() if cell.fault == HEALTHY}
        return [Trial(name, cell.text) for name, cell in (first or missing).items()]

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        cell = self._cells[key]
        found = failed(cell, failure) if verdict is None else result(cell, verdict)
        self._results[key] = found
        return f"{found.topology}, {found.fault}: {words(found, None)}"

    def summary(self) -> Mapping[str, Any]:
        return {"cells": [asdict(result) for result in self.results]}

    @property
    def what(self) -> str:
        """What each run is."""
        job = "2 workers and a server, or 2 ranks" if len(self._topologies) > 1 else "2 workers"
        steps = sorted({self._step(topology) for topology in self._topologies})
        return f"{job}, no more than {_STEPS} steps, each fault before step {' or '.join(map(str, steps))}"

    @property
    def in_words(self) -> str:
        return f"{len(self._results)} of {self.total} cells of {', '.join(self._topologies)}"

    @property
    def results(self) -> list[Result]:
        """What was found so far, in the order of the cells."""
        return [self._results[name] for name in self._cells if name in self._results]


def chosen_topologies(wanted: Sequence[str]) -> list[str]:
    """Columns: those that are wanted, or all; InputError for a word that is none."""
    return _chosen("topology", wanted, list(TOPOLOGIES))


def chosen_faults(wanted: Sequence[str]) -> list[str]:
    """Rows, by their first word: those that are wanted, or all; InputError for a word that is none."""
    return _chosen("fault", wanted, FAULTS)


def _chosen(kind: str, wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """Those that are wanted, or all; InputError for a word that is none of them."""
    for word in wanted:
        if word not in known:
            raise InputError(f"{kind} {word!r} is not in the table; there are {', '.join(known)}")
    return list(wanted or known)


def cells(
    wanted_topologies: Sequence[str],
    wanted_faults: Sequence[str],
    workload: Mapping[str, Any] = OURS,
    steps: Mapping[str, int] = MappingProxyType({}),
    env: Mapping[str, str] = MappingProxyType({}),
) -> list[Cell]:
    """Every run of the table, the healthy ones first: others are compared with them.

    ``steps``: before which faults begin on a topology, if not before `STEP`; ``env``: variables of all.
    """
    own = {"env": env} if env else {}
    wanted = [Cell(topology, HEALTHY, _text(topology, workload, HEALTHY, None, own)) for topology in wanted_topologies]
    for topology in wanted_topologies:
        for fault, entry, changes in _rows(topology, "script" in workload, steps.get(topology, STEP)):
            if fault.split()[0] in wanted_faults:
                both = {**changes, "env": {**env, **changes.get("env", {})}} if env else changes
                wanted.append(Cell(topology, fault, _text(topology, workload, fault, entry, both)))
    return wanted


def _rows(topology: str, of_script: bool, step: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    at = {"at": {"step": step}}
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
    if of_script:
        yield "restart job", job, {}
    else:
        yield "restart job, with checkpoints", job, {"checkpoint": {"every": 40}}


def _text(
    topology: str, workload: Mapping[str, Any], fault: str, entry: dict[str, Any] | None, changes: dict[str, Any]
) -> str:
    scenario: dict[str, Any] = {
        "title": f"What does {topology} do: {fault}?",
        **_BASE,
        "workload": {**workload, **_LENGTH},
        "topology": dict(TOPOLOGIES[topology]),
        "faults": [] if entry is None else [entry],
    }
    if "patience" in changes:  # TCP waits up to as long again before it tries once more
        scenario["stall_timeout"] = f"{changes['patience']}s"
    if "checkpoint" in changes:
        scenario["workload"] = {**scenario["workload"], "checkpoint": changes["checkpoint"]}
    if "env" in changes:
        scenario["target"] = {"env": dict(changes["env"])}
    return yaml.safe_dump(scenario, sort_keys=False)


def result(cell: Cell, verdict: Verdict) -> Result:
    """What became of a cell, by its verdict."""
    arm = verdict.arms[-1]
    ended, digests = arm.ended, arm.get("different_weights")
    unproven = [receipt for receipt in arm.receipts if not receipt.stands]
    weights = None if digests.value is None else digests.note if digests.value == 1 else ""
    return Result(
        cell.topology,
        cell.fault,
        ended.outcome if ended else "unknown",
        ended.reason if ended else "the history has no end",
        "; ".join(receipt.evidence for receipt in unproven),
        ended.stage if ended else "",
        bool(unproven) and all(receipt.idle for receipt in unproven),
        unproven[0].word if unproven else "",
        arm.get("recovery_time").value,
        arm.get("final_loss").value,
        weights,
        verdict.run,
        "; ".join(f"{each.role} {each.doing}" for each in verdict.blocked if each.role.startswith("worker")),
        ended.steps if ended and ended.outcome == "completed" else None,
    )


def failed(cell: Cell, why: str) -> Result:
    """Of a cell without a verdict."""
    return Result(cell.topology, cell.fault, FAILED, why, why)


def words(result: Result, healthy: Result | None) -> str:
    """A cell in words: outcome, then recovery, agreement and drift where training went through."""
    if result.outcome == FAILED:
        return f"{FAILED}: {result.reason}"
    if result.unproven:
        return f"{result.outcome}; {'no packet came by' if result.idle else f'receipt: {result.word}'}"
    if result.fault == HEALTHY or result.outcome != "completed":
        return "trained, hung at the exit" if (result.outcome, result.stage) == ("hung", "exit") else result.outcome
    parts = [result.outcome]
    if result.recovery is not None:
        parts.append(f"steady after {result.recovery:.1f} s")
    if result.weights == "" and (healthy is None or healthy.weights):
        parts.append("weights differ")
    return "; ".join([*parts, *_drift(result, healthy)])


def _drift(result: Result, healthy: Result | None) -> list[str]:
    """One pair of runs tells of a drift only that there is none, bit by bit; all else may be noise."""
    same = healthy is not None and result.weights and result.weights == healthy.weights
    return ["no drift"] if same else []
