"""``harness nightly``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import HarnessError, InputError
from harness.cli import _nights, _options

if TYPE_CHECKING:
    from harness.storage.ledger import Ledger
    from harness.studies.night_budget import Asked
    from harness.studies.nightly import Nightly
    from harness.studies.nights import Night
    from harness.studies.study_folder import StudyFolder
    from harness.studies.watching import Ready

HELP = "measure a project's scenarios tonight, and say what got slower, or wrong, and because of which change"
EXIT_CODES = (
    "exit codes: 0 no new alert (what is undecided is none, and is looked at again), 1 a new alert, 2 a mistake in the "
    "input, 3 something could not run, 130 interrupted"
)
EXIT_FAILED = 3
WORDS = ("software", "machine", "noise")
FORMS = ("markdown", "junit", "prometheus", "code-quality")
_IN_LEDGER = "ledger.json"
"""Of a night's folder, once it is over."""

STALE_SECONDS = 12 * 3600.0
"""A night that was killed longer ago is another night."""

_EXAMPLE = """\
In a project (harness init DIR), every scenario with the tag asv is measured in rounds, and beside the last good night's
software where anything changed. What is suspected is asked again before it is told. Each night is a commit on the
branch `nights`, made without touching the checkout; asv's pages of them are results/nights/html. A night that was
killed goes on when the command is given again.

  harness nightly --budget 60min --notify ./tell-us.sh
  harness nightly show
  harness nightly accept 3f2a91c0 --because "a larger network, on purpose"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{_EXAMPLE}\n{EXIT_CODES}"
    parser.add_argument("--budget", type=_options.duration, metavar="TIME", help="of the whole night (default: 60min)")
    help_ = "measure each scenario N times, or as often as the budget allows (default: 5)"
    parser.add_argument("--repeat", type=_options.positive, metavar="N", help=help_)
    confirm = "of one comparison that confirms a suspicion; it goes on where the night has room (default: 10min)"
    parser.add_argument("--confirm", type=_options.duration, metavar="TIME", help=confirm)
    margin = "the same, if closer (default: 1%%)"
    parser.add_argument("--resolve", type=_options.percentage, metavar="PERCENT", help=margin)
    parser.add_argument("--suite", type=Path, metavar="FOLDER", help="where scenarios are (default: scenarios)")
    parser.add_argument("--tag", default="asv", metavar="NAME", help="which of them (default: asv)")
    alert = f"what counts as an alert besides software: {', '.join(WORDS[1:])}; may be repeated"
    parser.add_argument("--alert", action="append", choices=WORDS, default=[], metavar="WORD", help=alert)
    notify = "a command that gets each night with news as JSON on its standard input; tried three times"
    parser.add_argument("--notify", metavar="CMD", help=notify)
    for form in FORMS:
        parser.add_argument(f"--{form}", type=Path, metavar="FILE", help=f"also write the night as {form} into a file")
    parser.set_defaults(own_budget=True)  # of a whole night, and no comparison's
    _options.add_results(parser)
    _options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    show = actions.add_parser("show", help="show all nights, or one of them")
    show.add_argument("night", nargs="?", metavar="NIGHT", help="its id, a part of it, or last (default: all)")
    _options.add_json(show)
    accept = actions.add_parser("accept", help="say that an alert is as it should be; it is not told again")
    accept.add_argument("ids", nargs="+", metavar="ID", help="as the alert shows it; several that are one matter")
    accept.add_argument("--because", required=True, metavar="TEXT", help="why; kept in the ledger")


def execute(arguments: argparse.Namespace) -> int:
    from harness.storage import ledger
    from harness.studies.nights import Night

    known = ledger.of(Path.cwd())
    if arguments.action == "show":
        return _nights.show(known, arguments)
    if arguments.action == "accept":
        return _nights.accept(known, arguments)
    with ExitStack() as held:
        try:
            held.enter_context(known.lock())
        except HarnessError as error:  # a night that hangs would keep all others from being told
            _hand_on(Night(_id_of_now(), [], failure=str(error)), _Told(known, arguments, {}))
            raise
        return _run(known, arguments)


# One night


@dataclass(frozen=True)
class _Told:
    """Where a night goes once it is over."""

    ledger: Ledger
    arguments: argparse.Namespace
    accepted: Mapping[str, str]

    @property
    def words(self) -> Sequence[str]:
        return ("software", *self.arguments.alert)


def _run(ledger: Ledger, arguments: argparse.Namespace) -> int:
    from harness.asv_bridge import nights as asv
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.studies import watching
    from harness.studies.nights import ACCEPTED, FILE, Night
    from harness.targets.build_step import say_nothing

    project, results = Path.cwd(), arguments.results
    suite = arguments.suite or project / "scenarios"
    asv.require_project(project)
    if arguments.suite is not None or not ledger.tip:  # else it is a disk that is not there, and no mistake
        _require_suite(suite)
    if arguments.notify is not None:
        _nights.require_command(arguments.notify)
    _asked(arguments)
    for form in FORMS:
        path = getattr(arguments, form.replace("-", "_"))
        if path is not None and (not path.name or path.is_dir()):
            raise InputError(f"--{form} {path}: give a file")
    try:
        ledger.require_possible((FILE, ACCEPTED))
        _, accepted = watching.read(ledger)
    except HarnessError as error:  # nor can it be kept that there was a night
        _hand_on(Night(_id_of_now(), [], failure=str(error)), _Told(ledger, arguments, {}))
        raise
    told = _Told(ledger, arguments, accepted)
    try:
        _require_suite(suite)
        axes = asv.axes(project)
        environments = [watching.Environment(axis.label, axis.versions, axis.env) for axis in axes]
        look = partial(watching.ready, results, suite, arguments.tag, environments, ledger)
        ready = look(_say)
    except HarnessError as error:
        return _could_not_run(told, str(error))
    for key, why in ready.left_out.items():
        _say(f"{key} is left out: {why}")
    try:
        study, folder = _opened(ready, told)
        study.say = _say
        if not _studying.run(study, folder, in_process=True, again="harness nightly"):
            return EXIT_INTERRUPTED
        night = watching.changed_meanwhile(study.night, ready, look(say_nothing))
    except HarnessError as error:  # as where the disk is full; what was begun goes on another night
        return _could_not_run(told, str(error))
    return _over(study, night, folder, ready, told, {axis.key: axis.label for axis in axes})


def _require_suite(suite: Path) -> None:
    if not suite.is_dir():
        raise InputError(f"{suite} is no folder of scenarios; give another --suite")


def _asked(arguments: argparse.Namespace) -> Asked:
    """How the night is spent; InputError where no look would fit, or anything would be the same."""
    from harness.studies.finding import Question
    from harness.studies.night_budget import LEAST_SECONDS, LOOK, Asked

    given = {name: getattr(arguments, name) for name in ("budget", "repeat", "confirm", "resolve")}
    asked = Asked(**{name: value for name, value in given.items() if value})
    Question(resolve=asked.resolve)
    if asked.confirm < LEAST_SECONDS / LOOK:
        least = f"at least {LEAST_SECONDS / LOOK:.0f}s"
        raise InputError(f"--confirm {asked.confirm:g}s leaves no comparison the time that it takes; give {least}")
    return asked


def _opened(ready: Ready, told: _Told) -> tuple[Nightly, StudyFolder]:
    """A night that was begun and killed, where nothing changed since, or a new one; else that one is recorded."""
    from harness.studies import study_folder, watching
    from harness.studies.nightly import Nightly
    from harness.studies.nights import Night

    arguments = told.arguments
    known = {night.id for night in watching.read(told.ledger)[0]}
    new = Nightly(ready.watched, _asked(arguments), ready.facts, ready.broken)
    for folder in reversed(study_folder.every(arguments.results, Nightly.name)):
        if folder.id in known:
            continue  # not the end: a clock may have gone back
        if _in_ledger(folder).get("commit"):
            continue  # it was over; the branch was set back since
        begun = _reopened(folder)
        is_young = time.time() - folder.path.stat().st_mtime < STALE_SECONDS
        if begun is not None and is_young and _counts(begun) == _counts(new):
            _say(f"goes on with the night {folder.id}, which was not ended")
            return begun, folder
        killed = "it was killed, and did not go on before what it measured changed, or half a day was over"
        why = "it was over, and the ledger did not take it" if _in_ledger(folder) else killed
        _append(told.ledger, Night(folder.id, [], ready.facts, failure=why), {})
        break
    return new, study_folder.create(arguments.results, Nightly.name, new.question)


def _reopened(folder: StudyFolder) -> Nightly | None:
    """None for one that cannot be read, as of another version."""
    from harness.base.errors import DamagedRunError
    from harness.studies.nightly import Nightly
    from harness.studies.study import reopened

    try:
        return reopened(Nightly, folder)
    except DamagedRunError as error:
        _say(f"harness: {error}")
        return None


def _counts(study: Nightly) -> tuple[list[tuple[str, str, str]], object]:
    """What must not change within a night: software, and what the shell says of the processor."""
    software = [(key, each.tracked.fingerprint, each.past.night) for key, each in study.watched.items()]
    return software, study.facts.get("processor_told")


def _over(study: Nightly, night: Night, folder: StudyFolder, ready: Ready, told: _Told, keys: Mapping[str, str]) -> int:
    """Into the ledger, to whoever is to hear of it, to asv."""
    kept = {"numbers": _numbers(study, night, keys), "commit": "", "filed": False}
    folder.write_json(_IN_LEDGER, kept)
    _queue(night, told)
    commit = _append(told.ledger, night, ready.files, _written(study))
    try:
        folder.write_json(_IN_LEDGER, {**kept, "commit": commit})
    finally:  # the ledger knows of it now, and no later night tells it again
        code = _tell(replace(night, commit=commit), told)
    try:
        _file(told)
    except (HarnessError, OSError, ValueError) as error:
        _say(f"harness: the night is in the ledger, but asv did not take it, and will be asked again: {error}")
    except KeyboardInterrupt:
        _say("the night is in the ledger; asv's pages lack it until the next one")
        raise
    return code


def _file(told: _Told) -> None:
    """Give asv this night, and then those that it did not take."""
    from harness.asv_bridge import nights as asv
    from harness.studies import study_folder, watching
    from harness.studies.nightly import Nightly

    results = told.arguments.results
    commits = {night.id: night.commit for night in watching.read(told.ledger)[0]}
    for folder in reversed(study_folder.every(results, Nightly.name)):
        kept = _in_ledger(folder)
        if kept and not kept["filed"] and folder.id in commits:
            pages = asv.file(told.ledger, Path.cwd(), results, commits[folder.id], kept["numbers"])
            folder.write_json(_IN_LEDGER, {**kept, "commit": commits[folder.id], "filed": True})
            _say(f"asv's pages of all nights: {pages / 'index.html'}")


def _in_ledger(folder: StudyFolder) -> Mapping[str, Any]:
    """A night's commit, its numbers for asv, and whether asv took them; nothing before it is over."""
    from harness.base.errors import DamagedRunError

    try:
        return folder.read_json(_IN_LEDGER) if folder.has(_IN_LEDGER) else {}
    except DamagedRunError:
        return {}


