"""How a night is spent: what is asked, and what room is left."""

from __future__ import annotations

from dataclasses import dataclass

from harness.statistics.sequential import LEVEL

LEAST_SECONDS = 20.0
"""A comparison with less time has no pair."""

OF_MEANING = 60.0
"""Seconds of what asks again whether something else is computed: what begins late shows in some pairs alone."""

SHORT_RUNS = 1.0
"""Seconds of what asks by short runs alone: no pair fits."""

CONFIRM_LEVEL = LEVEL / 10
"""Chance that a comparison which is to confirm says that alike sides differ: forty numbers, every night."""

LOOK = 0.5
"""Of what a comparison that confirms may take, a first look at what changed may."""

LOOKING, ROUNDS_IF_CHANGED, ROUNDS = 0.7, 0.4, 0.8
"""Shares of the budget: until when changed software is looked at, and rounds go on where any changed, or none."""


@dataclass(frozen=True)
class Asked:
    """How a night is spent: seconds in all, rounds at most, seconds of one comparison, and what counts as the same.

    Half of ``confirm`` told 1 % of two workers within seven nights in 56 to 78 of 100 cases (`benchmarks/nights`).
    """

    budget: float = 3600.0
    repeat: int = 5
    confirm: float = 600.0
    resolve: float = 0.01

    @property
    def not_asked(self) -> str:
        """Why nothing was asked again."""
        return f"the budget of {self.budget:.0f} s had no room to ask again; give more, as in --budget 90min"

    @property
    def not_looked_at(self) -> str:
        """Why what changed was not looked at."""
        return (
            f"it was not looked at: a look takes {LEAST_SECONDS:.0f} s at least, and all of them share what rounds "
            f"leave of {LOOKING:.0%} of the budget, {self.budget:.0f} s; give more, as in --budget 90min"
        )


@dataclass
class Budget:
    """``seconds``: of all runs and comparisons so far; ``of_rounds``: of them."""

    asked: Asked
    seconds: float = 0.0
    of_rounds: float = 0.0

    def add_run(self, seconds: float, of_round: bool) -> None:
        """A run more."""
        self.seconds += seconds
        self.of_rounds += seconds if of_round else 0.0

    def has_room_for_a_round(self, rounds: int, changed: bool) -> bool:
        """Whether one more fits in the share that rounds have; so many are complete."""
        share = ROUNDS_IF_CHANGED if changed else ROUNDS
        return self.of_rounds + self.of_rounds / max(1, rounds) <= share * self.asked.budget

    def room(self, sharing: int, until: float) -> float:
        """Seconds that each of so many comparisons may take."""
        most = self.asked.confirm * (LOOK if until == LOOKING else 1)
        return min(most, self.left_for(sharing, until))

    def left_for(self, sharing: int, until: float) -> float:
        """Seconds that are left for each of so many, in that share of the budget."""
        return (until * self.asked.budget - self.seconds) / max(1, sharing)
