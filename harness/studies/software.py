"""Software of a night: described, kept, and had back when a later night asks for it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.base.errors import HarnessError, InputError
from harness.base.version import __version__
from harness.execution import request, worker_archive
from harness.scenario import models
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Scenario, Target
from harness.studies.own_files import KEPT, completed, files_beside, named
from harness.studies.study_folder import StudyFolder
from harness.studies.tracked import Change, Tracked
from harness.targets import environment, inherited, library, resolve
from harness.targets.build_step import Say, say_nothing
from harness.targets.environment import Recipe
from harness.targets.interpreter import Interpreter, installed

SETTING = "target.env."
"""How the paths of variables begin; a variable that is None is not set."""

_SOFTWARE = "software.json"
"""Of a study: what its users' Pythons have."""


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
    places = _without_root(values, f"{root}/"), _below(values, f"{root}/")
    return Tracked(places[0], packages, "+".join(names), f"{__version__} {worker}", places[1]), kept


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
    """InputError where a Python of the user's, or what is passed on of the shell, is not what it was at the beginning.

    What it is then is kept.

    What cannot be described is for who uses it to say.
    """
    now = {"the shell": {name: os.environ.get(name, "") for name in inherited.OF_PROCESSOR}}
    for each in targets:
        if each.python:
            with suppress(HarnessError):
                now[each.python] = packages_of(resolve.interpreter(each, say_nothing), each)
    then = folder.read_json(_SOFTWARE) if folder.has(_SOFTWARE) else {}
    for place, packages in now.items():
        if then.get(place, packages) != packages:
            differs = sorted(
                name for name in {**then[place], **packages} if then[place].get(name) != packages.get(name)
            )
            raise InputError(f"{place} has changed since this was begun ({', '.join(differs[:4])}); begin a new one")
    if now.keys() - then.keys():
        folder.write_json(_SOFTWARE, {**then, **now})


def _without_root(value: Any, root: str) -> Any:
    """Places below the repository as they are in every checkout."""
    return _each_text(value, lambda text: text.removeprefix(root))


def _below(values: Mapping[str, Any], root: str) -> list[str]:
    """What places below the repository are called then, but for those that are also just words."""
    texts = set(_texts(values))
    below = {text for text in texts if text.startswith(root)}
    return sorted({text.removeprefix(root) for text in below} - texts)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _texts(each)


def anchored(fields: Mapping[str, Any], below: Sequence[str], root: Path) -> dict[str, Any]:
    """Fields of then with their places in this checkout."""
    known = {text: str(root / text) for text in below}
    return {path: _each_text(value, lambda text: known.get(text, text)) for path, value in fields.items()}


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A value with each text in it changed."""
    if isinstance(value, Mapping):
        return {name: _each_text(each, change) for name, each in value.items()}
    if isinstance(value, list):
        return [_each_text(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


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
    if change.after and present:  # else nothing lies beside it
        folder = completed(folder, had(_meant(change.after, present)), Path(present).parent)
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


def _default(values: Mapping[str, Any], path: str) -> Any:
    """What a field is where nobody writes it; HarnessError of a scenario that is none any more."""
    try:
        found: Any = Scenario.model_validate({"title": "then", **values}).model_dump(mode="json")
    except ValidationError as error:
        raise HarnessError(f"the scenario of then is none any more: {error.errors()[0]['msg']}") from error
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
