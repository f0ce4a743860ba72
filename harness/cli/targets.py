"""``harness targets``."""

from __future__ import annotations

import argparse

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
    remove = actions.add_parser("remove", help="delete a built environment")
    remove.add_argument("name", metavar="NAME", help="as `harness targets list` shows it")


def execute(arguments: argparse.Namespace) -> int:
    actions = {"list": _list, "build": _build, "remove": _remove}
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

    from harness.scenario.schema import Target
    from harness.targets import resolve

    wanted = Target(horovod=None if arguments.horovod == DEFAULT else arguments.horovod)
    target = resolve.settle(wanted, arguments.mxnet, None, horovod=arguments.horovod is not None)
    print(resolve.interpreter(target, lambda line: print(line, file=sys.stderr)).python)
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from harness.targets import environment

    print(f"removed {environment.remove(arguments.name)}")
    return 0
