"""A comparison as text: the answer first, then meaning, all measures, and what disturbed it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.base.units import duration_at_least
from harness.statistics.sequential import MIN_VALUES, enough_alike
from harness.studies.compare import Compare
from harness.studies.compared import MEASURES
from harness.studies.evidence import GUARD, GUARDED
from harness.studies.failed import TRIES
from harness.studies.finding import Finding, detectable, estimate, interval, margin_in_words, seeds_needed, sentence
from harness.studies.pairs import RESOLVE
from harness.targets.settings import does_nothing

_BUSY = (
    "on a busy machine a side may suffer more than the first does: the effect is that of such a machine; "
    "for that of a quiet one, compare again when nothing else runs"
)
_STYLES = {"same": "green", "faster": "green", "less": "green", "better": "green"}
_STYLES |= dict.fromkeys(("slower", "more", "worse"), "bold red")


def render(study: Compare) -> RenderableType:
    """What is different in what is computed comes before all else."""
    sides = [Text(f"{side.name}: {side.label}", "dim") for side in study.scenario.sides]
    head = [*_loud(study), Text(str(study.scenario.values["title"]), "bold"), *sides]
    return Group(
        *head, *_answers(study), *_without_effect(study), *_tables(study), *_convergence(study), *_spent(study)
    )


def _loud(study: Compare) -> Iterator[Text]:
    """Variables that nobody reads; a side that fails, or computes something else."""
    for name, near in study.unread.items():
        yield Text(does_nothing(name, near), "bold red")
    if study.broken:
        yield Text(f"NOT COMPARABLE: {study.broken}", "bold red")
        others = [side.name for side in study.evidence.others if side.name not in study.failed.fallen]
        if others and not study.has_one_trajectory:
            yield Text(f"nothing is said of {', '.join(others)}: compare without the side that fails", "yellow")
    elif study.changed:
        yield Text(f"NOT GONE ON WITH: {study.changed}", "bold red")
    for run in study.left_out:
        yield Text(f"left out: {run}", "yellow")
    for every in study.failed.fallen.values() if not study.broken else ():
        yield Text(f"FAILED {len(every)} time{'s' * (len(every) > 1)}: {every[-1]}", "bold red")
    for side, found in study.meanings.items():
        if found.word in ("different", "unknown") and not study.of_seeds:
            what = "ANOTHER MEANING" if found.word == "different" else "MEANING UNKNOWN"
            yield Text(f"{what}: {side}: {found.sentence}", "bold red")


def _answers(study: Compare) -> Iterator[Text]:
    if study.broken:
        return
    if not study.evidence.pairs:
        yield Text(study.nothing, "yellow")
        return
    for finding in study.evidence.findings():
        told = sentence(finding) if study.evidence.counted else f"{finding.side} is undecided: no pair counts yet"
        yield Text(f"{told}{study.evidence.doubt}", _STYLES.get(finding.word, "yellow"))
        if finding.word == "undecided":
            yield Text(f"  {_undecided(study, finding)}")
        if finding.mean is not None and 0 < finding.mean.looked < finding.mean.n:
            yield Text("  what was made since the last look counts at the next one", "dim")
        yield from _objection(study, finding)
        if (finding.measure, study.question_.measure) == (GUARD, GUARDED):
            yield Text("  by the time of all turns: in most turns that does not show, so it lies in few of them")


def _objection(study: Compare, finding: Finding) -> Iterator[Text]:
    """What all of the time says, where it is far from what most turns say."""
    if (guard := study.evidence.objection(finding)) is not None:
        told = f"{estimate(guard)} over all of the time ({interval(guard)}): few turns take much of it"
        yield Text(f"  but {told}, which the middle of turns does not show", "bold yellow")


def _undecided(study: Compare, finding: Finding) -> str:
    """What could not be seen, and what would help."""
    if study.changed:
        return "what was seen until then does not decide"
    if study.failed.in_vain:
        again = " (--resume tries again)" if study.failed.tries_again else ""
        return f"given up after {TRIES} failures in a row, the last: {study.failed.told[-1]}{again}"
    if finding.mean is None and finding.side in study.failed.fallen:
        return "it has not trained to its end in any pair"
    if finding.missing and finding.side in study.unmeasured:
        return f"a pair has no such number, without which nothing is decided: {study.unmeasured[finding.side]}"
    if finding.missing and finding.side in study.failed.fallen:
        return f"nothing can be decided, as it did not always train to its end; {TRIES} times would be the answer"
    alike = finding.mean is not None and not finding.mean.sd
    if alike and study.of_seeds and study.evidence.margin(finding.measure) is None:
        return "the first side has one number with all seeds, so that nobody knows what is the same; give --resolve"
    if alike and finding.mean is not None and finding.mean.estimate and finding.mean.n >= MIN_VALUES:
        least = enough_alike(finding.mean.level)
        told = f"all of them are alike, which of fewer than {least} may be chance"
        return f"{told}; go on with --resume last and a larger --budget"
    counted = study.question_.compared.counted
    if finding.mean is None or finding.mean.n < MIN_VALUES:
        return f"an interval needs {counted(MIN_VALUES)} that count; go on with --resume last and a larger --budget"
    if math.isinf(finding.mean.detectable):
        seeds, time_ = counted(study.question_.seeds), f"a quarter of {study.spending.planned:.0f} s is spent"
        due = f"all {seeds} are there" if study.of_seeds else time_
        larger = " and a larger --budget" if study.over else ""
        return f"the first look is due once {due}; go on with --resume last{larger}"
    seen = f"four of five such comparisons would have found an effect of {detectable(finding)}"
    if (enough := study.enough(finding)) is None and _is_unguarded(study, finding):
        same = "that it is the same takes the time of all steps, which nobody saw here"
        return f"{seen}; {same}: more pairs tell a difference only"
    if enough is None:
        return f"{seen}; more pairs are needed (--resume with a larger --budget), or a quieter machine"
    takes = duration_at_least(enough.budget)
    return f"{seen}; about {counted(enough.pairs)} would decide (--resume with --budget {takes})"


def _is_unguarded(study: Compare, finding: Finding) -> bool:
    """Whether it would be the same by most turns, and nobody knows what all of the time says."""
    if finding.measure != GUARDED or finding.mean is None:
        return False
    guard = next(study.evidence.finding(GUARD, side) for side in study.evidence.others if side.name == finding.side)
    margin = study.evidence.margin(GUARDED)
    return guard.mean is None and margin is not None and margin.low <= finding.mean.estimate <= margin.high


def _without_effect(study: Compare) -> Iterator[Text]:
    for finding in study.evidence.findings() if not study.broken else ():
        found = study.meanings.get(finding.side)
        if found is not None and (found.word in ("identical", "alike") or study.of_seeds):
            yield Text(f"{finding.side}: {found.sentence}")
        if (why := study.without_effect(finding.side)) is not None:
            yield Text(f"{finding.side}: {_how_surely(study, finding)}: {why}", "yellow")


def _how_surely(study: Compare, finding: Finding) -> str:
    """What a setting without effect is known to do; nothing is said of time where only seeds were compared."""
    if finding.word != "same":
        return "so far"
    if study.of_seeds:
        return "this setting likely does nothing to where training goes"
    is_close = study.question_.resolve is None or study.question_.resolve <= RESOLVE
    return "this setting likely does nothing here" if is_close else "as far as was asked"


def _tables(study: Compare) -> Iterator[Table]:
    """A table a side: every measure that was taken, next to the first side."""
    for side in study.scenario.sides[1:]:
        alike = [name for name, measure in MEASURES.items() if measure.of_seeds == study.of_seeds]
        findings = [study.evidence.finding(name, side) for name in alike]
        known = [finding for finding in findings if finding.mean is not None]
        if not known:
            continue
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"{side.name} beside {study.scenario.sides[0].name}")
        for column in ("measure", "answer", "effect", "interval", "detectable", f"{study.question_.compared.unit}s"):
            table.add_column(column, overflow="fold")
        for finding in known:
            mean = finding.mean
            cells = (estimate(finding), interval(finding), detectable(finding), str(mean.n if mean else 0))
            table.add_row(MEASURES[finding.measure].name, finding.word, *cells)
        yield table


def _convergence(study: Compare) -> Iterator[Text]:
    """Where training goes: what other differences would take, and what MLPerf's rule says."""
    if not study.of_seeds or study.broken:
        return
    for finding in study.evidence.findings():
        if needs := seeds_needed(finding):
            yield Text(f"{finding.side}: seeds that would show a difference of so much in four of five tries: {needs}")
    target = study.scenario.values["workload"].get("target_loss")
    if target is None:
        yield Text("steps to a loss, and MLPerf's rule, need --set workload.target_loss=LOSS", "dim")
        return
    first = study.scenario.sides[0].name
    for side in study.scenario.sides[1:]:
        found = study.evidence.convergence(side)
        if found is None:
            yield Text(f"{side.name}: MLPerf's rule: too few seeds, or not all reached a loss of {target:g}", "yellow")
            continue
        took = f"{first} takes {found.first:.1f} steps to a loss of {target:g}, {side.name} {found.other:.1f}"
        word = "which is not told from the same" if found.word == "neither" else f"{found.word} by its rule"
        chances = f"pooled one-sided t: p = {found.fewer:.2g} for fewer, {found.more:.2g} for more"
        yield Text(f"MLPerf's olympic means: {took}, {word} ({chances})")


