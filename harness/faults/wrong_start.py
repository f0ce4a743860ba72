"""A process is told the wrong thing when it starts: a stale port, another number of workers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from harness.events import Environment
from harness.faults import StartFault
from harness.instructions import Inspect, Instruction
from harness.receipts import Evidence

_VARIABLES = {
    "port": ("DMLC_PS_ROOT_PORT", "HOROVOD_GLOO_RENDEZVOUS_PORT"),
    "workers": ("DMLC_NUM_WORKER", "HOROVOD_SIZE"),
    "servers": ("DMLC_NUM_SERVER",),
}


class WrongStart(StartFault):
    """The selected process starts with a wrong port of the scheduler, or a wrong number of workers or servers."""

    name: ClassVar[str] = "wrong_start"
    port: Annotated[int, Field(ge=1, le=65535, strict=True)] | None = None
    workers: Annotated[int, Field(ge=1, strict=True)] | None = None
    servers: Annotated[int, Field(ge=1, strict=True)] | None = None

    @model_validator(mode="after")
    def _wrong(self) -> WrongStart:
        if self.port is self.workers is self.servers is None:
            raise ValueError("give port, workers or servers")
        return self

    def environment(self, role: str, env: Mapping[str, str]) -> Mapping[str, str]:
        return {**env, **{name: value for name, value in self._wanted().items() if name in env}}

    def inject(self, role: str, number: int) -> tuple[Instruction, ...]:
        return (Inspect(role, number, tuple(self._wanted())),)

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        """The environment that the kernel keeps of the process (``/proc/<pid>/environ``)."""
        told = evidence.first(Environment)
        if told is None or not told.values:
            return False, "the process has none of these variables"
        proven = all(self._wanted()[name] == value for name, value in told.values.items())
        return proven, ", ".join(f"it was started with {name}={value}" for name, value in told.values.items())

    def _wanted(self) -> dict[str, str]:
        given = {field: getattr(self, field) for field in _VARIABLES}
        return {
            name: str(given[field]) for field, names in _VARIABLES.items() if given[field] is not None for name in names
        }
