"""What a study comes to, from its folder, as the terminal shows it: nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from harness.base.errors import InputError
from harness.report import bisect, calibration, compare, compare_figure, nightly, operators, qualify, table
from harness.studies.again import Again
from harness.studies.bisect import Bisect
from harness.studies.calibrate import Calibrate
from harness.studies.compare import Compare
from harness.studies.composite import Composite
from harness.studies.nightly import Nightly
from harness.studies.operators import Operators
from harness.studies.qualify import Qualify
from harness.studies.shrink import Shrink
from harness.studies.soak import Soak
from harness.studies.starts import Starts
from harness.studies.study import Study, recall, reopened
from harness.studies.study_folder import StudyFolder
from harness.studies.survival import Survival
from harness.studies.table import Table

KINDS: Mapping[str, type[Study]] = {
    kind.name: kind
    for kind in (Again, Bisect, Calibrate, Compare, Nightly, Operators, Qualify, Shrink, Soak, Starts, Survival, Table)
}


@dataclass(frozen=True)
class Shown:
    """A study's title, what it comes to, its picture as SVG and its answer in a word, "" where it has none."""

    title: str
    text: RenderableType
    picture: str = ""
    badge: str = ""


def shown(folder: StudyFolder) -> Shown:
    """What there is of a study, as `recalled` has it."""
    return _shown(recalled(folder))


def recalled(folder: StudyFolder) -> Study:
    """A study with its answers; InputError for a kind that is not known, DamagedRunError where it cannot be read."""
    name, _ = folder.question()
    if name not in KINDS:
        raise InputError(f"{folder.id} is a study of a kind that is not known: {name!r}; there are {', '.join(KINDS)}")
    study = reopened(KINDS[name], folder)
    study.folder = folder
    recall(study, folder, to_show=isinstance(study, Composite))
    return study


def _shown(study: Study) -> Shown:
    if isinstance(study, Compare):
        picture = compare_figure.svg(study) if study.evidence.pairs else ""
        return Shown(f"Compared: {study.scenario.values['title']}", compare.render(study), picture)
    if isinstance(study, Calibrate):
        return Shown(f"Calibrated: {study.scenario.values['title']}", calibration.render(study))
    if isinstance(study, Table):
        return Shown("What becomes of a job under faults", Group(Text(study.in_words), table.render(study.results)))
    if isinstance(study, Operators):
        return Shown("Every operator of two targets", operators.render(study))
    if isinstance(study, Qualify):
        return Shown(f"May we upgrade? {study.asked_.old} → {study.asked_.new}", qualify.render(study), "", study.word)
    if isinstance(study, Nightly):
        return Shown("What changed since the last good night?", nightly.render(study.night, {}))
    if isinstance(study, Bisect):
        return Shown("Which is the first that shows it?", bisect.render(study))
    if isinstance(study, Again):
        return Shown("The same scenario, several times", Text(study.in_words))
    if isinstance(study, Starts | Survival):
        return Shown(study.row.title.capitalize(), qualify.of_row(study.row))
    if isinstance(study, Shrink):
        smallest = Text(study.text(study.smallest))
        return Shown(
            f"Shrunk: {study.plan.title}", Group(Text(study.conclusion), Text("the smallest scenario:"), smallest)
        )
    if isinstance(study, Soak):
        return Shown("Random schedules, each run and replayed", Group(Text(study.in_words), *map(Text, study.wrong)))
    raise AssertionError(f"{study.name} cannot be shown")
