"""``harness scenarios``."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from harness.base.errors import InputError

HELP = "list the scenarios that come with the harness, or copy them to begin with"
EXIT_CODES = "exit codes: 0 done, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="show each with its question")
    copy = actions.add_parser("copy", help="copy them into a folder")
    copy.add_argument(
        "folder", nargs="?", type=Path, default=Path("scenarios"), metavar="FOLDER", help="default: scenarios"
    )


def execute(arguments: argparse.Namespace) -> int:
    return _copy(arguments.folder) if arguments.action == "copy" else _list()


def _list() -> int:
    from harness.scenario import document, shipped

    folder = shipped.folder()
    for path in sorted(folder.rglob("*.yaml")):
        print(f"{path.relative_to(folder)!s:44} {document.read(path).values['title']}")
    return 0


def _copy(folder: Path) -> int:
    from shutil import copytree, ignore_patterns

    from harness.scenario import shipped
    from harness.storage.run_folder import storage_error

    try:
        if folder.exists():
            raise InputError(f"{folder} is there already; give another folder")
        copytree(shipped.folder(), folder, ignore=ignore_patterns("__pycache__"))
    except OSError as error:
        raise storage_error(error, folder, by="") from error
    example = shlex.quote(str(folder / "chaos" / "slow-worker-dist-sync.yaml"))
    print(f"copied to {folder}; for instance: harness run {example}")
    return 0
