"""Software of a night: described, kept, and had back when a later night asks for it."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError, InputError
from harness.base.version import __version__
from harness.execution import request, worker_archive
from harness.scenario import models
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Scenario, Target
from harness.storage.ledger import Ledger, plain_environment
from harness.storage.run_folder import storage_error
from harness.studies.study_folder import StudyFolder
from harness.studies.tracked import Change, Tracked
from harness.targets import environment, library, resolve
from harness.targets.build_step import Say
from harness.targets.environment import Recipe
from harness.targets.interpreter import Interpreter, installed

KEPT = "scripts"
"""The folder of a night's commit that files of users are in, by their digest."""

SETTING = "target.env."
"""How the paths of variables begin; a variable that is None is not set."""

_SOFTWARE = "software.json"
"""Of a study: what its users' Pythons have."""

_MOST_FILES, _MOST_BYTES, _MOST_LINES, _MOST_COMPARED = 500, 5_000_000, 12, 4000
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
    """Those that git ignores there; none where it is in no repository. Each repository below is asked by itself."""
    inside: dict[str, list[str]] = {}
    for name in names:
        own = [above.as_posix() for above in Path(name).parents if (folder / above / ".git").exists()]
        root = own[0] if own else "."
        inside.setdefault(root, []).append(os.path.relpath(name, root))
    return {
        os.path.normpath(Path(root, name))
        for root, each in inside.items()
        for name in _ignored_of_one(folder / root, each)
    }


def _ignored_of_one(folder: Path, names: Sequence[str]) -> list[str]:
    argv = ["git", "-C", str(folder), "check-ignore", "-z", "--stdin"]
    env = {**plain_environment(), "LC_ALL": "C"}
    done = subprocess.run(argv, input=os.fsencode("\0".join(names)), capture_output=True, check=False, env=env)
    if done.returncode > 1 and b"not a git repository" not in done.stderr:
        said = done.stderr.decode(errors="replace").strip()
        raise HarnessError(f"git does not say which files it ignores in {folder}, and they may be secret: {said}")
    return [name for name in os.fsdecode(done.stdout).split("\0") if name]


