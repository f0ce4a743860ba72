"""Options that were not given get what settings say (`harness/base/settings.py`)."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.base import settings
from harness.base.errors import InputError
from harness.base.settings import Setting
from harness.cli import _options

RESULTS = Path("results")
_READ: Mapping[str, Callable[[str], Any]] = {
    "results": Path,
    "budget": _options.duration,
    "jobs": _options.positive,
}
_OF_QUESTION = ("budget",)
"""What a study that goes on was asked with, and keeps."""


def fill(arguments: argparse.Namespace) -> None:
    """Give each option its setting where it has one; InputError for a value that the option does not take."""
    asked = [name for name in _READ if getattr(arguments, name, "") is None]
    known = settings.find(Path.cwd(), os.environ) if asked else {}
    kept = getattr(arguments, "resume", None) is not None or getattr(arguments, "own_budget", False)
    for name in asked:
        if name in known and not (kept and name in _OF_QUESTION):
            setattr(arguments, name, read(name, known[name]))
            arguments.of_settings = {*getattr(arguments, "of_settings", ()), name}
    if "results" in asked and arguments.results is None:
        arguments.results = RESULTS


def read(name: str, setting: Setting) -> Any:
    """The value of a setting as its option has it; InputError where it is none."""
    try:
        value = _READ[name](setting.value)
    except argparse.ArgumentTypeError as error:
        raise InputError(f"{setting.origin}: {name}: {error}") from error
    return _near(value) if name == "results" else value


def option(results: Path) -> str:
    """What a printed command needs to find these results from here: `` --results FOLDER``, or nothing."""
    try:
        known = settings.find(Path.cwd(), os.environ).get("results")
        default = RESULTS if known is None else read("results", known)
    except InputError:  # what is to be printed is no place to say so
        default = None
    is_default = default is not None and default.absolute() == results.absolute()
    return "" if is_default else f" --results {shlex.quote(str(_near(results)))}"


def run(path: Path) -> str:
    """What names a run in a printed command: its id and its results, or the path of one that lies elsewhere."""
    if path.parent.name != "runs":
        return shlex.quote(str(_near(path)))
    return f"{path.name}{option(path.parent.parent)}"


def _near(path: Path) -> Path:
    """As seen from the working directory, where it lies below that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