def _could_not_run(told: _Told, why: str) -> int:
    """A night without numbers is a night, too."""
    from harness.studies.nights import Night

    night = Night(_id_of_now(), [], failure=why)
    _queue(night, told)
    try:
        commit = _append(told.ledger, night, {})
    except HarnessError:  # the disk may be full: it is told all the same
        _tell(night, told)
        raise
    return _tell(replace(night, commit=commit), told)


def _id_of_now() -> str:
    return time.strftime("%Y%m%dT%H%M%S-nightly", time.gmtime())


def _append(ledger: Ledger, night: Night, files: Mapping[str, bytes], more: Mapping[str, bytes] | None = None) -> str:
    import json

    from harness.studies.nights import FILE

    body = json.dumps(night.as_json(), indent=1, sort_keys=True).encode()
    states = [each.state for each in night.scenarios]
    told = night.failure or ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    return ledger.append({**files, **(more or {}), FILE: body}, f"night {night.id}\n\n{told}")


def _written(study: Nightly) -> dict[str, bytes]:
    """What people look for in a night's commit: scenarios as they ran, packages of targets, settings."""
    import yaml

    files: dict[str, bytes] = {}
    for key, each in study.watched.items():
        text = yaml.safe_dump(dict(each.tracked.values), sort_keys=False, allow_unicode=True)
        files[f"scenarios/{key}.yaml"] = text.encode()
        for arm, packages in each.tracked.packages.items():
            freeze = "".join(f"{name}=={version}\n" for name, version in sorted(packages.items()))
            files[f"targets/{key}{f'.{arm}' if arm else ''}.txt"] = freeze.encode()
    for name in ("asv.conf.json", "harness.toml"):
        if Path(name).is_file():
            files[name] = Path(name).read_bytes()
    return files


