"""Memory that each process of a job holds on each GPU, as the driver says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from harness.measures import Measure
from harness.planning.plan import Arm
from harness.vocabulary.events import Announced, Event, GpuSampled, Spawned
from harness.vocabulary.quantities import Quantity


class GpuProcesses(Measure):
    """The most that each worker held of each GPU: arrays, the pool, CUDA's context and libraries.

    A driver names processes by their numbers on the host: in a container it often names none of ours.
    """

    name: ClassVar[str] = "gpu_processes"
    hears: ClassVar[tuple[type[Event], ...]] = (Spawned, Announced, GpuSampled)

    def __init__(self, arm: Arm) -> None:
        super().__init__(arm)
        self._roles: dict[str, str] = {}
        self._most: dict[tuple[str, str], int] = {}
        self._missing = ""

    def add(self, event: Event) -> None:
        if isinstance(event, Spawned | Announced):
            self._roles[str(event.pid)] = event.subject
        elif isinstance(event, GpuSampled):
            self._missing = event.missing.get("processes", self._missing)
            for pid, held in event.processes.items():
                if pid in self._roles:
                    key = self._roles[pid], event.subject
                    self._most[key] = max(self._most.get(key, 0), held)

    def quantities(self) -> Iterable[Quantity]:
        if not self.arm.gpus:
            return
        seen = {role for role, _ in self._most}
        for role in self.arm.workers:
            if role not in seen:
                why = self._missing or "the driver named no process of ours; in a container it often does not"
                yield Quantity("gpu_process_memory", "B", None, subject=role, note=why)
        for (role, gpu), held in sorted(self._most.items()):
            yield Quantity("gpu_process_memory", "B", held, 1, held, held, f"{role} on {gpu}")
