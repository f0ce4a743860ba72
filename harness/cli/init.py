"""``harness init``."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import InputError
from harness.cli import _own_script

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.scenario.overrides import Override
    from harness.scenario.own_script import OwnScript

HELP = "make a project of your own: a git repository in which `asv run` tracks scenarios, and your script"
EXIT_CODES = "exit codes: 0 made, 2 a mistake in the input, 3 git is missing or failed, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "harness init [OPTIONS] DIR [-- ARGUMENTS OF THE SCRIPT]"
    parser.set_defaults(script_arguments=[])
    parser.add_argument("folder", type=Path, metavar="DIR", help="the project's folder: a new or an empty one")
    help_ = "a training script of your own, for which it gets a scenario; its arguments follow `--`"
    parser.add_argument("--script", type=Path, metavar="SCRIPT", help=help_)
    parser.add_argument("--mxnet", metavar="VERSION", help="the MXNet that is tracked (default: 1.9.1)")
    help_ = "an interpreter with mxnet that the script runs with; nothing is installed into it"
    parser.add_argument("--python", metavar="PATH", help=help_)
    _own_script.add_job(parser, "stop the script after N steps (default: 300)")


def execute(arguments: argparse.Namespace) -> int:
    from harness.asv_bridge import project
    from harness.execution import machine
    from harness.scenario.schema import Target
    from harness.targets import resolve

    if arguments.mxnet == "":  # as of a variable of a shell that is not set
        raise InputError("--mxnet is empty; give a version as in 1.9.1, or leave it out")
    own, changes = _own(arguments)
    mxnet = resolve.settle(Target(), arguments.mxnet, None).mxnet
    assert mxnet is not None
    scenarios = project.create(arguments.folder, own, mxnet, arguments.steps or project.STEPS, changes)
    folder = shlex.quote(str(arguments.folder))
    if arguments.script is not None:
        print(f"{arguments.script} stays where it is: git and asv do not track it, unless you move it into the project")
        if not machine.namespaces().there:
            print("what it writes goes over what is there: this machine cannot give it a layer (harness doctor)")
    what = "1 scenario" if len(scenarios) == 1 else f"{len(scenarios)} scenarios"
    print(f"made {arguments.folder}, a git repository with {what}; go on with:")
    print(f"  cd {folder}")
    print(f"  harness run {project.run_of(scenarios[-1].name, mxnet)}")
    print("  harness nightly                    # every night: what got slower, or wrong, and because of which change")
    print("  asv machine --yes && asv run --launch-method forkserver")
    return 0


def _own(arguments: argparse.Namespace) -> tuple[OwnScript | None, list[Override]]:
    """The script, and what its scenario says besides: a job that is possible."""
    from harness.planning import validation
    from harness.scenario import load

    if arguments.script is None:
        _require_none(arguments)
        return None, []
    own = _own_script.read(arguments)
    changes = _interpreter(arguments.python, own.env) if arguments.python is not None else []
    validation.checked(load.parse(own.first(arguments.steps), own.path.stem, changes))
    return own, changes


def _require_none(arguments: argparse.Namespace) -> None:
    """InputError for an option that says something of a script."""
    options = ("python", "workers", "horovod", "servers", "kvstore", "steps")
    given = [f"--{name}" for name in options if getattr(arguments, name) is not None]
    if given or arguments.script_arguments:
        what = ", ".join(given) or "arguments"
        raise InputError(f"{what} for a script, and no script; give --script ./train.py")


def _interpreter(path: str, env: Mapping[str, str]) -> list[Override]:
    """As a field of the scenario; InputError for a Python without mxnet."""
    from harness.targets import interpreter

    python = interpreter.on_disk(path).python
    interpreter.require_mxnet(python, env)
    return [("target.python", str(python))]
