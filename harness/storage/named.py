"""Which folder is meant by what somebody typed. Runs and studies are named alike, in every verb.

========== ============================== ============== =======================
last       the newest                     last:NAME      the newest of that name
an id      that one                       NAME           the same
a path     that folder, wherever it lies  part of an id  the only one that has it
========== ============================== ============== =======================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

_LONGEST = 40
_RUN = re.compile(r"\d{8}T\d{6}-(.+)-[0-9a-f]{6}(?:-\d+)?")
_STUDY = re.compile(r"\d{8}T\d{6}-([a-z]+)(?:-\d+)?")


def slug(name: str) -> str:
    """A scenario's name as it stands in ids."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:_LONGEST]


def name_of(folder: str) -> str:
    """The scenario's name in a run's id, or the kind of study in a study's; "" where there is none."""
    found = _RUN.fullmatch(folder) or _STUDY.fullmatch(folder)
    return found[1] if found else ""


def meant(wanted: str, folders: Sequence[Path], whole: Callable[[Path], str] = lambda path: "") -> Sequence[Path]:
    """Those of ``folders``, oldest first, that may be meant: several where more has to be said, none for no name.

    ``whole`` gives the name of one as it was before it was cut and cleaned for its id, "" where nobody knows; only
    names that no id holds as they are need it.
    """

    def is_called(path: Path, name: str) -> bool:
        return name_of(path.name) == slug(name) and (slug(name) == name or whole(path) in ("", name))

    word, _, name = wanted.partition(":")
    if word == "last":
        return [path for path in folders if not name or is_called(path, name)][-1:]
    if _RUN.fullmatch(wanted):
        return [path for path in folders if path.name == wanted]
    exact = [path for path in folders if path.name == wanted]
    newest = [path for path in folders if wanted and is_called(path, wanted)][-1:]
    return exact or newest or [path for path in folders if wanted and wanted in path.name]


def as_path(wanted: str, *files: str) -> Path | None:
    """The folder at a path, if that is what was typed; one of ``files`` tells that it is of the right kind."""
    path = Path(wanted)
    typed = "/" in wanted or wanted in (".", "..") or _RUN.fullmatch(wanted) or _STUDY.fullmatch(wanted)
    return path.absolute() if typed and any((path / file).is_file() for file in files) else None
