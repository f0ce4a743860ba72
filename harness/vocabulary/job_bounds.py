"""What a part may know of a job before it is planned, so that it can refuse what cannot work in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from harness.vocabulary.schedule import Select

Refusal = tuple[tuple[str, ...], str]
"""The field of the part that makes it impossible, () for the part itself, and why."""


@dataclass(frozen=True)
class JobBounds:
    """One arm's processes, steps and settings.

    ``hosts``: every role with its host, "" on loopback. ``environments``: what the topology tells each role.
    ``input``: what the model takes, "" where only a script knows. ``smallest`` and ``variable``: the least size that it
    takes, and whether it takes several. ``own_checkpoints``: whether a script writes checkpoints whose names are known.
    ``elastic``: whether a process that comes back can join again. ``copies`` of the weights are kept alike by training.
    ``startup_timeout``: seconds in which all must have come up. ``repeats``: how often each arm is run. ``contexts``:
    devices of each worker, or of all ranks of Horovod on a host. ``scratch``: whether what a script writes stays apart.
    ``nccl``: the version that the target has, "" for none.
    """

    hosts: Mapping[str, str]
    environments: Mapping[str, Mapping[str, str]]
    steps: int
    warmup: int
    window: int
    seed: int
    training: str
    model: str
    input: str
    smallest: int
    variable: bool
    checkpoint_every: int | None
    own_checkpoints: bool
    elastic: bool
    copies: int
    phases: bool
    counts_live: bool
    startup_timeout: float
    faults: int
    repeats: int = 1
    contexts: tuple[str, ...] = ("cpu(0)",)
    scratch: bool = False
    nccl: str = ""

    @property
    def networked(self) -> bool:
        """Whether processes run on hosts of a pocket cluster."""
        return any(self.hosts.values())

    @property
    def on_gpus(self) -> bool:
        """Whether a context is a GPU."""
        return any(context.startswith("gpu") for context in self.contexts)

    def contexts_of(self, role: str) -> tuple[str, ...]:
        """Devices that a role trains on; a rank of Horovod has the one of its number on its host."""
        rank = self.environments.get(role, {}).get("HOROVOD_LOCAL_RANK")
        return self.contexts if rank is None else (self.contexts[int(rank) % len(self.contexts)],)

    @property
    def windows(self) -> int:
        """Windows after the warm-up."""
        return (self.steps - self.warmup) // self.window

    def selected(self, select: Select) -> list[str]:
        """Roles that fit a selection, in the order of the job."""
        return [
            role
            for role, host in self.hosts.items()
            if select.role in (None, role.split("/")[0])
            and (select.rank is None or role.endswith(f"/{select.rank}"))
            and select.host in (None, host)
        ]
