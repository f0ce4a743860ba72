"""Claims with what came of them: for terminals, and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from harness.report.verdict import STYLES
from harness.vocabulary.claims import CLAIMS, Claim

_STYLES = {"holds": "green", "in part": "yellow", "does not hold": "red", "open": "dim"}
_PAGE = """\
# Claims

What the troubleshooting literature on MXNet tells people, and what came of it on real MXNet, most of it 1.9.1 on two
cores. `harness claims` shows the same, with the newest runs of each scenario in your results; the numbers are on the
pages, each with the processes and seeds that it rests on. `open` is what nobody answered yet.

| claim | what it says | so far | scenarios |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Tested:
    """A scenario that asks a claim, and the verdict of its newest run here, if there is one."""

    scenario: str
    verdict: str = ""
    run: str = ""


def render(claims: Sequence[Claim], tested: Mapping[str, Sequence[Tested]]) -> RenderableType:
    """Each with its answer, and the scenarios that ask it."""
    return Group(*(_claim(claim, tested.get(claim.id, ())) for claim in claims))


def _claim(claim: Claim, tested: Sequence[Tested]) -> Text:
    text = Text.assemble((f"{claim.id}  ", "bold"), f"{claim.says}\n    ", (claim.answer, _STYLES[claim.answer]))
    text.append(f": {claim.why}{f' (docs/{claim.page})' if claim.page else ''}\n")
    for each in tested:
        text.append(f"    {each.scenario}")
        if each.verdict:
            text.append(f"  {each.verdict}", STYLES.get(each.verdict, "")).append(f"  {each.run}")
        text.append("\n")
    return text


def words(ids: Sequence[str]) -> list[str]:
    """What claims say, by id; an id that is not one of ours stands alone."""
    return [f"{id_}: {CLAIMS[id_].says}" if id_ in CLAIMS else id_ for id_ in ids]


def markdown(tested: Mapping[str, Sequence[Tested]]) -> str:
    """The page of all."""
    return _PAGE + "".join(f"{_row(claim, tested.get(claim.id, ()))}\n" for claim in CLAIMS.values())


def _row(claim: Claim, tested: Sequence[Tested]) -> str:
    answer = f"[{claim.answer}]({claim.page})" if claim.page else claim.answer
    scenarios = ", ".join(f"`{each.scenario}`" for each in tested)
    return f"| {claim.id} | {claim.says} | **{answer}**: {claim.why} | {scenarios} |"