def _numbers(study: Nightly, night: Night, keys: Mapping[str, str]) -> dict[str, Any]:
    """By environment and scenario, as asv asks for them."""
    found: dict[str, Any] = {}
    for axis, label in keys.items():
        for each in night.scenarios:
            if each.key in study.watched and study.watched[each.key].axis == label:
                against = "; ".join(one.text for one in each.answers if one.word == "software")
                against = against or (each.note if each.state == "failed" else "")
                name = study.watched[each.key].name
                told = {"numbers": each.numbers, "against": against, "noise": _noise(study, each.key)}
                found.setdefault(axis, {})[name] = told
    return found


def _noise(study: Nightly, key: str) -> float:
    """By how much runs of a scenario differ here, as its newest one found it calibrated; 0 where nobody knows."""
    from harness.asv_bridge.tracking import known_noise
    from harness.storage import run_folder

    verdicts = study.tonight.of_rounds(key)
    if not verdicts or study.folder is None:
        return 0.0
    try:
        return known_noise(run_folder.find(study.folder.results, verdicts[-1].run).plan(), verdicts[-1].facts)
    except HarnessError:  # its run is gone, or damaged
        return 0.0


def _queue(night: Night, told: _Told) -> str:
    """Keep news until somebody took them: from before the ledger knows of them, after which nobody tells them again.

    Returns what the disk did not take.
    """
    import json

    from harness.report import nightly

    body = nightly.as_json(night, told.accepted, told.words)
    if not (told.arguments.notify and (body["alerts"] or _has_failed(night))):
        return ""
    text = json.dumps(body)
    return "" if _nights.queue(told.arguments.results, night.id, text) else text


