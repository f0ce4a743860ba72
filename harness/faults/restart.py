"""A process, or the whole job, is killed and started again, as a cluster would."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Fault, Life, Proof, Tolerance
from harness.vocabulary.events import Event, Exited, Signalled, Spawned
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import GONE, Evidence, dose, killed

PROMPT_SECONDS = 0.5
"""A busy machine may need so long more to start a process."""


class Restart(Fault):
    """SIGKILL, and later the same command again: our loop goes on from its last checkpoint, a script as it sees fit."""

    name: ClassVar[str] = "restart"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled, Exited, Spawned)
    after: Duration = Field(default=1.0, description="from the end of the process to its new start")
    tolerance: Tolerance = 0.1
    scope: Literal["process", "job"] = Field(
        default="process", description="job: every process, as a cluster does where one cannot go on alone"
    )

    @property
    def life(self) -> Life:
        return Life(terminates=True, restart_after=self.after, whole_job=self.scope == "job")

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "KILL", number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The kernel's exit status names signal 9: of every process that it is of, but for those that were gone."""
        proofs = {subject: killed(evidence.of(subject)) for subject in evidence.subjects}
        if len(proofs) == 1:
            return proofs[evidence.subjects[0]]
        there = {subject: proof for subject, proof in proofs.items() if not _gone(evidence.of(subject))}
        missing = [f"{subject}: {sentence}" for subject, (proven, sentence) in there.items() if not proven]
        if missing or not there:
            return False, "; ".join(missing) or "all processes were gone already"
        return True, f"{len(there)} of {len(proofs)} processes: {next(iter(there.values()))[1]}"

    def dose(self, evidence: Evidence) -> tuple[bool | None, str]:
        """How long after its end each process was started again; of many, after the last one's."""
        starts = {event.subject: event.t for event in evidence.all(Spawned)}
        missing = [subject for subject in evidence.subjects if subject not in starts]
        if missing:
            return False, f"no new process was started for {', '.join(missing)}"
        ends = [event.t for event in evidence.all(Exited) if event.t < starts[event.subject]]
        waited = min(starts.values()) - max(ends, default=-math.inf)
        sentence = f"started again {waited:.3f} s later, {self.after:g} s were asked"
        doubt = f"and a busy machine may be {PROMPT_SECONDS:g} s late"
        return dose(waited - self.after, self.tolerance * self.after, PROMPT_SECONDS, sentence, doubt)

    def restored(self, evidence: Evidence) -> tuple[bool | None, str]:
        started = {event.subject: event.pid for event in evidence.all(Spawned)}
        missing = [subject for subject in evidence.subjects if subject not in started]
        if missing:
            return False, f"nothing took the place of {', '.join(missing)}"
        places = ", ".join(f"{pid} that of {subject}" for subject, pid in started.items())
        return True, f"process {places}"

    def refusals(self, job: JobBounds) -> Iterator[Refusal]:
        if not job.elastic and self.scope == "process":
            yield ("scope",), "Horovod for MXNet is not elastic: a rank that comes back cannot join; give scope: job"


def _gone(evidence: Evidence) -> bool:
    """Whether a process was not there any more when it was to be killed."""
    sent = evidence.signalled("KILL")
    return sent is not None and sent.before in GONE
