"""``harness targets``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from harness.cli import _options

DEFAULT = "default"
HELP = "list, build and remove the MXNet environments that scenarios run with"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _options.add_json(actions.add_parser("list", help="show what is built, and where"))
    build = actions.add_parser("build", help="build the environment of an MXNet version")
    build.add_argument("mxnet", nargs="?", metavar="VERSION", help="default: the version that scenarios use by default")
    build.add_argument(
        "--horovod", nargs="?", const=DEFAULT, metavar="VERSION", help="with Horovod, compiled for it (minutes, once)"
    )
    build.add_argument("--cuda", metavar="11", help="for GPUs, with CUDA's libraries from wheels (4 GB, once)")
    build.add_argument("--nccl", metavar="VERSION", help="with --cuda: this version of NCCL")
    build.add_argument("--cudnn", metavar="VERSION", help="with --cuda: this version of cuDNN")
    check = actions.add_parser("check", help="say whether a target's library runs on the GPUs that are here")
    check.add_argument("name", nargs="?", metavar="NAME", help="as `harness targets list` shows it; default: all")
    check.add_argument("--python", metavar="PATH", help="an interpreter with mxnet, instead")
    _options.add_json(check)
    remove = actions.add_parser("remove", help="delete a built environment")
    remove.add_argument("name", metavar="NAME", help="as `harness targets list` shows it")


def execute(arguments: argparse.Namespace) -> int:
    actions = {"list": _list, "build": _build, "check": _check, "remove": _remove}
    return actions[arguments.action](arguments)


def _list(arguments: argparse.Namespace) -> int:
    import json

    from harness.targets import environment

    built = list(environment.every())
    if arguments.json:
        rows = [{"name": target.recipe.name, "path": str(target.path), "packages": target.packages} for target in built]
        print(json.dumps({"schema": "harness/targets/1", "targets": rows}, indent=1))
        return 0
    for target in built:
        print(f"{target.recipe.name:24} {target.path}")
    if not built:
        print(f"none in {environment.cache_folder()}; they are built on first use")
    return 0


def _build(arguments: argparse.Namespace) -> int:
    import sys

    from pydantic import ValidationError

    from harness.base.errors import InputError
    from harness.planning import rules
    from harness.scenario.schema import Target
    from harness.targets import resolve

    fields = {name: getattr(arguments, name) for name in ("mxnet", "cuda", "nccl", "cudnn")}
    try:
        wanted = Target(**fields, horovod=None if arguments.horovod == DEFAULT else arguments.horovod)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        raise InputError(
            f"{name} {fields.get(str(name), arguments.horovod)!r} is not possible; see harness schema"
        ) from error
    if (wrong := next(rules.of_target(wanted), None)) is not None:
        raise InputError(f"{wrong[0][-1]}: {wrong[1]}")
    target = resolve.settle(wanted, None, None, horovod=arguments.horovod is not None)
    print(resolve.interpreter(target, lambda line: print(line, file=sys.stderr)).python)
    return 0


def _check(arguments: argparse.Namespace) -> int:
    """Exit code 1 where something that is asked for would not run; a target without CUDA needs no GPU."""
    import json

    from harness.gpu import fitness, installed
    from harness.targets import library

    driver, rows = installed.driver(), []
    for name, python in _pythons(arguments):
        code = library.machine_code_of(python)
        misfits = [] if code.cuda is None else list(fitness.misfits(driver, range(len(driver.gpus)), code, code.cuda))
        rows.append({"name": name, "cuda": code.cuda, "machine_code": code.words, "misfits": list(map(str, misfits))})
        if not arguments.json:
            kind = f"CUDA {'.'.join(map(str, code.cuda))}, machine code for {code.words}" if code.cuda else "CPUs only"
            print(f"{name}: {kind}")
            print("".join(f"  {misfit}\n" for misfit in misfits), end="")
            if code.cuda and not misfits:
                print(f"  runs on {', '.join(gpu.name for gpu in driver.gpus)}")
    if arguments.json:
        print(json.dumps({"schema": "harness/targets-check/1", "targets": rows}, indent=1))
    return 1 if any(row["misfits"] for row in rows) else 0


def _pythons(arguments: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    from harness.base.errors import InputError
    from harness.targets import environment, interpreter

    if arguments.python:
        yield arguments.python, interpreter.on_disk(arguments.python).python
        return
    built = [each for each in environment.every() if arguments.name in (None, each.recipe.name, each.recipe.key)]
    if not built:
        what = f"there is no target {arguments.name!r}" if arguments.name else "no target is built"
        raise InputError(f"{what}; harness targets list, harness targets build")
    yield from ((each.recipe.name, each.interpreter.python) for each in built)


def _remove(arguments: argparse.Namespace) -> int:
    from harness.targets import environment

    print(f"removed {environment.remove(arguments.name)}")
    return 0
