"""Options that several verbs have."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import InputError

if TYPE_CHECKING:
    from harness.execution.request import Planned
    from harness.scenario.load import LoadedScenario
    from harness.scenario.overrides import Override

EXIT_OF = {"pass": 0, "fail": 1, "invalid": 3, "unknown": 3}

RUN = (
    "`last`, an id or a part of it, a scenario's name for its newest run (or last:NAME), or the path of a run's folder"
)
_LARGEST_FACTOR = 1e6
_AGES = {"d": 86400.0, "h": 3600.0, "min": 60.0}


def add_results(parser: argparse.ArgumentParser) -> None:
    """Add ``--results``, the folder below which runs and studies lie."""
    help_ = "folder of results; runs lie in its subfolder runs (default: what `harness config` says, else results)"
    parser.add_argument("--results", type=Path, metavar="FOLDER", help=help_)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json``, output for scripts."""
    help_ = "print JSON for scripts instead of text for people (form: results/README.md)"
    parser.add_argument("--json", action="store_true", help=help_)


def add_resume(parser: argparse.ArgumentParser) -> None:
    """Add ``--resume``, to go on where a study was."""
    help_ = (
        "go on with a study that was interrupted or killed (`last`, its id, a part of it, or its path), as it was asked"
    )
    complete_runs(parser.add_argument("--resume", metavar="ID", help=help_), "studies")


def require_alone(arguments: argparse.Namespace, *names: str) -> None:
    """InputError where ``--resume`` comes with options that say what to study: that is decided."""
    for name in names:
        if arguments.resume is not None and getattr(arguments, name):
            what = {"path": "the path", "paths": "the paths", "old": "both sides", "new": "both sides"}.get(name)
            what = what or f"--{name}"
            raise InputError(f"--resume goes on with what was asked; leave {what} out")


def add_run(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a run."""
    complete_runs(parser.add_argument("run", metavar="RUN", help=RUN))


def complete_runs(action: argparse.Action, *kinds: str) -> None:
    """Let a shell complete what names a run, or with other ``kinds`` of folders one of these (`harness completion`)."""

    def runs(prefix: str, parsed_args: argparse.Namespace, **_: object) -> list[str]:
        from harness.base import settings
        from harness.storage import named

        known = settings.find(Path.cwd(), os.environ).get("results")
        results = parsed_args.results or Path(known.value if known else "results")
        ids = sorted(path.name for kind in kinds or ("runs",) for path in (results / kind).glob("[!.]*"))
        names = list(dict.fromkeys(filter(None, map(named.name_of, ids))))
        return ["last", *(f"last:{name}" for name in names), *names, *ids]

    action.completer = runs  # type: ignore[attr-defined]


def complete_claims(action: argparse.Action) -> None:
    """Let a shell complete ids of claims."""

    def claims() -> Iterable[str]:
        from harness.vocabulary.claims import CLAIMS

        return CLAIMS

    complete(action, claims)


def complete(action: argparse.Action, words: Callable[[], Iterable[str]]) -> None:
    """Let a shell complete some words, which are asked for only then."""
    action.completer = lambda prefix, **_: list(words())  # type: ignore[attr-defined]


def add_scenarios(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name scenario files and folders."""
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a scenario file, or a folder of them")


def add_repeat(parser: argparse.ArgumentParser) -> None:
    """Add ``--repeat``, which changes how often each arm is run."""
    parser.add_argument("--repeat", type=positive, metavar="N", help="run each arm N times, each in new processes")


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add ``--set``, ``--mxnet`` and ``--python``, which change fields and the target."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="change a field of the scenario (of each, where there are several), as in workload.batch_size=64; may be "
        "repeated",
    )
    parser.add_argument("--cuda", metavar="11", help="MXNet for GPUs, with CUDA's libraries from wheels (4 GB, once)")
    target = parser.add_mutually_exclusive_group()
    target.add_argument("--mxnet", metavar="VERSION", help="the MXNet version to run with; built on first use")
    target.add_argument("--python", metavar="PATH", help="an interpreter with mxnet; nothing is installed into it")