def _has_failed(night: Night) -> bool:
    return bool(night.failure) or any(each.state == "failed" for each in night.scenarios)


def _tell(night: Night, told: _Told) -> int:
    """Hand it on, and show it, where somebody is there to read; the exit code."""
    import json

    from harness.cli._console import Console
    from harness.report import nightly
    from harness.report.pages import nightly as forms

    _hand_on(night, told)
    given = night, told.accepted, told.words
    body = nightly.as_json(*given)
    if told.arguments.json:
        print(json.dumps(body, indent=1))
    else:
        Console().print(nightly.render(*given))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print("\n".join(forms.github_commands(*given)), file=sys.stderr)
    return 1 if body["alerts"] else EXIT_FAILED if _has_failed(night) else 0


def _hand_on(night: Night, told: _Told) -> None:
    """Write the files that were asked for, and notify."""
    from harness.report.pages import nightly as forms

    arguments, given = told.arguments, (night, told.accepted, told.words)
    makers = (forms.as_markdown, forms.as_junit, forms.as_prometheus, forms.as_code_quality)
    for form, make in zip(FORMS, makers, strict=True):
        if (path := getattr(arguments, form.replace("-", "_"))) is not None:
            _nights.write(path, make(*given))
    if arguments.notify:
        unkept = _queue(night, told)  # with its commit
        _nights.deliver(arguments.notify, arguments.results, unkept)


def _say(line: str) -> None:
    _nights.say(line)
