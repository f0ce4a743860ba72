"""``harness compare``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli import _options

if TYPE_CHECKING:
    from harness.scenario.load import LoadedScenario
    from harness.studies.compare import Compare

HELP = "say whether one side of a scenario is faster, slower or the same as another, and whether it computes the same"
SCHEMA = "harness/compare/1"
SIDES = "abcdefgh"
EXIT_UNDECIDED = 3
LEAST_SEEDS, MOST_SEEDS = 4, 1000
MEASURES = (
    "throughput", "throughput_overall", "latency_p50", "latency_p99", "outside_compute", "waiting", "input_wait",
    "peak_memory", "held_memory", "live_memory", "growth", "start_up", "sent_bytes", "drift", "loss_half_way",
    "loss_area", "steps_to_loss", "accuracy",
)  # fmt: skip
"""Those of `harness.studies.compared`, which takes long to import."""

_EXAMPLE = """\
A side is any set of changes: FIELD=VALUE (also target.env.NAME=VALUE, target.mxnet=1.8.0.post0, target.python=PATH), or
the name of one of the scenario's variants; repeat the option for several. Without --a, side a is the scenario as it is.
More sides are --c to --h; each is compared with the first.

  harness compare scenarios/training/step-latency.yaml --b target.env.MXNET_EXEC_BULK_EXEC_TRAIN=0
  harness compare SCENARIO --b target.mxnet=1.8.0.post0 --resolve 0.5% --budget 10min

exit codes: 0 faster, less, better or the same, 1 slower, more, worse, another meaning, or a side that fails, 2 a
mistake in the input, 3 undecided, or nothing that can be compared, 130 interrupted
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLE
    parser.add_argument("path", nargs="?", type=Path, metavar="SCENARIO", help="a scenario file")
    for name in SIDES:
        help_ = f"a change of side {name}; may be repeated" if name in "ab" else argparse.SUPPRESS
        parser.add_argument(f"--{name}", action="append", metavar="CHANGE", help=help_)
    what = f"what decides: {', '.join(MEASURES)} (default: throughput)"
    _options.complete(parser.add_argument("--measure", metavar="NAME", help=what), lambda: MEASURES)
    margin = "the same, if closer (default: 1%%; of drift, half of what seeds differ by)"
    parser.add_argument("--resolve", type=_options.percentage, metavar="PERCENT", help=margin)
    budget = "of all runs, also before --resume (default: 5min); of drift, the seeds asked for are run in any case"
    parser.add_argument("--budget", type=_options.duration, metavar="TIME", help=budget)
    seeds = f"of drift: at least so many, {LEAST_SEEDS} or more (default: 8)"
    parser.add_argument("--seeds", type=_options.positive, metavar="N", help=seeds)
    parser.add_argument("--apart", action="store_true", help="run sides one after the other, not side by side")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="also draw it into an SVG or PNG file")
    _options.add_changes(parser)
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.base.errors import InputError
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.report.compare import render
    from harness.studies.compare import Compare

    _options.require_alone(
        arguments, "path", "measure", "resolve", "seeds", "apart", "set", "mxnet", "cuda", "python", *SIDES
    )
    if arguments.resume is None and arguments.path is None:
        raise InputError("give a scenario to compare sides of, or --resume ID")
    if arguments.measure not in (None, *MEASURES):
        raise InputError(f"{arguments.measure!r} is not a measure; there are {', '.join(MEASURES)}")
    if arguments.seeds is not None and arguments.seeds < LEAST_SEEDS:
        raise InputError(f"--seeds {arguments.seeds}: fewer than {LEAST_SEEDS} have no interval; give more")
    if arguments.seeds is not None and arguments.seeds > MOST_SEEDS:
        raise InputError(f"--seeds {arguments.seeds}: {MOST_SEEDS} at most")
    if arguments.picture is not None:
        _require_drawable(arguments.picture)
    study, folder = _studying.opened(Compare, lambda: _study(arguments), arguments)
    if arguments.resume is not None and arguments.budget is not None:
        study.allow(arguments.budget)
    finished = _studying.run(study, folder, in_process=True)
    _studying.show(study, folder, render(study), SCHEMA, arguments.json)
    if arguments.picture is not None:
        _draw(study, arguments.picture)
    return _code(study) if finished else EXIT_INTERRUPTED


def _study(arguments: argparse.Namespace) -> Compare:
    """The study that is asked for; its targets are built before its first run."""
    from harness.base.errors import InputError
    from harness.cli import _studying
    from harness.studies import sides
    from harness.studies.compare import Compare
    from harness.studies.finding import Question

    given = [getattr(arguments, name) for name in SIDES]
    last = max((place for place, changes in enumerate(given) if changes), default=0)
    for name, changes in zip(SIDES[1:last], given[1:last], strict=True):
        if changes is None:
            raise InputError(f"side {name} has no changes, but a later one has; name sides in order")
    asked_of = {name: changes or [] for name, changes in zip(SIDES, given[: last + 1], strict=False)}
    scenario = sides.read(arguments.path, _options.all_changes(arguments), asked_of)
    asked = {
        name: getattr(arguments, name) for name in ("measure", "resolve", "budget", "seeds") if getattr(arguments, name)
    }
    study = Compare(scenario, Question(**asked, apart=arguments.apart))
    _require_different(study)
    loaded = sides.checked(study.wanted()[0].text, scenario.name)
    _warn_of_one_folder(loaded)
    study.unread = _studying.prepare(loaded)
    return study


def _warn_of_one_folder(loaded: LoadedScenario) -> None:
    """Sides write over what others wrote, and over what was there."""
    jobs = [arm.workload for arm in loaded.arms.values()]
    if any(job.script is not None and not job.scratch for job in jobs):
        told = "all sides write what the script writes into one folder"
        print(f"{told}; with --set workload.scratch=true each has its own", file=sys.stderr)


def _require_different(study: Compare) -> None:
    """InputError where changes make the job that the first side is already, as with a setting's default."""
    from harness.base.errors import InputError
    from harness.studies import sides

    first, *others = study.scenario.sides
    loaded = sides.checked(study.pair(0), study.scenario.name)
    for side in others:
        if side.fields != first.fields and loaded.arms[side.name] == loaded.arms[first.name]:
            raise InputError(f"{side.name} ({side.label}) is the job that {first.name} is: it has all of that already")


def _require_drawable(path: Path) -> None:
    """InputError for a picture that nobody could write when all is run."""
    from harness.base.errors import InputError

    if path.suffix not in (".svg", ".png"):
        raise InputError(f"{path} does not end in .svg or .png; the ending decides on the form")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder for it; choose another place")


def _draw(study: Compare, path: Path) -> None:
    from harness.base.errors import StorageError
    from harness.report.compare_figure import draw

    try:
        draw(study, path)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise StorageError(f"{path} cannot be written: {why}; choose another place with --picture") from error


def _code(study: Compare) -> int:
    """1 where a side is worse, fails or computes something else; 3 where that is not known."""
    words = {finding.word for finding in study.evidence.findings()}
    meanings = set() if study.of_seeds else {each.word for each in study.meanings.values()}
    if study.has_one_trajectory:
        return EXIT_UNDECIDED
    if study.broken or words & {"slower", "more", "worse"} or "different" in meanings:
        return 1
    return EXIT_UNDECIDED if not study.meanings or "unknown" in meanings or "undecided" in words else 0