def changes(arguments: argparse.Namespace) -> list[Override]:
    """The fields to change and their values; ScenarioError for an option that is none."""
    from harness.scenario import overrides

    repeat = getattr(arguments, "repeat", None)
    cuda = getattr(arguments, "cuda", None)
    if cuda is not None and arguments.python:
        raise InputError(f"give --cuda {cuda} or --python {arguments.python}, not both: that python has its own MXNet")
    own = [("repeat", repeat), ("target.cuda", cuda)]
    return [*((path, value) for path, value in own if value is not None), *map(overrides.from_option, arguments.set)]


def all_changes(arguments: argparse.Namespace) -> list[Override]:
    """The same with the target's version or interpreter, as fields of the scenario."""
    from harness.scenario.load import replaced

    chosen = [("target.mxnet", arguments.mxnet), ("target.python", arguments.python)]
    fields = [(path, value) for path, value in chosen if value]
    return [*changes(arguments), *(each for path, value in fields for each in (*replaced(path), (path, value)))]


def files(arguments: argparse.Namespace) -> list[Path]:
    """The scenario files asked for; InputError when a folder holds none."""
    listed = [file for path in arguments.paths for file in _files(path)]
    if not listed:
        raise InputError(f"no scenario in {', '.join(map(str, arguments.paths))}; they are files *.yaml")
    return listed


def _files(path: Path) -> Iterator[Path]:
    try:
        return iter(filter(_is_no_result, sorted(path.rglob("*.yaml")))) if path.is_dir() else iter((path,))
    except OSError as error:
        raise InputError(f"{path} cannot be looked at: {(error.strerror or '').lower()}") from error


def _is_no_result(path: Path) -> bool:
    """Not the copy of a scenario that is kept with a run, nor a trial of a study."""
    kept = (path.name, path.parent.parent.name) == ("scenario.yaml", "runs")
    return not kept and (path.parent.name, path.parent.parent.parent.name) != ("trials", "studies")


def planned(loaded: LoadedScenario, arguments: argparse.Namespace) -> Planned:
    """The scenario planned for the targets that the command line asks for."""
    from harness.execution import request
    from harness.targets import resolve

    return request.planned(loaded, resolve.settled(loaded, arguments.mxnet, arguments.python))


def positive(text: str) -> int:
    """A number of 1 or more, for argparse."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; give 1 or more")
    return int(text)


def number(text: str) -> int:
    """A number of 0 or more, for argparse."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number; give 0 or more")
    return int(text)


def percentage(text: str) -> float:
    """A percentage above zero as a fraction, for argparse."""
    from harness.base.units import parse_percentage

    return _above_zero(text, parse_percentage)


def duration(text: str) -> float:
    """A time above zero in seconds, for argparse."""
    from harness.base.units import parse_duration

    return _above_zero(text, parse_duration)


def size(text: str) -> int:
    """A size above zero in bytes, for argparse."""
    from harness.base.units import parse_size

    return round(_above_zero(text, parse_size))


def age(text: str) -> float:
    """So many days, hours or minutes in seconds, for argparse."""
    for unit, seconds in _AGES.items():
        if text.endswith(unit):
            return factor(text.removesuffix(unit)) * seconds
    raise argparse.ArgumentTypeError(f"{text!r} is no age; write a number and {', '.join(_AGES)}, as in 2d")


def since(text: str) -> float:
    """A day, or an age, in seconds since 1970, for argparse."""
    import time
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        if text.endswith(tuple(_AGES)):
            return time.time() - age(text)
        raise argparse.ArgumentTypeError(f"{text!r} is neither a day, as 2026-11-01, nor an age, as 2d") from None


def factor(text: str) -> float:
    """A number above zero, for argparse."""
    return _above_zero(text, _number)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise ValueError("is not a number") from error
    if value > _LARGEST_FACTOR:  # also where it is infinite, or no number
        raise ValueError(f"is more than {_LARGEST_FACTOR}")
    return value


def environment(given: list[str]) -> dict[str, str]:
    """Variables from options NAME=VALUE; InputError for one that is none."""
    for each in given:
        if "=" not in each.lstrip("="):
            raise InputError(f"--env {each}: write NAME=VALUE")
    return dict(each.split("=", 1) for each in given)


def _above_zero(text: str, parse: Callable[[str], float]) -> float:
    try:
        value = parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} {error}") from error
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not above zero")
    return value
