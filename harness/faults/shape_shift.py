"""The shapes change in the course of training: another bucket, another source of data."""

from __future__ import annotations

from typing import Any, ClassVar

from harness import shapes
from harness.events import Tampered
from harness.faults import WorkerFault
from harness.receipts import Evidence

_Shapes: Any = shapes.annotation()


class ShapeShift(WorkerFault):
    """Sizes are drawn from another distribution, while it lasts."""

    name: ClassVar[str] = "shape_shift"
    shapes: _Shapes

    def flaw(self, told: Tampered) -> str | None:
        """A size may be drawn that the step would have had anyway."""
        return None

    def receipt(self, evidence: Evidence) -> tuple[bool, str]:
        proven, said = super().receipt(evidence)
        others = sum(told.before != told.after for told in evidence.all(Tampered))
        return proven and others > 0, f"{said}; {others} batches are others"

    def sizes(self, seed: int, steps: int) -> tuple[int, ...]:
        drawn: tuple[int, ...] = self.shapes.sizes(seed, steps)
        return drawn
