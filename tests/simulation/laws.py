"""What must hold of every run, whatever the world did. Each law returns what is wrong, in sentences."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness.judging.judge import judge
from harness.judging.verdict import Verdict
from harness.storage import history
from harness.vocabulary import events
from harness.vocabulary.instructions import Shutdown, Spawn
from harness.vocabulary.receipts import MOMENT_SECONDS, Receipt
from tests.simulation.world import World

_ALWAYS = ("kill", "restart", "pause", "slow", "memory_limit", "cpu_hog")
"""Faults that need nothing but a process."""


def verdict_of(world: World, past: list[events.Event] | None = None) -> Verdict:
    """The judge's word on what happened."""
    return judge(world.plan, past if past is not None else world.history, "run", {})


def broken(world: World, verdict: Verdict) -> list[str]:
    """Everything that is wrong with a run that is over."""
    laws = (_one_end, _no_second_start, _all_undone, _outcome_is_true, _receipts_are_true, _the_same_again, _cuts)
    return [sentence for law in laws for sentence in law(world, verdict)]


def _one_end(world: World, _: Verdict) -> Iterator[str]:
    ends = [event for event in world.history if isinstance(event, events.Ended)]
    if len(ends) != 1:
        yield f"{len(ends)} ends"
        return
    if [type(instruction) for instruction in world.asked_after_end] != [Shutdown]:
        yield f"after the end it was asked for {world.asked_after_end[:3]}"
    last = world.instructions[-1][1]
    if not isinstance(last, Shutdown):
        yield f"the last instruction is {last}"


def _no_second_start(world: World, _: Verdict) -> Iterator[str]:
    yield from world.broken_rules
    if any(isinstance(instruction, Spawn) for instruction in world.asked_after_end):
        yield "a role was started after the end"


def _all_undone(world: World, _: Verdict) -> Iterator[str]:
    if world.wrong is not None and world.wrong.way in ("never undoes", "wrong role"):
        return
    for number, truth in world.truths.items():
        if truth.in_force:
            yield f"fault {number} is still in force on {sorted(truth.in_force)}"


def _outcome_is_true(world: World, verdict: Verdict) -> Iterator[str]:
    ended = verdict.arms[-1].ended
    if ended is None:
        return
    imported = any(isinstance(event, events.Imported) for event in world.history)
    if not imported and (ended.outcome == "refused" or verdict.verdict == "pass"):
        yield f"mxnet never ran: {ended.outcome}, {verdict.verdict}"
    lacking = world.wrong.role if world.wrong is not None and world.wrong.way == "never imports" else ""
    if lacking in world.processes and ended.subject == lacking and ended.outcome in ("refused", "crashed", "hung"):
        yield f"{lacking} never imported mxnet, and is to blame: {ended.outcome}"
    planned = {injection.subject for injection in world.arm.schedule if injection.part.life.terminates}
    whole = any(injection.part.life.whole_job for injection in world.arm.schedule)
    by_itself = world.wrong is not None and world.wrong.way in ("dies", "hiccup") and world.wrong.role in world.errors
    services = {role.name for role in world.arm.roles if role.service}  # told to leave; how is their own matter
    blamed = world.wrong.role if by_itself and world.wrong is not None and world.wrong.role not in services else ""
    if blamed and blamed not in planned and not whole:
        left = next(event.t for event in world.history if isinstance(event, events.Exited) and event.subject == blamed)
        if ended.outcome == "completed":
            yield f"{blamed} left with an error, and the arm completed"
        if ended.outcome == "hung" and ended.t - left > world.plan.stall_timeout:
            yield f"{blamed} left with an error, and the arm was waited for until it hung"
    if (
        world.wrong is None
        and ended.outcome == "aborted"
        and any(role in world.processes for role in world.arm.workers)
    ):
        yield f"nothing went wrong but what was asked for, and the arm is aborted: {ended.reason}"
    for role in world.arm.workers if ended.outcome == "hung" else ():
        if _imports(world, role, ended.t):
            yield f"{role} was importing mxnet, and the arm is said to hang"
    if ended.outcome == "completed" and not world.trained:
        yield "completed, and nobody trained"


def _imports(world: World, role: str, now: float) -> bool:
    """Whether its newest process is there, has not imported MXNet, and has time to do so."""
    kinds = (events.Spawned, events.Imported, events.Exited)
    past = [event for event in world.history if isinstance(event, kinds) and event.subject == role and event.t < now]
    return bool(past) and isinstance(past[-1], events.Spawned) and now - past[-1].t < world.plan.startup_timeout


