"""``harness operators``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli import _options, _targets

if TYPE_CHECKING:
    from harness.studies.operators import Operators
    from harness.studies.parity import Parity

HELP = "call every operator of two MXNets from the same seeds, and say what differs between them"
EXIT_CODES = (
    "exit codes: 0 nothing differs, 1 something does, 2 a mistake in the input, 3 nothing does of what could be asked, "
    "and not all could, 130 interrupted"
)
SCHEMA = "harness/operators/1"
_EXAMPLE = """\
Forward and backward, in several types, modes and sizes, with values that are not finite; each operator in processes
that are replaced when one does not survive. Files that one writes are read by the other, both ways. What does not
repeat itself within one MXNet is left out. For instance:

  harness operators --from mxnet=1.8.0.post0 --to mxnet=1.9.1 --scripts differences
  harness operators --from mxnet=1.5.1.post0 --to mxnet=1.9.1 --only files.gluon.Trainer.save_states.norm
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{_EXAMPLE}\n{EXIT_CODES}"
    _targets.add(parser)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this operator; may be repeated")
    parser.add_argument("--scripts", type=Path, metavar="FOLDER", help="also write a program for each difference there")
    parser.add_argument("--times", action="store_true", help="also time calls of each, both targets by turns")
    help_ = "so many processes at a time (default: one a processor)"
    parser.add_argument("--jobs", type=_options.positive, metavar="N", help=help_)
    _options.add_resume(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import EXIT_INTERRUPTED, _studying
    from harness.report.operators import render
    from harness.studies.operators import Operators

    _options.require_alone(arguments, "old", "new", "only", "times")
    study, folder = _studying.opened(Operators, lambda: _study(arguments), arguments)
    study.folder = folder
    study.say = lambda line: print(line, file=sys.stderr, flush=True)
    finished = _studying.run(study, folder, arguments.jobs, in_process=True)
    _studying.show(study, folder, render(study), SCHEMA, arguments.json)
    if not finished or study.parity is None:
        return EXIT_INTERRUPTED
    if arguments.scripts is not None:
        _write(study, arguments.scripts)
    return exit_code(study.parity, arguments.only or ())


def exit_code(found: Parity, only: Sequence[str]) -> int:
    """As the help tells; what was named and could not be called is not left out as it is of a whole registry."""
    if found.differences or found.gone:
        return 1
    return 3 if found.unmatched or found.fickle or (only and found.untaken) or not found.operators else 0


def _study(arguments: argparse.Namespace) -> Operators:
    from harness.cli._settings import warn_of_targets
    from harness.studies.operators import Operators
    from harness.targets.interpreter import on_disk, require_mxnet

    targets = _targets.both(arguments)
    for target in targets:
        if target.python:  # ours have it
            require_mxnet(on_disk(target.python).python, target.env)
    warn_of_targets(targets)
    return Operators(*targets, arguments.only or (), arguments.times)


def _write(study: Operators, folder: Path) -> None:
    from harness.report.operators import scripts
    from harness.storage.run_folder import storage_error

    assert study.parity is not None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in scripts(study.parity.differences).items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise storage_error(error, folder, by=" with --scripts") from error
    print(f"{len(study.parity.differences)} programs are in {folder}", file=sys.stderr)
