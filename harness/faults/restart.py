"""A process, or the whole job, is killed and started again, as a cluster would."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from harness.base.units import Duration
from harness.faults import Fault, Life, Proof
from harness.vocabulary.events import Event, Exited, Signalled, Spawned
from harness.vocabulary.instructions import Instruction, Signal
from harness.vocabulary.job_bounds import JobBounds, Refusal
from harness.vocabulary.receipts import GONE, Evidence, killed


class Restart(Fault):
    """SIGKILL, and a new process with the same command after a time. It resumes from the last good checkpoint."""

    name: ClassVar[str] = "restart"
    evidence: ClassVar[tuple[type[Event], ...]] = (Signalled, Exited, Spawned)
    after: Duration = Field(default=1.0, description="from the end of the process to its new start")
    scope: Literal["process", "job"] = Field(
        default="process", description="job: every process, as a cluster does where one cannot go on alone"
    )

    @property
    def life(self) -> Life:
        return Life(terminates=True, restart_after=self.after, whole_job=self.scope == "job")

    def inject(self, subject: str, number: int) -> tuple[Instruction, ...]:
        return (Signal(subject, "KILL", number),)

    def receipt(self, evidence: Evidence) -> Proof:
        """The kernel's exit status names signal 9, and another process was started in time: of every role it is of."""
        proofs = {subject: self._one(evidence.of(subject)) for subject in evidence.subjects}
        if len(proofs) == 1:
            return proofs[evidence.subjects[0]]
        killed = {subject: proof for subject, proof in proofs.items() if not _gone(evidence.of(subject))}
        missing = [f"{subject}: {sentence}" for subject, (proven, sentence) in killed.items() if not proven]
        started = {event.subject for event in evidence.all(Spawned)}
        missing += [f"{subject} was gone and not started" for subject in proofs.keys() - killed.keys() - started]
        if missing or not killed:
            return False, "; ".join(missing) or "all processes were gone already"
        return True, f"{len(killed)} of {len(proofs)} processes: {next(iter(killed.values()))[1]}"

    def _one(self, evidence: Evidence) -> Proof:
        proven, sentence = killed(evidence)
        exited, started = evidence.first(Exited), evidence.first(Spawned)
        if not proven or exited is None:
            return False, sentence
        if started is None:
            return False, f"{sentence}; no new process was started"
        waited = started.t - exited.t
        return waited >= 0.9 * self.after, f"{sentence}; started again {waited:.3f} s later"

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
