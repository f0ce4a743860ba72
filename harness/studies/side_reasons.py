"""What a comparison of an old and a new side says of an upgrade. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.finding import Finding, at_worst, margin_in_words, sentence, wanting
from harness.studies.row import Reason, Word

SIZES = ("peak_memory", "held_memory", "growth", "start_up")
"""What is looked at besides throughput: only what is worse by more than the margin, with its whole interval, counts."""

LEARNING, ENDS = "loss_area", ("drift", "accuracy")
"""Whether training goes where it went, by the mean loss of all steps: the last ones of what was learnt scatter.

Where it ends counts where it is worse for sure.
"""

_OWN = {"drift": "final loss"}
"""By which it is accepted: that training goes elsewhere has the other name, whatever it is decided by."""

LATENCIES = ("latency_p50", "latency_p99")


def drift(study: Compare, name: str, of_meaning: bool = False) -> Iterator[Reason]:
    """Whether training goes where it went, and ends there; and what it computes, where no other row asks that."""
    asked = study.question_.measure
    yield from _answers(study, f"drift {name}")
    yield from (each if of_meaning else replace(each, word="go") for each in _meaning(study, name))
    for finding in study.evidence.findings() if not study.broken else ():
        if study.evidence.is_better_about_so(finding):
            told = f"{sentence(finding)}: it trains otherwise; look why, and accept it by name"
            yield Reason(told, "not decided", f"drift {name}: better")
    if not study.broken:
        if (margin := study.evidence.margin(asked)) is not None and study.question_.resolve is None:
            within = f"{margin_in_words(margin, asked)} counts as the same, half of what seeds of the old one differ by"
            yield Reason(f"{MEASURES[asked].name}: {within}", "go")
        yield from _besides(study, [measure for measure in ENDS if measure != asked], name)


def speed(study: Compare, name: str) -> Iterator[Reason]:
    """Whether it computes the same, is as fast, and takes as much memory."""
    yield from _meaning(study, name)
    yield from _answers(study, f"speed {name}")
    if not study.broken:
        yield from _besides(study, SIZES, name)


def _meaning(study: Compare, name: str) -> Iterator[Reason]:
    for side, found in study.meanings.items():
        if found.word in ("different", "unknown"):
            word: Word = "no-go" if found.word == "different" else "not decided"
            known = f"meaning {name}" if found.word == "different" else f"meaning {name}: not known"
            yield Reason(f"{side}: {found.sentence}", word, known)
        elif found.rounding is not None:
            yield Reason(f"{side}: {found.sentence}", "go")


def latency(study: Compare, name: str) -> Iterator[Reason]:
    """Whether a step takes longer, usually or in the worst of a hundred."""
    if study.broken:
        yield from _answers(study, f"speed {name}")
    elif not study.evidence.pairs and not study.unavailable:
        yield Reason(f"steps: {study.nothing}", "not decided")
    elif study.evidence.pairs:
        yield from _besides(study, LATENCIES, name)
        found = (study.evidence.finding(each, other) for each in LATENCIES for other in study.evidence.others)
        if not any(each.mean is not None for each in found):
            yield Reason("seconds of a step were not measured", "not decided", f"latency {name}")


def _besides(study: Compare, measures: Sequence[str], name: str) -> Iterator[Reason]:
    """By measures that speak against it only where all of an interval is worse by more than the margin.

    Where it is worse for sure, and rather by more than that, nobody knows.
    """
    for measure in measures:
        for other in study.evidence.others:
            finding = study.evidence.finding(measure, other)
            if study.evidence.is_worse_by_more(finding):
                yield _worse(finding, "no-go", f"{_OWN.get(measure, measure)} {name}")
            elif study.evidence.is_worse_about_so(study.evidence.but_for_missing(finding)):
                yield _worse(finding, "not decided", f"{_OWN.get(measure, measure)} {name}")
            elif finding.mean is None and study.evidence.pairs:
                yield Reason(f"{MEASURES[measure].name} was not measured", "go")
            elif finding.mean is not None and finding.word in ("undecided", MEASURES[measure].worse):
                yield Reason(sentence(finding), "go")


def _answers(study: Compare, name: str) -> Iterator[Reason]:
    """By the measure that was asked for: against it is what is worse by more than the margin, all of the interval."""
    if study.has_one_trajectory:
        yield Reason(study.broken, "not decided")
        return
    if study.broken:
        yield Reason(study.broken, name=f"{name}: does not train")
        return
    for other in study.evidence.others:
        finding = study.evidence.answer(other)
        if finding.mean is None:
            yield Reason(study.nothing, "go" if study.unavailable else "not decided")
        elif study.evidence.is_worse_by_more(finding):
            yield _worse(finding, "no-go", name)
        elif finding.word in ("same", MEASURES[finding.measure].better):
            yield Reason(sentence(finding), "go")
        else:
            sure = study.evidence.finding(finding.measure, other).word == MEASURES[finding.measure].worse
            open_ = _worse(finding, "not decided", name if sure else "")
            enough = study.enough(finding)
            yield replace(open_, text=open_.text + wanting(finding, enough.pairs if enough else None))


def _worse(finding: Finding, word: Word, name: str) -> Reason:
    return Reason(sentence(finding), word, name, size=at_worst(finding))