def _why_margin(study: Compare) -> str:
    if study.question_.resolve is not None or not study.of_seeds:
        return ""
    measure = study.question_.measure
    margin, least = study.evidence.margin(measure), study.evidence.finest(measure)
    one = margin is not None and margin.high == least > 0
    return ", one sample of those held back" if one else ", half of what seeds of the first side differ by"


def _spent(study: Compare) -> Iterator[Text]:
    apart = "sides run one after the other, seeds side by side" if study.of_seeds else "sides run one after the other"
    how = "sides live at once and take turns" if study.duet else apart
    units = "seeds" if study.of_seeds else "pairs of fresh processes"
    yield Text(f"{len(study.evidence.counted)} {units}, {how}; {study.spending.taken:.0f} s of runs", "dim")
    if (margin := study.evidence.margin(study.question_.measure)) is not None:
        within = margin_in_words(margin, study.question_.measure)
        yield Text(f"what counts as the same: {within}{_why_margin(study)}", "dim")
    held = f"the answer's interval holds with {100 * (1 - study.question_.level):g}% over all looks and sides"
    yield Text(f"{held}; every other one by itself", "dim")
    if study.ended_early:
        yield Text(study.ended_early, "yellow")
    disturbed = [pair for pair in study.evidence.pairs if pair.disturbed]
    if disturbed:
        again = len(study.evidence.pairs) - len(study.evidence.counted)
        counted = len(disturbed) - again
        told = f"{len(disturbed)} of {len(study.evidence.pairs)} pairs were disturbed: {again} left out"
        more = f"; {counted} count, since the pair before was disturbed as well" if counted else ""
        yield Text(told + more, "yellow")
        if counted:
            yield Text(_BUSY, "yellow")
    for pair in disturbed[:3]:
        yield Text(f"  {pair.run}: {pair.disturbed}", "yellow")
    if len(disturbed) > 3:
        yield Text(f"  and {len(disturbed) - 3} more", "yellow")
    for failure, count in Counter(study.failed.told).items():
        yield Text(f"failed{f' {count} times' if count > 1 else ''}: {failure}", "yellow")
