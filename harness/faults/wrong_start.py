"""A process starts with what is wrong: a stale port, another number of workers, an NCCL of another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from harness.faults import Fault, Life, Proof
from harness.gpu import wheels
from harness.vocabulary.events import Event, Imported
from harness.vocabulary.filled_in import asking_for_nccl
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
    """The selected process starts with a wrong port of the scheduler, a wrong number of workers or servers, or an NCCL
    of another version than the others have.
    """

    name: ClassVar[str] = "wrong_start"
    evidence: ClassVar[tuple[type[Event], ...]] = (Environment, Imported)
    port: Annotated[int, Field(ge=1, le=65535, strict=True)] | None = Field(
        default=None, description="where it looks for the scheduler, or the rendezvous"
    )
    workers: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        default=None, description="how many workers it takes the job to have"
    )
    servers: Annotated[int, Field(ge=1, strict=True)] | None = Field(
        default=None, description="how many servers it takes the job to have"
    )
    nccl: str | None = Field(default=None, description="a version of the wheel nvidia-nccl-cu11, which it loads")

    @model_validator(mode="after")
    def _wrong(self) -> WrongStart:
        if all(given is None for given in (self.port, self.workers, self.servers, self.nccl)):
            raise ValueError("give port, workers, servers or nccl")
        return self

    @property
    def life(self) -> Life:
        return Life(at_startup=True)

    def environment(self, env: Mapping[str, str]) -> Mapping[str, str]:
        told = {**env, **{name: value for name, value in self._wanted().items() if name in env}}
        return told if self.nccl is None else asking_for_nccl(told, self.nccl)

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Act(subject, number, self.name, {"names": list(self._wanted())}),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The environment that the kernel keeps of it (``/proc/<pid>/environ``); the version that its NCCL says."""
        proofs = [self._told(evidence)] if self._wanted() else []
        proofs += [self._loaded(evidence)] if self.nccl is not None else []
        return all(proven for proven, _ in proofs), ", ".join(sentence for _, sentence in proofs)

    def _told(self, evidence: Evidence) -> Proof:
        environment = evidence.first(Environment)
        if environment is None or not environment.values:
            return False, "the process has none of these variables"
        wanted, values = self._wanted(), environment.values
        proven = all(wanted[name] == value for name, value in values.items())
        return proven, ", ".join(f"it was started with {name}={value}" for name, value in values.items())

    def _loaded(self, evidence: Evidence) -> Proof:
        imported = evidence.first(Imported)
        if imported is None:
            return False, "it did not come so far as to load NCCL"
        version = imported.libraries.get("nccl")
        return version == self.nccl, f"it loaded NCCL {version}" if version else "it loaded no NCCL"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if job.networked and self.port == PORT:
            yield ("port",), f"{PORT} is the right one in a pocket cluster; give another"
        if self.nccl is not None:
            yield from self._of_nccl(job)
        for role in job.selected(self.select) if self._wanted() else ():
            env = job.environments[role]
            if dict(self.environment(env)) == dict(env):
                yield (), f"{role} is told nothing of the kind in this topology, or the same"

    def _of_nccl(self, job: JobBounds) -> Iterator[Refusal]:
        if not job.nccl:
            yield ("nccl",), 'the target has no NCCL that another could take the place of; give target: {cuda: "11"}'
        elif self.nccl not in wheels.PUBLISHED[wheels.NCCL]:
            known = ", ".join(wheels.PUBLISHED[wheels.NCCL])
            yield ("nccl",), f"there is no {wheels.NCCL} {self.nccl}; there are {known}"
        elif job.nccl == self.nccl:
            yield ("nccl",), f"{self.nccl} is that of the target, and of all its processes"
        for role in job.selected(self.select):
            if not role.startswith("worker/"):
                yield ("nccl",), f"{role} trains nothing, and uses no NCCL"

    def _wanted(self) -> dict[str, str]:
        given = {field: getattr(self, field) for field in _VARIABLES}
        return {
            name: str(given[field]) for field, names in _VARIABLES.items() if given[field] is not None for name in names
        }
