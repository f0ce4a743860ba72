"""What differences of operators say of an upgrade. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from harness.studies.operators import Operators
from harness.studies.parity import Difference, Parity
from harness.studies.row import Reason, Row, ordered
from harness.studies.study import Study
from harness.studies.unlike import CRASHES, HANGS, SLOWER

TIMED = "operators that take longer"
"""Very many where calls as such take longer; they can be accepted together by that name."""

_FAILURES = (CRASHES, HANGS, "is not finite")


def means(study: Study, title: str) -> Row | None:
    """Whether operators compute the same; those that fail are told by `fails`."""
    if not isinstance(study, Operators) or study.parity is None:
        return None
    found = study.parity
    gone = [Reason(f"{name} is gone", name=f"operator {name}: is gone") for name in found.gone]
    lost = [_lost(name) for name in found.unmatched]
    if not found.operators:
        lost.append(Reason("no case works in both", "not decided"))
    told = (_compared(found), *_besides(found))
    return Row(title, ordered([*gone, *_reasons(found, failures=False), *lost]), told, _evidence(study))


def fails(study: Study, title: str) -> Row | None:
    """Whether operators end their process, never answer, or make what is not finite."""
    if not isinstance(study, Operators) or study.parity is None:
        return None
    found = study.parity
    fickle = [Reason(f"{each.op}: {each.how}", "not decided", _accepted_as(each)) for each in found.fickle]
    told = [_compared(found)]
    if found.by_chance:
        told.append(f"now so, now so in the new one, as chance explains: {', '.join(found.by_chance)}")
    return Row(title, ordered([*_reasons(found, failures=True), *fickle]), tuple(told), _evidence(study))


def _compared(found: Parity) -> str:
    return f"{found.compared} cases of {found.operators} operators were compared"


def _evidence(study: Study) -> tuple[str, ...]:
    return (study.folder.id,) if study.folder is not None else ()


def _reasons(found: Parity, failures: bool) -> list[Reason]:
    """Differences but of time: those that fail, or all others."""
    meaning = [difference for difference in found.differences if difference.kind != SLOWER]
    return [reason(difference) for difference in meaning if (difference.kind in _FAILURES) == failures]


def _lost(name: str) -> Reason:
    told = f"{name}: not every case that works in the old one was asked"
    return Reason(told, "not decided", f"operator {name}: not all asked")


def _besides(found: Parity) -> Iterator[str]:
    """What is no reason, and told."""
    counts = {
        "no call was found of {} operators": len(found.untaken),
        "cases of {} operators do not repeat themselves": len(found.unstable),
        "both compute cases of {} operators otherwise on NaiveEngine, or without oneDNN": len(found.otherwise),
        "both compute {} operators not as numpy does": len(found.unlike_numpy),
    }
    yield from (text.format(count) for text, count in counts.items() if count)
    if found.untold:
        memory = "other values, where the old one has others on NaiveEngine, too, as of memory that nobody wrote"
        yield f"{memory}: {', '.join(found.untold)}"


def reason(difference: Difference) -> Reason:
    """Why a difference speaks against the new target."""
    about = f"{difference.op}: {difference.kind}"
    told = f"{about}: {difference.how} ({difference.cases} cases)"
    return Reason(told, name=_accepted_as(difference), size=difference.size)


def _accepted_as(difference: Difference) -> str:
    return f"operator {difference.op}: {difference.kind}"
