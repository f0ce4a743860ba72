"""What is known of one planned fault while its arm runs: whether it waits, is in force, or is over. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from harness.faults import Fault, Life
from harness.planning.plan import Injection

Phase = Literal["waits", "in force", "over"]


@dataclass
class FaultState:
    """One planned fault.

    ``victims`` are those that are to end, or to start late. ``stopped_at``: when the agent had stopped the process,
    where it had to. ``gone_at``: when the last victim was gone. ``interrupted``: it was in force on a process whose
    place another takes. ``long``: it was in force for more than a moment. ``cut_by``: the fault that ended a process
    before this one had time to act. ``absent_by``: the fault that has kept the process away since this one began.
    """

    injection: Injection
    phase: Phase = "waits"
    injected_at: float | None = None
    stopped_at: float | None = None
    interrupted: bool = False
    victims: list[str] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    gone_at: float | None = None
    long: bool = False
    cut_by: FaultState | None = None
    absent_by: FaultState | None = None

    def __post_init__(self) -> None:
        self.part: Fault = self.injection.part
        self.life: Life = self.part.life

    def begin(self, now: float, victims: Iterable[str]) -> None:
        """Note that it acts from now on."""
        self.phase, self.injected_at, self.stopped_at, self.cut_by = "in force", now, None, None
        self.victims = list(victims)

    def interrupt(self) -> None:
        """Note that it waits for its clock to come to its steps again."""
        self.phase, self.interrupted = "waits", True

    def finish(self) -> None:
        """Note that it acts no more."""
        self.phase = "over"

    def mark_exited(self, victim: str, t: float) -> None:
        """Note that a victim is gone; with the last one, the time until they are started again begins."""
        self.gone.add(victim)
        if self.gone_at is None and self.gone >= set(self.victims):
            self.gone_at = t

    def covers(self, step: int) -> bool:
        """Whether it is to be in force before a step of its clock."""
        first, last = self.injection.first_step, self.injection.last_step
        return first is not None and first <= step and (last is None or step < last)

    @property
    def waits(self) -> bool:
        return self.phase == "waits"

    @property
    def active(self) -> bool:
        return self.phase == "in force"

    @property
    def by_steps(self) -> bool:
        """Whether it holds in steps of its clock only, and so not while a process starts again."""
        injection = self.injection
        return injection.first_step is not None and (injection.last_step is not None or self.part.kind == "worker")

    @property
    def will_restart(self) -> bool:
        """Whether it has yet to start its victims."""
        return self.active and self.life.restart_after is not None

    @property
    def outlives_process(self) -> bool:
        """Whether it is to hold for the process that takes the place of its subject, too."""
        life = self.life
        return self.part.kind != "link" and not (life.at_startup or life.terminates or life.suspends)

    @property
    def needs_process(self) -> bool:
        """Whether it can begin only on a process that is there."""
        return self.part.kind != "link" and not self.life.at_startup

    @property
    def heal_at(self) -> float | None:
        """When the clock ends it, once it has begun; for those that start processes again, once these are gone."""
        if self.life.restart_after is not None:
            since = self.gone_at if self.life.terminates else self.injected_at
            return None if since is None else since + self.life.restart_after
        seconds, since = self.life.seconds, self.stopped_at or self.injected_at
        return None if seconds is None or since is None else since + seconds
