"""What a comparison of then and now says of a suspicion. Pure."""

from __future__ import annotations

from statistics import median

from harness.studies.compare import Compare
from harness.studies.finding import Finding, sentence
from harness.studies.meaning import ROUNDING
from harness.studies.nights import MEANING
from harness.studies.suspicion import Suspect


def finding(study: Compare, suspect: Suspect) -> Finding | None:
    """By the measure that is suspected, all pairs taken together; None where there is none."""
    if suspect.measure == MEANING or study.broken or not study.evidence.pairs:
        return None
    (other,) = study.evidence.others
    return study.evidence.finding(suspect.measure, other)


def shows(study: Compare, suspect: Suspect) -> bool:
    """Whether it finds what is suspected, in the same direction where the suspicion has one."""
    if suspect.measure == MEANING:
        different = any(found.word == "different" for found in study.meanings.values())
        return bool(study.broken) if suspect.word == "broken" else different
    if study.broken or not study.evidence.pairs:
        return False
    (other,) = study.evidence.others
    measure = suspect.measure
    asked = study.question_.measure == measure
    found = study.evidence.answer(other) if asked else study.evidence.finding(measure, other)
    return found.word == suspect.word if suspect.word else found.word not in ("same", "undecided")


def is_refuted(study: Compare, suspect: Suspect) -> bool:
    """Whether it says otherwise, and not only nothing: what begins late shows in pairs alone.

    What agrees by the measure, and is held back by all of the time (`evidence.guarded`), refutes nothing. Where
    rounding grows as far as what is suspected, or pairs end apart time after time, nobody can say.
    """
    if suspect.measure == MEANING:
        unclear = (found.rounding is not None or found.word == "unknown" for found in study.meanings.values())
        hidden = any(unclear) or _ends_apart(study)
        return not study.broken and not hidden and bool(study.meanings) and bool(study.evidence.pairs)
    found = finding(study, suspect)
    if found is None or found.word == "undecided":
        return False
    return found.word != suspect.word if suspect.word else found.word == "same"


def _ends_apart(study: Compare) -> bool:
    """Whether final losses of pairs are apart by more than rounding, and in one direction."""
    (other,) = study.evidence.others
    found, parted = study.evidence.finding("drift", other), study.evidence.parted(other.name)
    directed = found.mean is not None and not found.mean.low <= 0 <= found.mean.high
    return directed and bool(parted) and median(parted) > ROUNDING


def said(study: Compare, suspect: Suspect) -> str:
    """In a sentence."""
    if suspect.measure == MEANING or study.broken:
        return study.broken or "; ".join(found.sentence for found in study.meanings.values()) or study.nothing
    found = finding(study, suspect)
    return study.nothing if found is None else sentence(found)
