"""Whether two sides compute the same, from a short run of each with the same seed: before any question of speed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from harness.vocabulary.events import Event, Loss, Parameters

ROUNDING = 1e-4
"""Losses that differ by no more, of themselves, within a few dozen steps: the order of sums in float32."""

APART, FLOOR = 1e-3, 1e-5
"""Parameters that end no farther apart, of the way that they went, or of the way of all: the same order of sums."""

EARLY = 2
"""Losses in which rounding has not had the time to grow: where these differ by more, it is not the cause.

The third of resnet18 with steps of 0.01 is apart by 0.002 already, of 1.7.0 with and without oneDNN.
"""

SHIFT = 4
"""By so many steps other rounding may begin to grow later: in resnet18 it did by none to seven, by several ways."""

_OWN = 3.0
"""A side may differ from the first by so many times what repeats of the first differ by at most, two by two.

Of seven runs that are alike, about normal, one in thousands is so far from another one.
"""

_BY_CHANCE = 0.01
_UNSEEDED = (
    "hardly anything is told by that; where it draws numbers, seed them, as by mx.random.seed and np.random.seed"
)
"""Said of a side whose losses differ by more, of themselves, from run to run."""

Word = Literal["identical", "alike", "different", "unknown"]
_WORST: tuple[Word, ...] = ("different", "unknown", "alike", "identical")


@dataclass(frozen=True)
class Trace:
    """Losses of a worker, a number a step, and digests and sketches of its parameters after each step."""

    losses: Sequence[float]
    digests: Sequence[Mapping[str, str]]
    sketches: Sequence[Mapping[str, Sequence[float]]] = ()


@dataclass(frozen=True)
class Meaning:
    """What a side computes beside the first one. ``difference`` is the largest of a loss, relative to it.

    ``rounding``: how far other rounding parts the first one from itself, where that may be all; else None.
    """

    word: Word
    sentence: str
    difference: float | None = None
    rounding: float | None = None


Traces = Mapping[str, Trace]
"""Of each worker of a side."""


def traces(past: Iterable[Event]) -> dict[str, dict[str, Trace]]:
    """Of each arm of a history, and each of its workers."""
    losses: dict[tuple[str, str], list[float]] = {}
    after: dict[tuple[str, str], list[Parameters]] = {}
    for event in past:
        if isinstance(event, Loss):
            own = losses.setdefault((event.arm, event.subject), [])
            own += [math.nan if value is None else value for value in event.values]
        elif isinstance(event, Parameters):
            after.setdefault((event.arm, event.subject), []).append(event)
    found: dict[str, dict[str, Trace]] = {}
    for (arm, worker), values in losses.items():
        steps = after.get((arm, worker), [])
        trace = Trace(values, [step.digests for step in steps], [step.sketches for step in steps])
        found.setdefault(arm, {})[worker] = trace
    return found


def repeats(first: Traces, again: Traces) -> bool:
    """Whether a side is itself, run once more, but for rounding; also where nobody can say."""
    both = [(first[worker], again[worker]) for worker in first if worker in again]
    return all(_of_worker(one, (), other).word != "different" for one, other in both)


def begins_alike(first: Traces, other: Traces) -> bool:
    """Whether rounding may be all that two sides differ by: so it is in their first losses."""
    both = [(first[worker].losses, other[worker].losses) for worker in first if worker in other]
    return bool(both) and all(
        relative(*pair) <= ROUNDING for one, two in both for pair in zip(one[:EARLY], two[:EARLY], strict=False)
    )


def compare(first: Traces, again: Sequence[Traces], other: Traces, rounded: Sequence[Traces] = ()) -> Meaning:
    """What the other side computes, next to what the first one does, and does again: by its worst worker.

    ``rounded``: what the first one does where its sums are rounded otherwise. Small differences grow from step to step,
    in some networks by ten in each: there nobody can tell them from another meaning that begins as late. What of these
    runs is not whole, or parts at once, is no rounding.
    """
    workers = [worker for worker in first if worker in other and all(worker in each for each in again)]
    if not workers:
        return Meaning("unknown", "one of them did not train to the end")
    known = [run for run in rounded if begins_alike(first, other) and _is_rounding(first, run)]
    found = {
        worker: _of_worker(first[worker], _own(again, worker), other[worker], _own(known, worker)) for worker in workers
    }
    worker, worst = min(found.items(), key=lambda each: _WORST.index(each[1].word))
    if len(first) == 1 or worst.word == "identical":
        return worst
    return replace(worst, sentence=f"{worker}: {worst.sentence}")


def of_runs(found: Sequence[Meaning]) -> Meaning:
    """What is said of a side that was run several times: it differs where it does so each time."""
    one, often = found[0], sum(each.word == "different" for each in found)
    if one.word != "different" or often == len(found):
        return one
    told = f"it computes something else in {often} of {len(found)} runs, as what depends on who comes first does"
    seen = one.sentence.replace("it computes something else: ", "", 1)
    return Meaning("unknown", f"{told}: {seen}; ask --measure drift", one.difference)


def is_apart(parted: Sequence[float]) -> bool:
    """Whether pairs end farther apart than rounding explains."""
    return max(parted, default=0.0) > ROUNDING


def in_the_end(short: Meaning, parted: Sequence[float], itself: float | None, often: float) -> Meaning:
    """What is said of a side that was the same, bit by bit, in a short run, by how far final losses of pairs part.

    ``itself``: how far the first side ends from itself, run once more for as long; None where nobody knows. What parts
    in less than this share of pairs (``often``) may be a race, which one more run need not show.
    """
    apart = [each for each in parted if each]
    if not apart:
        return short
    most, far = max(apart), sum(each > ROUNDING for each in apart)
    word: Word = "unknown"
    if most <= ROUNDING:
        word, what = "alike", "alike later but for rounding"
    elif itself is None:
        what = "it ends elsewhere, and nobody knows whether the first one ends where it did, run once more"
    elif itself > ROUNDING or most <= _OWN * itself:
        what = f"it ends elsewhere, and so does the first one, run once more, by {itself:.1g}"
        word = "alike" if most <= _OWN * itself < 1 else word
    elif far < often * len(parted):
        what = "it ends elsewhere now and then, as what depends on who comes first does"
    else:
        word, what = "different", "it computes something else later"
    told = f"; {_UNSEEDED}" if itself is not None and itself > _BY_CHANCE else ""
    told += "; ask --measure drift" if word == "unknown" else ""
    seen = f"final losses of {len(apart)} of {len(parted)} pairs differ, by up to {most:.1g} of themselves"
    return Meaning(word, f"{what}: {short.sentence}, and not beyond: {seen}{told}", most)


def elsewhere(short: Meaning, ends: str) -> Meaning:
    """What is said of a side that was alike in a short run, where pairs end apart as ``ends`` tells."""
    told = (
        f"final losses of pairs are apart in one direction ({ends}), which rounding alone is not; ask --measure drift"
    )
    return replace(short, word="unknown", sentence=f"{short.sentence}; {told}")


def _is_rounding(first: Traces, run: Traces) -> bool:
    """Whether a run of the first side is whole, and parts from it later only."""
    whole = first.keys() <= run.keys() and all(_form(first[worker]) == _form(run[worker]) for worker in first)
    return whole and begins_alike(first, run)


def _form(trace: Trace) -> tuple[int, list[int]]:
    return len(trace.losses), [*map(len, trace.sketches[-1].values())] if trace.sketches else []


def _grows_as_far(runs: Sequence[Trace], other: Trace) -> bool:
    """Whether rounding parts runs of the first side as far, at each step or some steps later."""
    own = [max(each) for each in zip(*itertools.starmap(_steps, itertools.combinations(runs, 2)), strict=True)]
    apart = enumerate(_steps(runs[0], other))
    return all(each <= max(ROUNDING, _OWN * max(own[: step + SHIFT + 1])) for step, each in apart)


def _own(runs: Sequence[Traces], worker: str) -> list[Trace]:
    return [run[worker] for run in runs]


def _of_worker(first: Trace, again: Sequence[Trace], other: Trace, rounded: Sequence[Trace] = ()) -> Meaning:
    if not first.losses or {len(each.losses) for each in (other, *again)} != {len(first.losses)}:
        return Meaning("unknown", "one of them did not train to the end")
    if not len(first.digests) == len(other.digests) == len(first.losses):
        return Meaning("unknown", "one of them told no digests of its parameters after each step")
    parts = _parts(first, other)
    if parts is None:
        steps = len(first.digests)
        return Meaning("identical", f"the same numbers, bit by bit: losses and every parameter of {steps} steps", 0.0)
    own = _most((first, *again))
    apart = _difference(first, other)
    itself = f"; the first differs from itself by up to {own:.1g}, run {1 + len(again)} times" if own else ""
    differ = f"differ by up to {apart:.1g} of themselves within" if apart else "are the same in"
    amount = f"losses {differ} {len(first.losses)} steps{itself}"
    strayed = _strayed(first, again, other)
    if apart <= max(ROUNDING, _OWN * own) and strayed is None:
        how = "but for rounding" if own <= ROUNDING else "as far as the first repeats itself"
        unseeded = f"; {_UNSEEDED}" if own > _BY_CHANCE else ""
        if _OWN * own >= 1:  # no two losses of one sign are farther apart than that
            return Meaning("unknown", f"it differs, and so does the first one from itself: {parts}; {amount}{unseeded}")
        return Meaning("alike", f"alike {how}: {parts}; {amount}{unseeded}", apart)
    runs = (first, *again, *rounded)
    if rounded and _grows_as_far(runs, other) and _strayed(first, (*again, *rounded), other) is None:
        most = _most(runs)
        grows = f"rounding grows to {most:.1g} in the first one, too"
        return Meaning("alike", f"alike as far as rounding lets anybody tell: {parts}; {amount}; {grows}", apart, most)
    amount = amount if strayed is None else f"{amount}; {strayed}"
    return Meaning("different", f"it computes something else: {parts}; {amount}", apart)


def _strayed(first: Trace, again: Sequence[Trace], other: Trace) -> str | None:
    """The parameter that ends farthest beyond what rounding explains; losses alone may hide it for long.

    By place, since names may count on from one version to another.
    """
    if not first.sketches or not other.sketches:
        return None
    start, end, theirs = ([*each.values()] for each in (first.sketches[0], first.sketches[-1], other.sketches[-1]))
    same = [end, *([*each.sketches[-1].values()] for each in again if each.sketches)]
    if [*map(len, end)] != [*map(len, theirs)]:
        return "the other has other parameters"
    ways = [math.dist(*each) for each in zip(start, end, strict=True)]
    floor, found = FLOOR * math.hypot(*ways), []
    for place, (name, way) in enumerate(zip(first.sketches[-1], ways, strict=True)):
        apart = math.dist(end[place], theirs[place])
        own = max((math.dist(*each) for each in itertools.combinations([run[place] for run in same], 2)), default=0.0)
        if apart > max(APART * way, floor, _OWN * own):
            found.append((apart / (max(way, floor) or apart), name))
    if not found:
        return None
    share, name = max(found)
    return f"{name} ends apart by {share:.1%} of what it changed by"


def _parts(first: Trace, other: Trace) -> str | None:
    """Where two sides part: the first loss or parameter that is not the same, None where none is."""
    for step, (one, two) in enumerate(zip(first.losses, other.losses, strict=True)):
        if one != two and not (math.isnan(one) and math.isnan(two)):
            return f"first the loss of step {step} ({one:.7g} against {two:.7g})"
        before, after = first.digests[step], other.digests[step]
        if [*before.values()] != [*after.values()]:
            return f"first {_name(before, after)} after step {step}"
    return None


def _name(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """By place, since names may count on from one version to another."""
    pairs = zip(before.items(), after.values(), strict=False)
    return next((name for (name, mine), theirs in pairs if mine != theirs), "the number of parameters")


def _most(runs: Sequence[Trace]) -> float:
    """By how much any two differ."""
    return max(itertools.starmap(_difference, itertools.combinations(runs, 2)), default=0.0)


def _difference(first: Trace, other: Trace) -> float:
    return max(_steps(first, other))


def _steps(first: Trace, other: Trace) -> list[float]:
    """How far losses are apart in each step."""
    return [relative(one, two) for one, two in zip(first.losses, other.losses, strict=True)]


def relative(one: float, two: float) -> float:
    """How far two losses are apart, of the larger one; infinite where one is not a number."""
    if math.isnan(one) or math.isnan(two):
        return 0.0 if math.isnan(one) and math.isnan(two) else math.inf
    return abs(one - two) / max(abs(one), abs(two), 1e-12)
