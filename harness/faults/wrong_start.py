"""A process is told the wrong thing when it starts: a stale port, another number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event
from harness.vocabulary.instructions import Act, Instruction
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.network_spec import PORT
from harness.vocabulary.receipts import Evidence

_VARIABLES = {
    "port": ("DMLC_PS_ROOT_PORT", "HOROVOD_GLOO_RENDEZVOUS_PORT"),
    "workers": ("DMLC_NUM_WORKER", "HOROVOD_SIZE"),
    "servers": ("DMLC_NUM_SERVER",),
}


@dataclass(frozen=True)
class Environment(Event):
    """Variables with which a process was started (``/proc/<pid>/environ``)."""

    fault: int
    values: dict[str, str]


class WrongStart(Fault):
    """The selected process starts with a wrong port of the scheduler, or a wrong number of workers or servers."""

    name: ClassVar[str] = "wrong_start"
    evidence: ClassVar[tuple[type[Event], ...]] = (Environment,)
    port: Annotated[int, Field(ge=1, le=65535, strict=True)] | None = None
    workers: Annotated[int, Field(ge=1, strict=True)] | None = None
    servers: Annotated[int, Field(ge=1, strict=True)] | None = None

    @model_validator(mode="after")
    def _wrong(self) -> WrongStart:
        if self.port is self.workers is self.servers is None:
            raise ValueError("give port, workers or servers")
        return self

    @property
    def life(self) -> Life:
        return Life(at_startup=True)

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        return {**env, **{name: value for name, value in self._wanted().items() if name in env}}

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"names": list(self._wanted())}),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The environment that the kernel keeps of the process (``/proc/<pid>/environ``)."""
        environment = evidence.first(Environment)
        if environment is None or not environment.values:
            return False, "the process has none of these variables"
        wanted, values = self._wanted(), environment.values
        proven = all(wanted[name] == value for name, value in values.items())
        return proven, ", ".join(f"it was started with {name}={value}" for name, value in values.items())

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if job.networked and self.port == PORT:
            yield ("port",), f"{PORT} is the right one in a pocket cluster; give another"
        for role in job.selected(self.select):
            env = job.environments[role]
            if dict(self.environment(env)) == dict(env):
                yield (), f"{role} is told nothing of the kind in this topology, or the same"

    def _wanted(self) -> dict[str, str]:
        given = {field: getattr(self, field) for field in _VARIABLES}
        return {
            name: str(given[field]) for field, names in _VARIABLES.items() if given[field] is not None for name in names
        }
