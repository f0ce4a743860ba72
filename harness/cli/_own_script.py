"""A training script of the user's, and the job that it is one of: for ``harness try`` and ``harness init``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.scenario.own_script import OwnScript


def add_job(parser: argparse.ArgumentParser, steps: str) -> None:
    """Its topology and length; ``steps``: what is said of the latter."""
    job = parser.add_mutually_exclusive_group()
    job.add_argument(
        "--workers", type=_options.positive, metavar="N", help="so many workers, with servers of a kvstore"
    )
    job.add_argument("--horovod", type=_options.positive, metavar="N", help="so many ranks of Horovod")
    parser.add_argument("--servers", type=_options.positive, metavar="N", help="servers of the kvstore (default: 1)")
    parser.add_argument(
        "--kvstore", metavar="KIND", help="dist_sync, dist_async, … (default with --workers: dist_sync)"
    )
    parser.add_argument("--steps", type=_options.positive, metavar="N", help=steps)


def read(arguments: argparse.Namespace) -> OwnScript:
    """The script, what of the shell it asks for, which is said, and its topology; InputError where it is none."""
    from harness.scenario.own_script import OwnScript, asked_of_the_shell

    if not arguments.script.is_file():
        raise InputError(f"{arguments.script} is not a file")
    path = arguments.script.absolute()
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise InputError(f"{arguments.script} cannot be read: {(error.strerror or '').lower()}") from error
    env = asked_of_the_shell(text, os.environ)
    if env:
        sys.stderr.write(f"passed on from the shell, as target.env in the scenario: {', '.join(env)}\n")
    return OwnScript(path, arguments.script_arguments, Path.cwd(), topology(arguments), env)


def topology(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of it that were given; InputError for some that do not go together."""
    if arguments.horovod is not None:
        if arguments.servers is not None or arguments.kvstore is not None:
            raise InputError("Horovod has neither servers nor a kvstore; leave --servers and --kvstore out")
        return {"horovod": {"ranks": arguments.horovod}}
    kvstore = arguments.kvstore or ("dist_sync" if arguments.workers or arguments.servers else None)
    given = {"kvstore": kvstore, "workers": arguments.workers, "servers": arguments.servers}
    return {name: value for name, value in given.items() if value is not None}
