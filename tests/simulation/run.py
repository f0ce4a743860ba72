"""One seed: a world, its laws, and the fewest faults that break them."""

from __future__ import annotations

from harness.planning.plan import Arm, Plan
from tests.simulation import laws
from tests.simulation.draw import misbehaviour_of, plan_of
from tests.simulation.world import World


def failing(seed: int, plan: Plan | None = None) -> list[str]:
    """Which laws the world of a seed breaks, in sentences."""
    plan = plan or plan_of(seed)
    wrong = misbehaviour_of(seed, plan)
    first, second = World(plan, seed, wrong), World(plan, seed, wrong)
    try:
        past, again = first.run(), second.run()
        sentences = laws.broken(first, laws.verdict_of(first))
    except Exception as error:  # a defect is what is looked for
        return [f"{type(error).__name__}: {error}"]
    return sentences + ([] if past == again else ["the same seed gave another history"])


def fewest(seed: int) -> str:
    """The faults of a failing seed that it takes, and what is wrong in its world."""
    plan = plan_of(seed)
    wrong = misbehaviour_of(seed, plan)
    for injection in plan.arms[-1].schedule:
        smaller = _without(plan, injection.fault)
        if (wrong is None or wrong.fault != injection.fault) and failing(seed, smaller):
            plan = smaller
    faults = [str(injection.entry.model_dump(mode="json", exclude_none=True)) for injection in plan.arms[-1].schedule]
    return f"{wrong}; {' | '.join(faults)}"


def _without(plan: Plan, fault: int) -> Plan:
    arms = tuple(_arm_without(arm, fault) for arm in plan.arms)
    return plan.model_copy(update={"arms": arms})


def _arm_without(arm: Arm, fault: int) -> Arm:
    return arm.model_copy(update={"schedule": tuple(other for other in arm.schedule if other.fault != fault)})
