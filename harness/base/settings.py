"""What holds where an option was not given: HARNESS_RESULTS, ``harness.toml``, ``[tool.harness]`` of a pyproject.toml.

The variable comes first, then the file that is nearest, from the working directory upwards; harness.toml before
pyproject.toml where a folder has both. One file counts, and what it does not say is not looked for in others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import InputError

VARIABLE = "HARNESS_RESULTS"
OWN, PROJECT = "harness.toml", "pyproject.toml"
NAMES = {
    "results": "folder of runs and studies; in a file, from where that lies",
    "budget": "time of a comparison's runs together, as in 5min",
    "jobs": "runs at a time in studies that run several",
}


@dataclass(frozen=True)
class Setting:
    """A value as it was written, and where: ``file:line``, or the variable's name."""

    value: str
    origin: str


def find(folder: Path, environment: Mapping[str, str]) -> dict[str, Setting]:
    """Settings by name, as they hold in a folder; InputError for a file that cannot be read, or an unknown name."""
    found = next((found for each in (folder, *folder.parents) if (found := _in_folder(each)) is not None), {})
    if environment.get(VARIABLE):
        found["results"] = Setting(environment[VARIABLE], VARIABLE)
    return found


def _in_folder(folder: Path) -> dict[str, Setting] | None:
    """Settings of a folder's file; None where it has none."""
    for path, table in ((folder / OWN, ()), (folder / PROJECT, ("tool", "harness"))):
        if path.name == OWN and not path.is_file() and (path.exists() or path.is_symlink()):
            raise InputError(f"{path} is not a file that can be read")
        if path.is_file():
            text = _text(path)
            settings = _table(path, text, table)
            if settings is not None:
                return {name: _setting(path, text, name, value) for name, value in settings.items()}
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def _table(path: Path, text: str, names: tuple[str, ...]) -> dict[str, Any] | None:
    """The table of that name, the whole file for none; None where there is no such table."""
    if names and names[-1] not in text:
        return None
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML: {error}") from error
    for name in names:
        table = table.get(name)
        if not isinstance(table, dict):
            return None
    return dict(table)


def _setting(path: Path, text: str, name: str, value: Any) -> Setting:
    lines = enumerate(text.splitlines(), 1)
    line = next(
        (number for number, words in lines if re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[=.\]]", words)), 1
    )
    place = f"{path}:{line}"
    if name not in NAMES:
        raise InputError(f"{place}: {name!r} is not a setting; there are {', '.join(NAMES)}")
    allowed = str if name == "results" else str | int
    text = "" if isinstance(value, bool) or not isinstance(value, allowed) else str(value).strip()
    if not text or not text.isprintable():
        raise InputError(f"{place}: {name}: {value!r} is not allowed; write a text or a number")
    return Setting(str(path.parent / Path(text).expanduser()) if name == "results" else text, place)
