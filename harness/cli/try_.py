"""``harness try``."""

from __future__ import annotations

import argparse
import itertools
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from harness.base.errors import InputError
from harness.cli import _options, _own_script

if TYPE_CHECKING:
    from harness.execution.run import Run
    from harness.scenario.own_script import OwnScript
    from harness.vocabulary.events import Event

HELP = "run a training script of your own, as in `harness try ./train.py -- --epochs 1`, and say what is seen of it"

EXIT_CODES = (
    "exit codes: 0 trained to its end, 1 took steps and came to no end, 2 a mistake in the input or a file that cannot "
    "be written, 3 nothing was recognised, 130 interrupted"
)
SCHEMA = "harness/try/1"
EXIT_UNWRITTEN = 2


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "harness try [OPTIONS] SCRIPT [-- ARGUMENTS OF THE SCRIPT]"
    parser.set_defaults(script_arguments=[])
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="a training script; it runs as it is")
    _own_script.add_job(parser, "stop the script after N steps")
    help_ = "where the scenario to start from is written (default: a new file with the script's name, in this folder)"
    parser.add_argument("--write", type=Path, metavar="FILE", help=help_)
    help_ = "write the size of each batch there, one a line, as shapes: {distribution: trace, file: FILE} reads them"
    parser.add_argument("--record-shapes", type=Path, metavar="FILE", help=help_)
    _options.add_changes(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import EXIT_INTERRUPTED, _running

    place = arguments.write or _new(arguments.script.stem)
    if not arguments.script.is_file():
        raise InputError(f"{arguments.script} is not a file")
    for option, file in (("--write", place), ("--record-shapes", arguments.record_shapes)):
        if file is None:
            continue
        if file.exists():
            raise InputError(f"{file} is there already; give another file with {option}")
        if not file.absolute().parent.is_dir():
            raise InputError(f"{option} {file}: there is no folder {file.parent}; make it first")
    if arguments.record_shapes is not None and arguments.record_shapes.absolute() == place.absolute():
        raise InputError(f"--write and --record-shapes are both {place}; give another file with one of them")
    own = _own_script.read(arguments)
    run = _run(arguments, own)
    if run.verdict is None:
        sys.stderr.write(f"interrupted; what was measured so far: {_running.show(run)}\n")
        return EXIT_INTERRUPTED
    return _tell(arguments, own, run, place)


def _new(stem: str) -> Path:
    """``train.yaml``; where one was written before, ``train-2.yaml``, and so on."""
    names = (f"{stem}{number}.yaml" for number in itertools.chain([""], (f"-{count}" for count in itertools.count(2))))
    return next(place for name in names if not (place := Path(name)).exists())


def _run(arguments: argparse.Namespace, own: OwnScript) -> Run:
    from harness.cli import _running
    from harness.planning import validation
    from harness.scenario import load

    loaded = load.parse(
        own.first(arguments.steps, arguments.record_shapes is not None), own.path.stem, _options.changes(arguments)
    )
    return _running.one(_options.planned(validation.checked(loaded), arguments), arguments.results)


def _tell(arguments: argparse.Namespace, own: OwnScript, run: Run, place: Path) -> int:
    """Say what was seen; a script that took steps gets a scenario, and exit code 0 (2 where that cannot be written)."""
    import json

    from harness.storage import history
    from harness.vocabulary.events import Recognised

    past = list(history.read(run.folder.path / "history.jsonl"))
    told = [event for event in past if isinstance(event, Recognised)]
    facts = dict(item for event in told if event.subject == told[0].subject for item in event.facts.items())
    assert run.verdict is not None
    ended = run.verdict.arms[-1].ended
    is_whole = ended is not None and ended.outcome == "completed"
    written = str(place) if facts and _write(arguments, own, past, place, is_whole) else None
    if arguments.json:
        body = {"schema": SCHEMA, "seen": facts, "scenario": written, "verdict": run.verdict.as_json()}
        print(json.dumps(body, indent=1))
    else:
        _show(run, facts, written)
        _hint(arguments, run, written)
    if facts and arguments.record_shapes is not None:
        _record(past, arguments.record_shapes)
    if facts and is_whole and written is None:
        return EXIT_UNWRITTEN
    return 0 if facts and is_whole else 1 if facts else 3


def _record(past: Sequence[Event], place: Path) -> None:
    """The sizes of the first worker's batches; where there are none, that is said."""
    from harness.scenario import observed
    from harness.vocabulary.events import Samples

    mine = [event for event in past if isinstance(event, Samples) and event.subject == "worker/0"]
    if not mine:
        sys.stderr.write("harness: no sizes are known: the script ended before its first window did\n")
        return
    try:
        found = observed.of([shape for event in mine for shape in event.shapes])
    except InputError as error:
        sys.stderr.write(f"harness: {error}\n")
        return
    if not _put(place, found.text(), "--record-shapes"):
        return
    low, high = min(found.sizes), max(found.sizes)
    sys.stderr.write(f"{len(found.sizes)} sizes of axis {found.axis}, {low} to {high}, are in {place}\n")
    for axis in found.others:
        sys.stderr.write(f"axis {axis} varies, too; its sizes are not written\n")


def _put(place: Path, text: str, option: str) -> bool:
    """Write a new file; what the script may have written there meanwhile stays, and a report is not lost by it."""
    try:
        with place.open("x", encoding="utf-8") as file:
            _filled(file, text)
    except OSError as error:
        why = (
            "is there by now" if isinstance(error, FileExistsError) else f"cannot be written: {error.strerror}".lower()
        )
        sys.stderr.write(f"harness: {place} {why}; give another file with {option}\n")
        return False
    return True


def _filled(file: TextIO, text: str) -> None:
    """Nothing is left where the disk is full."""
    try:
        file.write(text)
        file.flush()
    except OSError:
        Path(file.name).unlink()
        raise


def _write(arguments: argparse.Namespace, own: OwnScript, past: Sequence[Event], place: Path, is_whole: bool) -> bool:
    """The scenario to go on with: until the script's own end, of which faults ask to be given as a number of steps."""
    from harness.vocabulary.events import Done, Progress, Window

    windows = [event for event in past if isinstance(event, Window) and event.first > 0]
    fastest = min((window.seconds / window.steps for window in windows), default=0.0)
    taken = max((event.step for event in past if isinstance(event, Done | Progress)), default=0)
    steps = arguments.steps or (taken + 1 if is_whole else None)
    text = own.after(steps, fastest, place.absolute().parent, _options.all_changes(arguments), taken)
    return _put(place, text, "--write")


def _show(run: Run, facts: Mapping[str, str], written: str | None) -> None:
    from harness.cli._console import Console
    from harness.report import recognised

    assert run.verdict is not None
    arm = run.verdict.arms[-1]
    assert arm.ended is not None
    console = Console()
    console.print(f"{arm.ended.outcome}: {arm.ended.reason}", highlight=False, soft_wrap=True)
    if facts:
        console.print(recognised.render(facts, arm))
    if arm.ended.log:
        console.print(f"it said last:\n{arm.ended.log}", highlight=False, soft_wrap=True, markup=False)
    if not facts:
        console.print("nothing of it was recognised, so that no scenario was written", highlight=False, soft_wrap=True)
    printed = run.folder.log(arm.arm, "worker/0")
    console.print(f"run {run.folder.id}; what it printed is in {printed}", highlight=False, soft_wrap=True)


def _asks_for_a_gpu(said: str) -> bool:
    """In MXNet's words, built without CUDA or on a machine that has no GPU."""
    return any(words in said for words in ("not implemented for GPU", "GPU is not enabled", "no CUDA-capable device"))


def _hint(arguments: argparse.Namespace, run: Run, written: str | None) -> None:
    """What to type next."""
    assert run.verdict is not None
    ended, several = run.verdict.arms[-1].ended, arguments.workers or arguments.horovod
    own = shlex.join(
        [str(arguments.script), *(["--", *arguments.script_arguments] if arguments.script_arguments else [])]
    )
    if written is None and ended is not None and "DMLC_" in ended.log and not several:
        print(f"its kvstore is of several processes: harness try --workers 2 {own}")
    if ended is not None and _asks_for_a_gpu(f"{ended.reason}\n{ended.log}"):
        print("it asks for a GPU, which this MXNet or this machine does not have; harness doctor says what is there")
    if ended is not None and (ended.outcome, ended.stage) == ("hung", "training"):
        print(
            "a script that does something else for so long between steps needs more: --set stall_timeout=10min; one "
            "that is through with its steps is kept by a thread of its own"
        )
    if written is not None and ended is not None and ended.outcome != "completed":
        print(f"wrote {written}; mend that first, then go on with: harness run {written}")
    elif written is not None:
        print(f"wrote {written}; go on with: harness run {written}")
        if several:
            horovod = "--topology horovod " if arguments.horovod else ""
            print(f"what becomes of it when a process is killed: harness table {horovod}--fault kill --script {own}")
