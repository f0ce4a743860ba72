"""``harness init``."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import InputError

if TYPE_CHECKING:
    from harness.scenario.own_script import OwnScript

HELP = "make a project of your own: a git repository in which `asv run` tracks scenarios, and your script"
EXIT_CODES = "exit codes: 0 made, 2 a mistake in the input, 3 git is missing or failed, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "harness init [OPTIONS] DIR [-- ARGUMENTS OF THE SCRIPT]"
    parser.set_defaults(script_arguments=[])
    parser.add_argument("folder", type=Path, metavar="DIR", help="the project's folder: a new or an empty one")
    help_ = "a training script of your own, for which it gets a scenario; its arguments follow `--`"
    parser.add_argument("--script", type=Path, metavar="SCRIPT", help=help_)


def execute(arguments: argparse.Namespace) -> int:
    from harness.asv_bridge import project
    from harness.execution import machine

    scenarios = project.create(arguments.folder, _own(arguments))
    folder = shlex.quote(str(arguments.folder))
    if arguments.script is not None:
        print(f"{arguments.script} stays where it is: git and asv do not track it, unless you move it into the project")
        if not machine.namespaces().there:
            print("what it writes goes over what is there: this machine cannot give it a layer (harness doctor)")
    print(f"made {arguments.folder}, a git repository with {len(scenarios)} scenarios; go on with:")
    print(f"  cd {folder}")
    print(f"  harness run {shlex.quote(str(scenarios[-1].relative_to(arguments.folder)))}")
    print("  harness nightly                    # every night: what got slower, or wrong, and because of which change")
    print("  asv machine --yes && asv run --launch-method forkserver")
    return 0


def _own(arguments: argparse.Namespace) -> OwnScript | None:
    from harness.scenario.own_script import OwnScript, asked_of_the_shell

    if arguments.script is None:
        if arguments.script_arguments:
            raise InputError("there are arguments for a script, and no script; give --script ./train.py")
        return None
    if not arguments.script.is_file():
        raise InputError(f"{arguments.script} is not a file")
    path = arguments.script.absolute()
    env = asked_of_the_shell(path.read_text(errors="replace"), os.environ)
    return OwnScript(path, arguments.script_arguments, Path.cwd(), {}, env)
