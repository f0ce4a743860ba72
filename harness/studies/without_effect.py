"""Settings that did nothing here, and why that is likely."""

from __future__ import annotations

from collections.abc import Collection

from harness.studies.compared import MEASURES
from harness.studies.evidence import Evidence
from harness.studies.finding import margin_in_words
from harness.studies.sides import Side

WHY = {
    "workload.optimizer.lazy_update": "lazy_update matters for row_sparse gradients only, where rows without one "
    "change, as by momentum, weight decay or adam (python/mxnet/optimizer/optimizer.py)",
    "workload.hybridize": "a network whose operators take nearly all of the time has little to gain from one graph",
    "target.env.MXNET_EXEC_BULK_EXEC": "bulks only save the engine's own time for each operator",
}
"""Why settings, by the beginning of their path, often do nothing."""


def why(evidence: Evidence, side: Side, unread: Collection[str]) -> str | None:
    """Why the settings of a side that computes the same, bit by bit, did nothing; None where they may have done.

    ``unread``: variables that nothing reads. Where speed is undecided, only if it is known why such a setting often
    does nothing.
    """
    if {evidence.finding(name, side).word for name in MEASURES} - {"same", "undecided"}:
        return None
    read = [field for field in side.fields if field.removeprefix("target.env.") not in unread]
    known = [why for path, why in WHY.items() if any(field.startswith(path) for field in read)]
    answer, asked = evidence.answer(side), evidence.asked
    if answer.word != "same" or answer.mean is None or not answer.mean.low <= 0 <= answer.mean.high:
        return "; ".join(["no number differs by it, bit by bit; speed is not decided", *known]) if known else None
    margin = evidence.margin(asked.measure)
    within = margin_in_words(margin, asked.measure) if margin else "no difference"
    return "; ".join([f"the same numbers, bit by bit, and the same {asked.compared.name} within {within}", *known])
