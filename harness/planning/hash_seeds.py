"""The seeds of Python's hashes, where arms take turns: each process of one has that of its twin in the others.

Python draws one for every process, unless it is told. It decides which names collide in dicts, and with that how fast
one and the same program is for as long as it lives. Ranks keep different ones, as without the harness: what iterates
over a set does so in another order in each.
"""

from __future__ import annotations

import random

from harness.planning.plan import Arm
from harness.topologies import Role

VARIABLE = "PYTHONHASHSEED"
_SEEDS = 1 << 32


def alike(arm: Arm) -> Arm:
    """The arm with a seed for each role, drawn from the scenario's, the repeat and the role; as it is if it has one."""
    if arm.turn is None or VARIABLE in arm.env:
        return arm
    return arm.model_copy(update={"roles": tuple(_seeded(role, arm) for role in arm.roles)})


def _seeded(role: Role, arm: Arm) -> Role:
    seed = random.Random(f"{arm.workload.seed} {arm.repeat} {role.name}").randrange(1, _SEEDS)
    return role.model_copy(update={"env": {**role.env, VARIABLE: str(seed)}})