def _receipts_are_true(world: World, verdict: Verdict) -> Iterator[str]:
    wrong = world.wrong
    for receipt in verdict.arms[-1].receipts:
        truth = world.truths[receipt.fault]
        name = f"{receipt.name} {receipt.fault} of {receipt.subject}"
        injected = any(isinstance(event, events.Injected) and event.fault == receipt.fault for event in world.history)
        way = wrong.way if wrong is not None and wrong.fault == receipt.fault else ""
        excused = receipt.stands and not truth.acted and _at_once(world, receipt.fault) and not _brief(world, receipt)
        if way == "ignores" and injected and (receipt.proven or excused):
            yield f"{name} was ignored, and stands: {receipt.evidence}"
        if way == "wrong role" and receipt.proven and receipt.name != "restart":
            yield f"{name} acted on another, and is proven: {receipt.evidence}"
        if receipt.proven and not injected:
            yield f"{name} was never begun, and is proven"
        if receipt.proven and receipt.name in ("scale", "stale"):
            yield from _own_steps(world, receipt.fault, name)
        if not receipt.stands and wrong is None and truth.acted and not _cut_off(world, receipt.fault):
            yield f"{name} happened, and does not stand: {receipt.evidence}; {receipt.afterwards}"
        idle = injected and receipt.name in _ALWAYS and not truth.acted and not _cut_off(world, receipt.fault)
        if idle and wrong is None and not receipt.stands and not _brief(world, receipt):
            yield f"{name} began, did nothing, and nothing is named for it: {receipt.evidence}"
        if receipt.proven and not truth.acted:
            yield f"{name} never acted, and is proven: {receipt.evidence}"
        if truth.cut and wrong is None and receipt.proven and receipt.superseded is None:
            yield f"{name} was cut short by another, and nobody says so"
        if wrong is None and not injected:
            yield from _should_have_begun(world, verdict, receipt, name)
        if receipt.restored and truth.in_force:
            yield f"{name} is said to be undone, and is not"


def _brief(world: World, receipt: Receipt) -> bool:
    """Whether it was over, or its process gone, within a moment of its last begin, or away: nobody can tell."""
    own = [event for event in world.history if getattr(event, "fault", None) == receipt.fault]
    began = [event.t for event in own if isinstance(event, events.Injected)]
    ends = [event.t for event in own if isinstance(event, events.Superseded | events.Healed)]
    gone = [event for event in world.history if isinstance(event, events.Exited) and event.subject == receipt.subject]
    if [type(event) for event in own[-2:]] == [events.Healed, events.Superseded]:
        return True  # its process was away, or stood still, all the time
    heard = 0.02  # so long it may take to hear of who is gone
    after = [t for t in [*ends, *(event.t + heard for event in gone)] if began and t >= began[-1]]
    return bool(after) and min(after) - began[-1] < MOMENT_SECONDS


def _at_once(world: World, fault: int) -> bool:
    """Whether a fault needs no step and no packet to act."""
    return next(injection.part.kind for injection in world.arm.schedule if injection.fault == fault) == "process"


def _should_have_begun(world: World, verdict: Verdict, receipt: Receipt, name: str) -> Iterator[str]:
    """A fault of a step begins in a job that takes all its steps; in a broken one, what broke it is named.

    One on a server that lives begins if any worker takes all its steps once its clock has left for good.
    """
    ended = verdict.arms[-1].ended
    injection = next(injection for injection in world.arm.schedule if injection.fault == receipt.fault)
    others = [event for event in world.history if isinstance(event, events.Injected)]
    if ended is None or injection.first_step is None:
        return
    left = [event.subject for event in world.history if isinstance(event, events.Exited) and event.t < ended.t]
    serves = injection.part.kind == "process" and injection.subject not in (*world.arm.workers, *left)
    clock = [event for event in world.history if event.subject == injection.clock]
    clock = [event for event in clock if isinstance(event, events.Spawned | events.Exited) and event.t < ended.t]
    counts = injection.clock in world.trained or any(isinstance(event, events.Exited) for event in clock[-1:])
    if serves and counts and world.trained and not injection.part.life.at_startup:
        yield f"{name} never began, though {sorted(world.trained)[0]} took all its steps"
    if receipt.stands:
        return
    if ended.outcome == "completed" and world.trained:
        yield f"{name} never began, though all steps were taken"
    if ended.outcome in ("hung", "crashed") and others:
        yield f"{name} never began in a job that was {ended.outcome}, and nothing is named for it"


def _own_steps(world: World, fault: int, name: str) -> Iterator[str]:
    injection = next(injection for injection in world.arm.schedule if injection.fault == fault)
    first, last = injection.first_step, injection.last_step
    outside = [step for step in world.truths[fault].steps if first is None or last is None or not first <= step < last]
    if outside:
        yield f"{name} acted in steps {outside[:5]}, of {first} to {last}"


def _cut_off(world: World, fault: int) -> bool:
    """Whether the arm ended within a moment of the fault's begin, so that it had no time to act, or to start again."""
    ended = world.conductor.ended
    began = [event.t for event in world.history if isinstance(event, events.Injected) and event.fault == fault]
    life = next(injection.part.life for injection in world.arm.schedule if injection.fault == fault)
    return ended is not None and bool(began) and ended.t - began[-1] < 0.1 + (life.restart_after or 0.0)


def _the_same_again(world: World, verdict: Verdict) -> Iterator[str]:
    if verdict_of(world).as_json() != verdict.as_json():
        yield "judged again, it is another verdict"


def _cuts(world: World, _: Verdict) -> Iterator[str]:
    """A history that was cut off at any byte can be read and judged, and never passes."""
    whole = b"".join(map(events.encode, world.history))
    place = world.random.randrange(len(whole))
    with tempfile.NamedTemporaryFile() as file:
        file.write(whole[:place])
        file.flush()
        kept = list(history.read(Path(file.name)))
    ended = any(isinstance(event, events.Ended) for event in kept)
    if not ended and verdict_of(world, kept).verdict == "pass":
        yield f"cut off after {place} bytes, it passes"
