"""``harness targets``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.gpu.devices import Driver
    from harness.targets.interpreter import Interpreter

DEFAULT = "default"
HELP = "list, build and remove the MXNet environments that scenarios run with"
EXIT_CODES = (
    "exit codes: 0 done, 1 (check) a target does not import, or has no code for the GPU at hand, "
    "2 a mistake in the input, 3 a target cannot be had, 130 interrupted"
)


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _options.add_json(actions.add_parser("list", help="show what is built, and where"))
    build = actions.add_parser("build", help="build the environment of an MXNet version")
    build.add_argument("mxnet", nargs="?", metavar="VERSION", help="default: the version that scenarios use by default")
    build.add_argument(
        "--horovod", nargs="?", const=DEFAULT, metavar="VERSION", help="with Horovod, compiled for it (minutes, once)"
    )
    build.add_argument("--numpy", metavar="VERSION", help="with this version of numpy")
    build.add_argument("--cuda", metavar="11", help="for GPUs, with CUDA's libraries from wheels (4 GB, once)")
    build.add_argument("--nccl", metavar="VERSION", help="with --cuda: this version of NCCL")
    build.add_argument("--cudnn", metavar="VERSION", help="with --cuda: this version of cuDNN")
    check = actions.add_parser("check", help="say whether a target's library runs on the GPUs that are here")
    check.add_argument("name", nargs="?", metavar="NAME", help="as `harness targets list` shows it; default: all")
    check.add_argument("--python", metavar="PATH", help="an interpreter with mxnet, instead")
    of = "of a GPU that is not here: 8.0 (A100), 8.6 (RTX 30), 8.9 (RTX 40, L4), 9.0 (H100, H200), …"
    check.add_argument("--capability", type=_capability, metavar="X.Y", help=of)
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

    from harness.planning import rules
    from harness.scenario.schema import Target
    from harness.targets import resolve

    fields = {name: getattr(arguments, name) for name in ("mxnet", "numpy", "cuda", "nccl", "cudnn")}
    try:
        wanted = Target(**fields, horovod=None if arguments.horovod == DEFAULT else arguments.horovod)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        given = fields.get(str(name), arguments.horovod)
        raise InputError(f"{name} {given!r} is not possible; {_allowed(str(name))}") from error
    if (wrong := next(rules.of_target(wanted), None)) is not None:
        raise InputError(f"{wrong[0][-1]}: {wrong[1]}")
    target = resolve.settle(wanted, None, None, horovod=arguments.horovod is not None)
    print(resolve.interpreter(target, lambda line: print(line, file=sys.stderr)).python)
    return 0


def _allowed(field: str) -> str:
    """Of a field of a target."""
    from harness.gpu import wheels

    known = {"cuda": (wheels.CUDA,), "nccl": wheels.PUBLISHED[wheels.NCCL], "cudnn": wheels.PUBLISHED[wheels.CUDNN]}
    return f"allowed are {', '.join(known[field])}" if field in known else "give a version, as in 1.9.1"


def _check(arguments: argparse.Namespace) -> int:
    """Exit code 1 where something that is asked for does not import, or runs on no GPU; without CUDA it needs none.

    Where a GPU is only thought of, nothing is imported, as its driver may not be here.
    """
    import json

    from harness.gpu import fitness, installed, wheels
    from harness.gpu.machine_code import text
    from harness.targets import library

    thought_of = arguments.capability is not None
    driver, rows = _thought_of(arguments.capability) if thought_of else installed.driver(), list[dict[str, Any]]()
    for name, interpreter in _interpreters(arguments):
        code = library.machine_code_of(interpreter)
        if code is None:
            raise InputError(f"{interpreter.python} has no MXNet whose library can be read; give another")
        each = range(len(driver.gpus)) if code.is_for_gpus else ()
        versions = code.cuda, wheels.compiler(interpreter.packages)
        misfits = {number: list(fitness.misfits(driver, [number], code, *versions)) for number in each}
        runs = [number for number, found in misfits.items() if not any(misfit.fatal for misfit in found)]
        told = [str(misfit) for found in misfits.values() for misfit in found]
        if code.is_for_gpus:
            of_all = fitness.misfits(driver, each or [0], code, *versions)
            told += [str(misfit) for misfit in of_all if not misfits or not misfit.fatal]
        own = wheels.runtime(interpreter.packages)
        against = list(dict.fromkeys(told))
        words = {"cuda": code.cuda, "runtime": own, "machine_code": code.words, "runs_on": runs, "misfits": against}
        imported = {"versions": {}, "fails": ""} if thought_of else _imported(interpreter)
        of = f"compute capability {text(arguments.capability)}" if thought_of else ""
        rows.append({"name": name, "for_gpus": code.is_for_gpus, "of": of, **words, **imported})
    if arguments.json:
        print(json.dumps({"schema": "harness/targets-check/1", "targets": rows}, indent=1))
    else:
        print("".join(map(_in_words, rows)), end="")
    return 1 if any(row["fails"] or (row["for_gpus"] and not row["runs_on"]) for row in rows) else 0


def _imported(interpreter: Interpreter) -> dict[str, Any]:
    """Versions of what is imported, or why it is not: a wheel may not be for a Python, or for its numpy."""
    from harness.base.errors import ImportFailedError, TargetError
    from harness.execution import worker_archive
    from harness.targets import probed

    try:
        found = probed.probe(interpreter, interpreter.env, (), worker_archive.PACKAGE, worker_archive.build())
    except (ImportFailedError, TargetError) as error:
        return {"versions": {}, "fails": str(error)}
    return {"versions": {name: found.versions[name] for name in ("mxnet", "python", "numpy")}, "fails": ""}


def _capability(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    if not (major.isdecimal() and minor.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no compute capability; give two numbers, as in 8.9")
    return int(major), int(minor)


def _thought_of(capability: tuple[int, int]) -> Driver:
    """A machine with such a GPU, and a driver as new as may be."""
    from harness.gpu.devices import Driver, Gpu

    return Driver(gpus=[Gpu(0, "a GPU that is not here", None, capability, None, None, False)])


def _in_words(row: dict[str, Any]) -> str:
    linked = f"CUDA {row['cuda'][0]}" if row["cuda"] else "CUDA"
    cuda = f"CUDA {row['runtime']}" if row["runtime"] else linked
    kind = f"{cuda}, machine code for {row['machine_code']}" if row["for_gpus"] else "CPUs only"
    verb = "has code for" if row["fails"] or not row["versions"] else "runs on"
    runs = [f"{verb} {row['of'] or f'gpu({number})'}" for number in row["runs_on"]]
    told = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    imports = row["fails"] or (f"imports: {told}" if told else "")
    return "".join(
        f"{line}\n"
        for line in [f"{row['name']}: {kind}", *(f"  {each}" for each in [imports, *runs, *row["misfits"]] if each)]
    )


def _interpreters(arguments: argparse.Namespace) -> Iterator[tuple[str, Interpreter]]:
    from harness.targets import environment, interpreter

    if arguments.python and arguments.name:
        raise InputError(f"give either a target, {arguments.name}, or --python")
    if arguments.python:
        yield arguments.python, interpreter.on_disk(arguments.python)
        return
    built = [each for each in environment.every() if arguments.name in (None, each.recipe.name, each.recipe.key)]
    if not built:
        what = f"there is no target {arguments.name!r}" if arguments.name else "no target is built"
        raise InputError(f"{what}; harness targets list, harness targets build")
    yield from ((each.recipe.name, each.interpreter) for each in built)


def _remove(arguments: argparse.Namespace) -> int:
    from harness.targets import environment

    print(f"removed {environment.remove(arguments.name)}")
    return 0
