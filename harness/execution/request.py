"""What to run, with which program, and where results go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.base import registry
from harness.base.errors import RegistryError
from harness.execution import worker_archive
from harness.planning import planner
from harness.planning.plan import Plan
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Target
from harness.targets.interpreter import Interpreter
from harness.vocabulary.instructions import Act

_AGENT_FAULTS = "harness.agent.faults"


@dataclass(frozen=True)
class Planned:
    """A scenario that is planned, as it is written, with the program that its workers will be."""

    plan: Plan
    written: LoadedScenario
    worker: bytes

    def request(self, interpreters: Mapping[str, Interpreter], results: Path, **origin: str) -> Request:
        """The request to run it; ``origin`` is kept in the run's status."""
        return Request(self.plan, self.written.text, self.worker, interpreters, results, origin)


@dataclass(frozen=True)
class Request:
    """A plan to run with the interpreter of each arm, below a folder of results."""

    plan: Plan
    scenario_text: str
    worker: bytes
    interpreters: Mapping[str, Interpreter]
    results: Path
    origin: Mapping[str, str] = field(default_factory=dict)


def planned(loaded: LoadedScenario, targets: Mapping[str, Target]) -> Planned:
    """Plan a scenario for the target of each arm, with this version's worker.

    RegistryError where nobody can commit a fault.
    """
    worker = worker_archive.of(loaded)
    plan = planner.make(loaded, targets, worker_archive.digest(worker))
    _require_agent_faults(plan)
    return Planned(plan, loaded, worker)


def _require_agent_faults(plan: Plan) -> None:
    known = registry.modules(_AGENT_FAULTS)
    for injection in (injection for arm in plan.arms for injection in arm.schedule):
        for instruction in injection.part.inject(injection.subject, injection.fault):
            if isinstance(instruction, Act):
                _require_commit(instruction.name, known)


def _require_commit(name: str, known: Mapping[str, str]) -> None:
    if name not in known:
        raise RegistryError(f"nothing says how the agent commits {name!r}: add {_AGENT_FAULTS}.{name}")
    registry.require_class(known[name], "Commit")
