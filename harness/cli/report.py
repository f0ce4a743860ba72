"""``harness report``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError, StorageError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.storage.run_folder import RunFolder
    from harness.studies.study_folder import StudyFolder

HELP = "make a page of a run or a study to send to somebody, or what CI systems and monitors read"
EXIT_CODES = "exit codes: 0 written, whatever the verdict; 2 a mistake in the input; 130 interrupted"
FORMS = ("html", "markdown", "step-summary", "junit", "prometheus")
_SUMMARY = "GITHUB_STEP_SUMMARY"


def configure(parser: argparse.ArgumentParser) -> None:
    help_ = f"{_options.RUN}; of studies, their ids, parts of them, paths, or last:KIND"
    _options.complete_runs(parser.add_argument("runs", nargs="+", metavar="RUN", help=help_), "runs", "studies")
    what = "html: one file, without scripts and network; step-summary: Markdown, added to GitHub's (default: html)"
    parser.add_argument("--form", choices=FORMS, default="html", help=what)
    where = "where it goes, - for the standard output (default: ID.html here; of other forms, the standard output)"
    parser.add_argument("--output", metavar="FILE", help=where)
    _options.add_results(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import _finding
    from harness.storage.run_folder import RunFolder

    if len(arguments.runs) > 1 and arguments.form == "html":
        raise InputError("a page is of one run or study; give one, or another --form")
    found = [_finding.found(arguments.results, wanted) for wanted in arguments.runs]
    if arguments.form == "html":
        (folder,) = found
        _write(_page(folder), arguments.output or f"{folder.id}.html")
        return 0
    if arguments.form == "step-summary" and arguments.output:
        raise InputError(f"--form step-summary is added to the file that {_SUMMARY} names; leave --output out")
    runs = [folder for folder in found if isinstance(folder, RunFolder)]
    others = [folder for folder in found if not isinstance(folder, RunFolder)]
    if runs and others:
        raise InputError("runs and studies are of different forms; give either")
    text = _of_qualifications(arguments.form, others) if others else _text(arguments.form, runs)
    if arguments.form == "step-summary":
        _add(text)
    else:
        _write(text, arguments.output or "-")
    return 0


def _page(folder: RunFolder | StudyFolder) -> str:
    from harness.studies.study_folder import StudyFolder

    return _of_study(folder) if isinstance(folder, StudyFolder) else _of_run(folder)


def _of_run(folder: RunFolder) -> str:
    from harness.cli import _defaults
    from harness.execution.run import judged
    from harness.report import claims, timeline
    from harness.report.pages import page
    from harness.storage import history, run_index

    _warn(folder)
    verdict, plan = judged(folder), folder.plan()
    drawn = timeline.timelines(plan, history.read(folder.path / "history.jsonl"), verdict)
    again = f"harness replay {_defaults.run(folder.path)}"
    source = page.Source(folder.id, folder.read("scenario.yaml"), again)
    return page.of_run(verdict, drawn, claims.words(run_index.claims(folder)), source)


def _of_study(folder: StudyFolder) -> str:
    from harness.cli import _defaults
    from harness.report.pages import page, studies
    from harness.studies import study_folder

    whole = study_folder.whole_of(folder.results, folder.id) or folder
    name, _ = whole.question()
    shown = studies.shown(folder)
    scenario, facts = _last(folder)
    source = page.Source(folder.id, scenario, f"harness {name} --resume {whole.id}{_defaults.option(folder.results)}")
    return page.of_study(shown.title, shown.text, shown.picture, source, shown.badge, facts)


def _last(folder: StudyFolder) -> tuple[str, Mapping[str, Any]]:
    """The scenario of a study's last answer, and the facts of its run: what comes first is often a trial."""
    from harness.base.errors import HarnessError
    from harness.storage import run_folder

    answers = list(reversed(folder.answers()))
    trials = [folder.path / "trials" / f"{answer.key}.yaml" for answer in answers]
    kept = (path.read_text() for path in trials if path.is_file())
    scenario = next(kept, "(none is kept: its runs are of other plans)")
    for answer in filter(attrgetter("run"), answers):
        try:
            return scenario, run_folder.find(folder.results, answer.run).read_json("facts.json")
        except HarnessError:  # it was deleted since
            continue
    return scenario, {}


def _text(form: str, runs: Sequence[RunFolder]) -> str:
    from harness.execution.run import judged
    from harness.report.pages import junit, markdown, prometheus

    for folder in runs:
        _warn(folder)
    verdicts = [(folder.plan().scenario, judged(folder)) for folder in runs]
    if form == "junit":
        return junit.of_runs(verdicts)
    if form == "prometheus":
        return prometheus.of_runs(verdicts)
    return "\n".join(markdown.of_run(verdict) for _, verdict in verdicts)


def _of_qualifications(form: str, folders: Sequence[StudyFolder]) -> str:
    """Of other studies there are pages alone."""
    from harness.report.pages import qualify, studies
    from harness.studies.qualify import Qualify

    found = []
    for folder in folders:
        name, _ = folder.question()
        study = studies.recalled(folder) if name == Qualify.name and form != "prometheus" else None
        if not isinstance(study, Qualify):
            raise InputError(f"a study of the kind {name} has no form {form}; give html, or name its runs")
        if study.wanted():
            sys.stderr.write(f"harness: qualification {folder.id} is not finished\n")
        found.append(study)
    return qualify.as_junit(found) if form == "junit" else "\n".join(map(qualify.as_markdown, found))


def _write(text: str, place: str) -> None:
    """Into a file, whole or not at all; ``-`` is the standard output."""
    if place == "-":
        sys.stdout.write(text)
        return
    path = Path(place)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe stays one
            path.write_text(text, encoding="utf-8")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise _unwritable(error, path) from error
    sys.stderr.write(f"wrote {path}\n")


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _add(text: str) -> None:
    """To the summary of the step that runs."""
    place = os.environ.get(_SUMMARY)
    if not place:
        raise InputError(f"{_SUMMARY} is not set: this is no step of a GitHub action; use --form markdown")
    try:
        with open(place, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise _unwritable(error, Path(place)) from error


def _unwritable(error: OSError, path: Path) -> StorageError:
    return StorageError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}; give another --output")


def _warn(folder: RunFolder) -> None:
    """What is reported of a run that has not finished is not its last word."""
    from harness.storage import run_index

    known = run_index.entry(folder)
    if known.status != "finished":
        sys.stderr.write(f"harness: run {folder.id} is {known.status}{': ' if known.reason else ''}{known.reason}\n")
