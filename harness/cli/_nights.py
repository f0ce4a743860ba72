"""Nights that were, and whom they are told to."""

from __future__ import annotations

import argparse
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import HarnessError, InputError

if TYPE_CHECKING:
    from harness.storage.ledger import Ledger
    from harness.studies.nights import Answer, Night

TRIES, NOTIFY_SECONDS = 3, 30.0
ACCEPT_TRIES, LEAST_OF_ID = 20, 4
MOST_REFUSED = 2
"""Nights in a row that a command does not take: it takes none then."""


def show(ledger: Ledger, arguments: argparse.Namespace) -> int:
    import json

    from harness.cli._console import Console
    from harness.report import nightly
    from harness.studies import watching

    nights, accepted = watching.read(ledger)
    if not nights:
        raise InputError("there is no night yet; harness nightly makes one")
    if arguments.night is None:
        if arguments.json:
            body = [nightly.as_json(night, accepted, ("software",)) for night in nights]
            print(json.dumps({"schema": "harness/nights/1", "nights": body}, indent=1))
        else:
            Console().print(nightly.table(nights, accepted))
        return 0
    night = _meant(nights, arguments.night)
    if arguments.json:
        print(json.dumps(nightly.as_json(night, accepted, ("software",)), indent=1))
    else:
        Console().print(nightly.render(night, accepted))
        print(f"night {night.id}, commit {night.commit[:10]}")
    return 0


def _meant(nights: Sequence[Night], wanted: str) -> Night:
    found = nights[-1:] if wanted == "last" else [night for night in nights if wanted in night.id]
    if len(found) != 1:
        some = ", ".join(night.id for night in (found or nights)[-5:])
        raise InputError(f"{wanted!r} is {'no' if not found else 'not one'} night; there are {some}")
    return found[0]


def accept(ledger: Ledger, arguments: argparse.Namespace) -> int:
    """Keep why; InputError for an alert that there is not."""
    if not arguments.because.strip():
        raise InputError("--because is empty; say why, for those who come after")
    for left in reversed(range(ACCEPT_TRIES)):
        try:
            return _accepted(ledger, arguments)
        except InputError:
            raise
        except HarnessError:  # another was accepted meanwhile, or a night came
            if not left:
                raise
            time.sleep(0.1 + 0.3 * random.random())
    raise AssertionError


def _accepted(ledger: Ledger, arguments: argparse.Namespace) -> int:
    import json

    from harness.studies import watching
    from harness.studies.nights import ACCEPTED, FILE

    ledger.require_possible((FILE, ACCEPTED))
    onto = ledger.tip
    nights, accepted = watching.read(ledger)
    answers = {answer.id: answer for night in nights for each in night.scenarios for answer in each.answers}
    chosen = list(dict.fromkeys(_alert(id_, answers) for id_ in arguments.ids))
    new = [id_ for id_ in chosen if accepted.get(id_) != arguments.because]
    if new:
        text = json.dumps({**accepted, **dict.fromkeys(new, arguments.because)}, indent=1, sort_keys=True).encode()
        ledger.append({ACCEPTED: text}, f"accept {' '.join(new)}\n\n{arguments.because}", onto)
    for id_ in chosen:
        found = answers[id_]
        word = "accepted" if id_ in new else f"already accepted, {id_}"
        print(f"{word}: {found.scenario} {found.arm}, {found.measure}: {arguments.because}")
    return 0


def _alert(id_: str, answers: Mapping[str, Answer]) -> str:
    """The whole of an id; InputError where it is none, or several."""
    begun = [name for name in answers if name.startswith(id_) and len(id_) >= LEAST_OF_ID]
    matches = [id_] if id_ in answers else begun
    if len(matches) != 1:
        known = ", ".join(name for name, one in answers.items() if one.word == "software") or "none"
        raise InputError(f"{id_!r} is no alert; there are {known}")
    return matches[0]


def write(path: Path, text: str) -> bool:
    """Whether it could be; what cannot does not undo the night."""
    try:
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        say(f"harness: {path} cannot be written: {(error.strerror or str(error)).lower()}")
        return False
    return True


def queue(results: Path, night: str, text: str) -> bool:
    """Keep the news of a night for a command; whether the disk has them, as they are or as they were before."""
    path = _undelivered(results) / f"{night}.json"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, text) or path.is_file()


def deliver(command: str, results: Path, more: str = "") -> None:
    """Give the command all that it did not take yet, oldest first, until it refuses two in a row: the rest stays.

    One night that it always refuses holds no later ones back. And ``more``, which could not be kept.
    """
    refused = 0
    if more:
        _notify(command, more)
    for path in sorted(_undelivered(results).glob("*.json")):
        try:
            if _notify(command, path.read_text(encoding="utf-8")):
                path.unlink()
                refused = 0
            else:
                refused += 1
            if refused == MOST_REFUSED:
                return
        except (OSError, UnicodeDecodeError) as error:
            why = (getattr(error, "strerror", None) or str(error)).lower()
            say(f"harness: {path}: {why}; remove it where its news were told")


def _undelivered(results: Path) -> Path:
    return results / "nights" / "undelivered"


def require_command(command: str) -> None:
    """InputError for what is no command, before a night is spent."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--notify {command!r}: {str(error).lower()}") from error
    if not words:
        raise InputError("--notify is empty; give a command, or leave it out")
    if shutil.which(words[0]) is None:
        raise InputError(f"--notify: {words[0]!r} is no program that can be run")


def _notify(command: str, text: str) -> bool:
    """Give a night to a command, three times at most, half a minute each; whether it took it."""
    for attempt in range(TRIES):
        try:
            status = _told(shlex.split(command), text)
            if status == 0:
                return True
            why = f"ended with status {status}"
        except (OSError, subprocess.TimeoutExpired) as error:
            why = str(error)
        say(f"harness: --notify {command}: {why} (try {attempt + 1} of {TRIES})")
        time.sleep(2**attempt if attempt + 1 < TRIES else 0)
    return False


def _told(argv: Sequence[str], text: str) -> int:
    """A command's exit status; what it started ends with it where it takes too long, or we are interrupted.

    What it says goes to people: standard output is the night's own, as JSON for scripts.
    """
    with subprocess.Popen(argv, stdin=subprocess.PIPE, text=True, stdout=2, start_new_session=True) as process:
        try:
            process.communicate(text, timeout=NOTIFY_SECONDS)
        except BaseException:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
        return process.returncode


def say(line: str) -> None:
    """To people, at once."""
    print(line, file=sys.stderr, flush=True)
