"""What becomes of a job whose processes are killed, paused, cut off or restarted, on each topology: a run a cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import yaml

from harness.base.errors import InputError
from harness.base.units import parse_duration
from harness.judging.verdict import Verdict
from harness.scenario import overrides
from harness.scenario.document import Document
from harness.scenario.overrides import Override
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
_BASE = {"seed": 61, "startup_timeout": "60s", "control": False}
_STALL, _STALL_OF_SCRIPTS = "5s", "30s"
"""A script may do something else between two steps, as validation."""

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
    ``env``: variables that it needs. ``changes``: of fields of every cell's scenario, by path.
    """

    name: ClassVar[str] = "table"

    def __init__(
        self,
        topologies: Sequence[str] = (),
        faults: Sequence[str] = (),
        workload: Mapping[str, Any] = OURS,
        env: Mapping[str, str] = MappingProxyType({}),
        changes: Sequence[Override] = (),
    ) -> None:
        self._workload, self._env, self._changes = dict(workload), dict(env), [tuple(change) for change in changes]
        self._topologies, self._faults = chosen_topologies(topologies), chosen_faults(faults)
        self._results: dict[str, Result] = {}

    @property
    def question(self) -> Mapping[str, Any]:
        asked = {"topologies": self._topologies, "faults": self._faults, "workload": self._workload}
        more = {"env": self._env, "changes": self._changes}
        return {**asked, **{name: value for name, value in more.items() if value}}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Table:
        job = question.get("workload", OURS), question.get("env", {}), question.get("changes", ())
        return cls(question["topologies"], question["faults"], *job)

    @property
    def _cells(self) -> dict[str, Cell]:
        """Those that there are, as far as is known: where a job does not even train healthy, nothing more is asked."""
        steps = {topology: self._step(topology) for topology in self._topologies}
        known = cells(self._topologies, self._faults, self._workload, steps, self._env, self._changes)
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
        broken = f"; without any fault it does not train on {', '.join(self.broken)}" if self.broken else ""
        return f"{len(self._results)} of {self.total} cells of {', '.join(self._topologies)}{broken}"

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
    changes: Sequence[Override] = (),
) -> list[Cell]:
    """Every run of the table, the healthy ones first: others are compared with them.

    ``steps``: before which faults begin on a topology, if not before `STEP`; ``env``: variables of all; ``changes``: of
    fields of all.
    """
    own = {"env": env} if env else {}
    healthy = ((topology, _text(topology, workload, HEALTHY, None, own, changes)) for topology in wanted_topologies)
    wanted = [Cell(topology, HEALTHY, text) for topology, text in healthy]
    for topology in wanted_topologies:
        for fault, entry, special in _rows(topology, "script" in workload, steps.get(topology, STEP)):
            if fault.split()[0] in wanted_faults:
                both = {**special, "env": {**env, **special.get("env", {})}} if env else special
                wanted.append(Cell(topology, fault, _text(topology, workload, fault, entry, both, changes)))
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
    topology: str,
    workload: Mapping[str, Any],
    fault: str,
    entry: dict[str, Any] | None,
    special: Mapping[str, Any],
    changes: Sequence[Override],
) -> str:
    """The scenario of a cell: what is ``special`` about a row comes after what is changed in all."""
    stall = dict(changes).get("stall_timeout", _STALL_OF_SCRIPTS if "script" in workload else _STALL)
    scenario: dict[str, Any] = {
        "title": f"What does {topology} do: {fault}?",
        **_BASE,
        "workload": {**workload, **_LENGTH},
        "topology": dict(TOPOLOGIES[topology]),
        "faults": [] if entry is None else [entry],
    }
    if "checkpoint" in special:
        scenario["workload"] = {**scenario["workload"], "checkpoint": special["checkpoint"]}
    if "env" in special:
        scenario["target"] = {"env": dict(special["env"])}
    scenario = overrides.apply(Document(fault, scenario, "", {}), changes).values
    scenario["stall_timeout"] = _patient(stall, special.get("patience", 0))
    return yaml.safe_dump(scenario, sort_keys=False)


def _patient(stall: Any, seconds: int) -> Any:
    """TCP waits up to as long again before it tries once more. What is no duration is refused with the scenario."""
    try:
        return max(stall, f"{seconds}s", key=parse_duration)
    except ValueError:
        return stall


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
