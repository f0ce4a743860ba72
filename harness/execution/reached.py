"""How far each arm trained, so that a control that is only looked at need not train farther."""

from __future__ import annotations

from harness.planning.plan import Arm
from harness.statistics.comparison import MIN_SAMPLES
from harness.vocabulary.events import Done, Ended, Event, Progress, Waiting, Window


class Reached:
    """Steps and outcome of each arm, by its name."""

    def __init__(self) -> None:
        self._steps: dict[str, int] = {}
        self._outcomes: dict[str, str] = {}

    def add(self, event: Event) -> None:
        """Note how far a worker is, or how its arm ended."""
        if isinstance(event, Ended):
            self._outcomes[event.arm] = event.outcome
        elif isinstance(event, Window):
            self._note(event.arm, event.first + event.steps)
        elif isinstance(event, Progress | Waiting | Done):
            self._note(event.arm, event.step)

    def _note(self, arm: str, step: int) -> None:
        self._steps[arm] = max(step, self._steps.get(arm, 0))

    def limit(self, arm: Arm) -> int | None:
        """Steps beyond which an arm is not worth its time; None where it trains to its end.

        Beyond where the one ended that it stands beside, since it may end there as well; enough for a throughput.
        """
        other = arm.as_far_as
        if other is None or self._outcomes.get(other, "completed") == "completed":
            return None
        enough = max(arm.workload.warmup, self._steps.get(other, 0)) + MIN_SAMPLES * arm.workload.window
        return None if arm.workload.steps is not None and enough >= arm.workload.steps else enough