def _python_files(folder: Path, results: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        inner = [name for name in sorted(folders) if not name.startswith(".") and name not in _OTHERS]
        inner = [name for name in inner if (here / name) != results]
        folders[:] = [name for name in inner if not (here / name / "pyvenv.cfg").exists()]
        yield from (here / name for name in sorted(names) if name.endswith(".py"))


def named(file: Path, files: Mapping[str, bytes]) -> str:
    """What files are called: the one that is run, and a digest of all."""
    digest = hashlib.sha256()
    for name, text in sorted(files.items()):
        digest.update(os.fsencode(f"{name}\0{len(text)}\0") + text)
    return f"{file.name}@{digest.hexdigest()[:12]}"


def describe(
    loaded: LoadedScenario, values: Mapping[str, Any], root: Path, results: Path, say: Say
) -> tuple[Tracked, dict[str, bytes]]:
    """What decides a scenario's numbers now, and its files, as they are kept; its targets are built.

    TargetError where one cannot be, InputError for a script that cannot be read.
    """
    plan = request.planned(loaded, resolve.settled(loaded)).plan
    found = resolve.interpreters(plan, say)
    packages = {"" if arm.of == "main" else arm.of: packages_of(found[arm.name], arm.target) for arm in plan.arms}
    names, kept = list[str](), dict[str, bytes]()
    for file in sorted({Path(own) for arm in loaded.arms.values() if (own := arm.workload.own_file) is not None}):
        try:
            files = files_beside(file, results, say)
        except OSError as error:
            raise InputError(f"{file} cannot be read: {(error.strerror or str(error)).lower()}") from error
        names.append(named(file, files))
        kept |= {f"{KEPT}/{names[-1]}/{name}": text for name, text in files.items()}
    worker = worker_archive.digest(worker_archive.build())[:12]
    return Tracked(_without_root(values, f"{root}/"), packages, "+".join(names), f"{__version__} {worker}"), kept


def packages_of(found: Interpreter, target: Target) -> dict[str, str]:
    """Of a target that was built here, as it was; of a Python of the user's, as it is now.

    There MXNet may be built anew under the same version: its library counts by what is in it.
    """
    if not target.python:
        return dict(found.packages)
    file = library.path_of(found)
    return {**installed(found.python), **({file.name: _digest(file)} if file is not None else {})}


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    with open(file, "rb") as content:
        while part := content.read(1 << 20):
            found.update(part)
    return found.hexdigest()[:12]


def require_unchanged(targets: Iterable[Target], folder: StudyFolder) -> None:
    """InputError where a Python of the user's is not what it was when a study was begun; what it is then is kept.

    What cannot be described is for who uses it to say.
    """
    now = dict[str, dict[str, str]]()
    for each in targets:
        if each.python:
            with suppress(HarnessError):
                now[each.python] = packages_of(resolve.interpreter(each, _silent), each)
    then = folder.read_json(_SOFTWARE) if folder.has(_SOFTWARE) else {}
    for python, packages in now.items():
        if then.get(python, packages) != packages:
            differs = sorted(
                name for name in {**then[python], **packages} if then[python].get(name) != packages.get(name)
            )
            raise InputError(f"{python} has changed since this was begun ({', '.join(differs[:4])}); begin a new one")
    if now.keys() - then.keys():
        folder.write_json(_SOFTWARE, {**then, **now})


def _silent(line: str) -> None:
    """Say nothing."""


def _without_root(value: Any, root: str) -> Any:
    """Places below the repository as they are in every checkout."""
    if isinstance(value, Mapping):
        return {name: _without_root(each, root) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_root(each, root) for each in value]
    return value.removeprefix(root) if isinstance(value, str) else value


def anchored(fields: Mapping[str, Any], values: Mapping[str, Any], root: Path) -> dict[str, Any]:
    """Places of then in this checkout: those that a scenario of now has, too."""
    begin = f"{root}/"
    known = {text.removeprefix(begin): text for text in _texts(values) if text.startswith(begin)}
    return {path: _replaced(value, known) for path, value in fields.items()}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(each)


def _replaced(value: Any, known: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _replaced(each, known) for name, each in value.items()}
    if isinstance(value, list):
        return [_replaced(each, known) for each in value]
    return known.get(value, value) if isinstance(value, str) else value


def undoing(
    change: Change, then: Mapping[str, Any], now: Mapping[str, Any], had: Callable[[str], Path], say: Say
) -> dict[str, Any]:
    """Fields that a scenario of now has to change to be without one change; HarnessError where nothing brings it back.

    ``then`` and ``now``: what the scenario was and is; ``had`` restores files by their name.
    """
    if not change.is_possible:
        raise HarnessError("sides of a comparison cannot differ by it")
    if change.kind == "packages":
        if (now.get("target") or {}).get("python"):
            raise HarnessError("a Python of your own is not built again; keep the old one, and compare both")
        built = _environment(change.before, say)
        return {"target.python": str(built.python), **{f"{SETTING}{name}": value for name, value in built.env.items()}}
    if change.kind == "files":
        return _restored(change, then, now, had)
    if change.before is None and change.name.startswith(SETTING):
        return {change.name: None}
    return {change.name: change.before if change.before is not None else _default(then, change.name)}


def _environment(packages: Mapping[str, str], say: Say) -> Interpreter:
    """One with just these packages, and the variables that it needs; TargetError where it cannot be built."""
    first = sorted(packages, key=lambda name: (not name.lower().startswith("mxnet"), name.lower()))
    python, _ = environment.base_python()
    wanted = Recipe(python, tuple(f"{name}=={packages[name]}" for name in first if name != "pip"))
    return environment.ensure(wanted, say).interpreter


def _restored(
    change: Change, then: Mapping[str, Any], now: Mapping[str, Any], had: Callable[[str], Path]
) -> dict[str, Any]:
    """A script runs in the folder that it runs in now, where its data are, beside what nobody keeps there."""
    own, present = _own_file(then), _own_file(now)
    folder = had(_meant(change.before, own))
    with suppress(HarnessError):  # where there is none now, nothing lies beside it
        link_unkept(folder, had(_meant(change.after, present)), Path(present).parent)
    place = folder / Path(own).name
    if then["workload"].get("script"):
        where = now["workload"].get("folder") or Path(now["workload"].get("script") or place).parent
        return {"workload.script": str(place), "workload.folder": str(where)}
    return {"workload.model": f"{place}:{str(then['workload']['model']).rpartition(':')[2]}"}


def _own_file(values: Mapping[str, Any]) -> str:
    """The path of the user's file that an arm runs; "" for none."""
    workload = values["workload"]
    return str(workload.get("script") or models.file_of(str(workload.get("model") or "")) or "")


_JOINT = re.compile(r"(?<=@[0-9a-f]{12})\+")
"""Between files of several arms, as `describe` has them."""


def _meant(files: str, own: str) -> str:
    """Of an arm's own file, with those around it; HarnessError where there is not just one of its name."""
    each = _JOINT.split(files) if files else []
    found = [one for one in each if one.rpartition("@")[0] == Path(own).name] if len(each) > 1 else each
    if len(found) != 1 or not own:
        raise HarnessError(
            f"there are several files called {Path(own).name}" if own and each else "it had no file of its own"
        )
    return found[0]


def link_unkept(then: Path, now: Path, here: Path) -> None:
    """Beside files of then, links to what lies beside those of now and is kept of neither: data, libraries, secrets.

    ``now``: the files of now as they are kept; ``here``: where they lie.
    """
    for entry in here.iterdir() if here.is_dir() else ():
        mine, kept = then / entry.name, now / entry.name
        if mine.is_symlink():
            mine.unlink()
        if entry.name in (*_OTHERS, ".git") or then.is_relative_to(entry):
            continue
        if mine.is_dir() and entry.is_dir():
            link_unkept(mine, kept, entry)
        elif not mine.exists() and not kept.exists():
            mine.symlink_to(entry.absolute())


def differing_lines(then: Path, now: Path) -> list[str]:
    """Of the Python files in two folders, lines that one of them lacks, with their file and number; the first few.

    Files that both have come first: what came or went need not be of the script.
    """
    each = [
        {path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if not path.is_symlink()}
        for folder in (then, now)
    ]  # what is linked is kept of neither, and may be secret
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


def _default(values: Mapping[str, Any], path: str) -> Any:
    """What a field is where nobody writes it."""
    found: Any = Scenario.model_validate({"title": "then", **values}).model_dump(mode="json")
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


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
