"""Files of users that scenarios run: which count, what they are called, kept, and had back for a later night."""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from harness.base.errors import HarnessError
from harness.storage.ledger import Ledger, plain_environment
from harness.storage.run_folder import storage_error
from harness.targets.build_step import Say

KEPT = "scripts"
"""The folder of a night's commit that files of users are in, by their digest."""

_COMPLETED = "scripts-completed"
"""Beside it: the same with all else that lies beside those of now."""

_MOST_FILES, _MOST_BYTES, _MOST_LINES, _MOST_COMPARED, _MOST_LINKS = 500, 5_000_000, 12, 4000, 2000
_OTHERS = ("results", "node_modules", "site-packages", "__pycache__")


def files_beside(file: Path, results: Path, say: Say) -> dict[str, bytes]:
    """A script with the Python files around it, by their names from its folder; alone where these are too many.

    What git ignores there is left out, as nights may be shown to others, and so are ``results``, and what cannot be
    read. HarnessError where git does not say.
    """
    alone, size = {file.name: file.read_bytes()}, 0
    names = [path.relative_to(file.parent).as_posix() for path in _python_files(file.parent, results)]
    found = dict(alone)
    for name in names if len(names) <= _MOST_FILES else ():
        with suppress(OSError):  # as of an editor's lock, a link to nowhere
            found[name] = (file.parent / name).read_bytes()
            size += len(found[name])
    if len(names) > _MOST_FILES or size > _MOST_BYTES:
        say(f"{file.parent} has more Python files, or larger ones, than are kept: only {file.name} is tracked")
        return alone
    ignored = _ignored(file.parent, [name for name in found if name != file.name])
    return {name: text for name, text in found.items() if name not in ignored}


def _ignored(folder: Path, names: Sequence[str]) -> set[str]:
    """Those that git ignores there, with a repository below, if it does that; none where it is in no repository.

    Each repository is asked by itself: git dies at the first path that is in another one.
    """
    above = {each for name in names for each in Path(name).parents if each != Path()}
    roots = [each.as_posix() for each in above if _is_repository(folder / each)]
    inside: dict[str, list[str]] = {}
    for path in (*names, *roots):
        around = [root for root in roots if root != path and Path(path).is_relative_to(root)]
        root = max(around, key=len, default=".")
        inside.setdefault(root, []).append(os.path.relpath(path, root))
    found = {
        os.path.normpath(Path(root, name))
        for root, each in inside.items()
        for name in _ignored_of_one(folder / root, each)
    }
    return {name for name in names if found & {name, *(each.as_posix() for each in Path(name).parents)}}


def _ignored_of_one(folder: Path, names: Sequence[str]) -> list[str]:
    argv, asked = ["git", "-C", str(folder), "check-ignore", "-z", "--stdin"], os.fsencode("\0".join(names))
    done = subprocess.run(argv, input=asked, capture_output=True, check=False, env=plain_environment())
    if done.returncode > 1 and any(map(_is_repository, (folder.resolve(), *folder.resolve().parents))):
        said = done.stderr.decode(errors="replace").strip()
        raise HarnessError(f"git does not say which files it ignores in {folder}, and they may be secret: {said}")
    return [name for name in os.fsdecode(done.stdout).split("\0") if name]


def _is_repository(folder: Path) -> bool:
    """Whether it should be one, be it damaged or not."""
    return (folder / ".git").is_file() or (folder / ".git" / "HEAD").exists()


def _python_files(folder: Path, results: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        inner = [name for name in sorted(folders) if not name.startswith(".") and name not in _OTHERS]
        inner = [name for name in inner if (here / name).resolve() != results.resolve()]
        folders[:] = [name for name in inner if not (here / name / "pyvenv.cfg").exists()]
        yield from (here / name for name in sorted(names) if name.endswith(".py"))


def named(file: Path, files: Mapping[str, bytes]) -> str:
    """What files are called: the one that is run, and a digest of all."""
    digest = hashlib.sha256()
    for name, text in sorted(files.items()):
        digest.update(os.fsencode(f"{name}\0{len(text)}\0") + text)
    return f"{file.name}@{digest.hexdigest()[:12]}"


def completed(then: Path, now: Path, here: Path) -> Path:
    """A copy of files of then, beside which lies what does beside those of now and is kept of neither, by links.

    That is data, libraries, what git ignores. ``now``: the files of now as they are kept; ``here``: where they lie.
    StorageError where it cannot be made.
    """
    where = hashlib.sha256(os.fsencode(here)).hexdigest()[:8]
    place = then.parents[1] / _COMPLETED / f"{then.name}-{where}"
    try:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(then, place)
        _link_unkept(place, now, here)
    except OSError as error:
        raise storage_error(error, place) from error
    return place


def _link_unkept(place: Path, now: Path, here: Path) -> None:
    entries = list(here.iterdir()) if here.is_dir() else []
    for entry in entries:
        mine, kept = place / entry.name, now / entry.name
        if entry.name in (*_OTHERS, ".git") or place.resolve().is_relative_to(entry.resolve()):
            continue
        if mine.is_dir() and entry.is_dir():
            _link_unkept(mine, kept, entry)
        elif not mine.exists() and not kept.exists() and (len(entries) <= _MOST_LINKS or _is_imported(entry)):
            mine.symlink_to(entry.absolute())


def _is_imported(entry: Path) -> bool:
    """Whether Python may import it; of folders with very many files, others are left out."""
    return entry.is_dir() or entry.suffix in (".py", ".so")


def differing_lines(then: Path, now: Path) -> list[str]:
    """Of the Python files in two folders, lines that one of them lacks, with their file and number; the first few.

    Files that both have come first: what came or went need not be of the script.
    """
    each = [{path.relative_to(folder).as_posix() for path in folder.rglob("*.py")} for folder in (then, now)]
    names = [*sorted(each[0] & each[1]), *sorted(each[0] ^ each[1])]
    found = [line for name in names for line in _lines(name, _text(then / name), _text(now / name))]
    more = len(found) - _MOST_LINES
    return found if more <= 0 else [*found[:_MOST_LINES], f"and {more} more lines"]


def _lines(name: str, then: Sequence[str], now: Sequence[str]) -> Iterator[str]:
    if then == now:
        return
    if len(then) + len(now) > _MOST_COMPARED:  # the time that it takes is quadratic
        yield f"{name}: it is another; of {len(then)} and {len(now)} lines, too many to compare"
        return
    for word, *places in difflib.SequenceMatcher(None, then, now, autojunk=False).get_opcodes():
        if word != "equal":
            yield from (f"{name}:{place + 1} - {then[place]}" for place in range(*places[:2]))
            yield from (f"{name}:{place + 1} + {now[place]}" for place in range(*places[2:]))


def _text(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []


def keep(files: Mapping[str, bytes], folder: Path) -> None:
    """Files by their places below a folder, each whole or not at all."""
    for name, text in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                beside = path.with_name(f".{path.name}.{os.getpid()}")
                beside.write_bytes(text)
                beside.replace(path)
        except OSError as error:
            raise storage_error(error, path) from error


def restorer(ledger: Ledger, commits: Sequence[str], folder: Path) -> Callable[[str], Path]:
    """A function that brings files back, by their name, from commits of a ledger into a folder."""

    def had(name: str) -> Path:
        place = f"{KEPT}/{name}"
        if not (folder / place).is_dir():
            commit = next((each for each in reversed(commits) if ledger.names(each, place)), None)
            if commit is None:
                raise HarnessError(f"{name} is in no night of the ledger")
            keep({each: ledger.read(commit, each) or b"" for each in ledger.names(commit, place)}, folder)
        return folder / place

    return had
