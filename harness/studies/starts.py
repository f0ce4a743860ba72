"""Whether a new target starts, has what the old one has, and what a user's scripts and scenarios ask for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

from harness.base.errors import DamagedRunError, ImportFailedError
from harness.execution import facts, worker_archive
from harness.execution.interruption import Interruption
from harness.gpu import fitness, installed, visible
from harness.judging.verdict import Verdict
from harness.scenario import script_names
from harness.scenario.schema import Target
from harness.scenario.script_names import Used
from harness.studies.row import Reason, Row, ordered
from harness.studies.study import Study, Trial
from harness.studies.study_folder import Answer, StudyFolder
from harness.targets import library, probed, resolve, settings
from harness.targets.build_step import say_nothing
from harness.targets.interpreter import Interpreter
from harness.targets.probed import Probed

SIDES = ("from", "to")
_USED, _MACHINE = "used.json", "machine.json"
TITLE = "starts"
_INSTRUCTIONS = ("CPU_", "F16C")
"""Sets of a processor's instructions: what they are worth is a question of speed, which is asked."""

MOST_NAMES = 8
"""Of a list in a sentence."""


class Starts(Study):
    """``scripts`` are files whose use of MXNet is looked at, ``variables`` those of the environment that are set."""

    name: ClassVar[str] = "starts"

    def __init__(self, old: Target, new: Target, scripts: Sequence[str] = (), variables: Sequence[str] = ()) -> None:
        self.targets = {"from": resolve.settle(old, None, None), "to": resolve.settle(new, None, None)}
        self._scripts, self._variables = list(scripts), list(variables)
        self._found: dict[str, Probed | str] = {}

    @property
    def question(self) -> Mapping[str, Any]:
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self.targets.items()}
        return {**targets, "scripts": self._scripts, "variables": self._variables}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Starts:
        return cls(Target(**question["from"]), Target(**question["to"]), question["scripts"], question["variables"])

    @property
    def total(self) -> int:
        return len(SIDES)

    def wanted(self) -> Sequence[Trial]:
        return [Trial(side) for side in SIDES if side not in self._found]

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """Ask each target; one whose MXNet does not import is an answer, too.

        Scripts count as they are when the first one is asked: the other one is asked the same names.
        """
        folder.write_json(_MACHINE, facts.of_machine())
        if not self._found:
            folder.write_json(_USED, [asdict(used) for used in self._read()])
        names = script_names.names(self.used())
        for trial in trials:
            folder.write_json(f"{trial.key}.json", self._asked(self.targets[trial.key], names, self._changed))
            if interruption.signal is not None:
                raise KeyboardInterrupt
            yield Answer(trial.key, "")

    @staticmethod
    def _asked(target: Target, names: Sequence[str], variables: Sequence[str]) -> dict[str, Any]:
        """That it does not import is an answer where it does not twice."""
        failure = ""
        for _ in range(2):
            try:
                interpreter = resolve.interpreter(target, say_nothing)
                found = probed.probe(interpreter, target.env, names, worker_archive.PACKAGE, worker_archive.build())
            except ImportFailedError as error:
                failure = str(error)
            else:
                known, unread = settings.known(interpreter), settings.unread(variables, interpreter)
                return replace(found, variables=known, unfit=_unfit(interpreter), unread=unread).as_json()
        return {"failure": failure}

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if key not in SIDES:
            raise LookupError(key)
        if failure or self.folder is None:
            return f"{key}: {failure}"
        body = self.folder.read_json(f"{key}.json")
        try:
            self._found[key] = str(body["failure"]) if "failure" in body else Probed.from_json(body)
        except (LookupError, TypeError, AttributeError) as error:
            raise DamagedRunError(f"{self.folder.path / key}.json says nothing of a target: {error}") from error
        found = self._found[key]
        return f"{key}: {found if isinstance(found, str) else _versions(found)}"

    def used(self) -> list[Used]:
        """Names of the scripts, as they were when targets were asked."""
        known = self.folder.read_json(_USED) if self.folder is not None and self.folder.has(_USED) else []
        return [Used(**{**each, "keywords": _tuple(each["keywords"])}) for each in known]

    def _read(self) -> list[Used]:
        return [used for script in self._scripts for used in script_names.used_by(Path(script))]

    @property
    def fails(self) -> bool:
        """Whether one of them does not start, so that nothing else can be asked."""
        return any(isinstance(found, str) for found in self._found.values())

    @property
    def row(self) -> Row:
        """What is against the new target."""
        old, new = (self._found.get(side) for side in SIDES)
        evidence = (self.folder.id,) if self.folder is not None else ()
        if old is None or new is None:
            return Row(TITLE, (Reason("it was not asked yet", "not decided"),), (), evidence)
        if isinstance(old, str):
            return Row(TITLE, (Reason(f"the old one does not start: {old}", "not decided"),), (), evidence)
        if isinstance(new, str):
            return Row(TITLE, (Reason(new),), (), evidence)
        reasons = [
            *(Reason(each) for each in new.unfit if each not in old.unfit),
            *_of_features(old, new),
            *_of_names(self.used(), old, new),
            *self._of_variables(old, new),
        ]
        told = (*_told(old, new), *self._looked_up(old, new), *self._unseen(), *self._where())
        return Row(TITLE, ordered(reasons), told, evidence)

    def _where(self) -> Iterator[str]:
        """The machine: what computes, and how fast, depends on its instructions."""
        if self.folder is not None and self.folder.has(_MACHINE):
            with suppress(LookupError, TypeError):
                yield f"on {facts.in_words(self.folder.read_json(_MACHINE))}"

    def _looked_up(self, old: Probed, new: Probed) -> Iterator[str]:
        """Of the names that scripts use: how many, and those that neither has as they are called."""
        names = dict.fromkeys(each.name for each in self.used())
        if names:
            yield f"{len(names)} names of MXNet that scripts use were looked up"
        neither = [name for name in names if name not in old.names and name not in new.names]
        if neither:
            yield f"neither has {_listed(neither)}"

    def _unseen(self) -> Iterator[str]:
        """Scripts of which nothing could be looked at."""
        seen = {used.place.partition(":")[0] for used in self.used()}
        for script in self._scripts:
            if Path(script).name not in seen:
                yield f"{script} names nothing of MXNet by itself"

    def _of_variables(self, old: Probed, new: Probed) -> Iterator[Reason]:
        """Of a change of what nothing reads both sides are the same: to find them alike says nothing."""
        for name in self._variables if new.variables else ():
            if name in old.variables and name not in new.variables:
                yield Reason(f"{name} is set, and the new one does not read it any more", name=f"variable {name}")
        for name in self._changed:
            if name in old.unread and name in new.unread:
                why = settings.does_nothing(name, new.unread[name])
                yield Reason(why, "not decided", f"variable {name}: does nothing")

    @property
    def _changed(self) -> list[str]:
        """Variables of which the targets have different values."""
        old, new = (target.env for target in self.targets.values())
        return [name for name in {**old, **new} if old.get(name) != new.get(name)]

    @property
    def in_words(self) -> str:
        sides = " to ".join(str(target) for target in self.targets.values())
        return f"{sides}: {self.row.word}"

    def summary(self) -> Mapping[str, Any]:
        return {"row": self.row.as_json()}


def _tuple(words: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if words is None else tuple(words)


def _unfit(interpreter: Interpreter) -> tuple[str, ...]:
    """Why its library does not run on the GPUs that are visible here, where there are any and it is for such.

    What another MXNet could not do either, as with a GPU that is lost, is no reason against this one.
    """
    driver, code = installed.driver(), library.machine_code_of(interpreter)
    if code is None or not code.is_for_gpus or not driver.gpus:
        return ()
    env = {visible.ORDER: visible.BY_BUS, **os.environ}
    seen = visible.physical(range(len(driver.gpus)), env, driver.gpus)
    each = fitness.misfits(driver, seen or (), code, code.cuda)
    return tuple(str(misfit) for misfit in each if misfit.fatal and misfit.of_library)


def _of_features(old: Probed, new: Probed) -> Iterator[Reason]:
    for name, enabled in old.features.items():
        if enabled and new.features.get(name) is False and not name.startswith(_INSTRUCTIONS):
            yield Reason(f"it is built without {name}, which the old one has", name=f"feature {name}")


def _of_names(used: Sequence[Used], old: Probed, new: Probed) -> Iterator[Reason]:
    """Each name once in each way: gone, or called as the new one does not allow and the old one does."""
    told = set[str]()
    for each in used:
        before, now = old.names.get(each.name), new.names.get(each.name)
        if before is None:
            continue
        why = "is gone" if now is None else None
        if now is not None and each.keywords is not None and before.refuses(each.keywords, each.places) is None:
            why = now.refuses(each.keywords, each.places)
        if why is not None and f"{each.name} {why}" not in told:
            told.add(f"{each.name} {why}")
            yield Reason(f"{each.name} {why} ({each.place})", name=f"name {each.name} {why}")


def _told(old: Probed, new: Probed) -> Iterator[str]:
    yield f"from {_versions(old)} to {_versions(new)}"
    gone, came = sorted(old.variables - new.variables), sorted(new.variables - old.variables)
    for names, words in ((gone, "variables that are read no more"), (came, "variables that are read now")):
        if names:
            yield f"{words}: {_listed(names)}"
    unknown = sorted(name for name, enabled in old.features.items() if enabled and name not in new.features)
    if unknown:
        yield f"features that the new one does not name: {_listed(unknown)}"
    slower = sorted(
        name
        for name, enabled in old.features.items()
        if enabled and new.features.get(name) is False and name.startswith(_INSTRUCTIONS)
    )
    if slower:
        yield f"instructions that it is built without now, which may cost speed and nothing else: {_listed(slower)}"
    added = sorted(name for name, enabled in new.features.items() if enabled and not old.features.get(name))
    if added:
        yield f"features that the old one lacks: {_listed(added)}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _versions(found: Probed) -> str:
    return ", ".join(f"{name} {version}" for name, version in found.versions.items() if version)
