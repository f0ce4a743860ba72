"""From a project and its ledger to what a night watches: scenarios, what decides their numbers, what was before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from harness.base.errors import DamagedRunError, HarnessError, InputError
from harness.execution import facts, machine, request
from harness.planning import validation
from harness.scenario.load import LoadedScenario
from harness.scenario.schema import Target
from harness.storage import calibration, named
from harness.storage.ledger import Ledger
from harness.studies import nights, sides, software, tracked
from harness.studies.nights import ACCEPTED, FILE, Measured, Night
from harness.studies.own_files import differing_lines, keep, restorer
from harness.studies.tracked import Change, Tracked
from harness.studies.watched import Step, Watched
from harness.targets import resolve, settings, unread
from harness.targets.build_step import Say
from harness.targets.interpreter import Interpreter

FACTS = (*calibration.FACTS, "gpus", "gpu_driver", "controller_python", "pid_namespace")
"""Of the machine, that nights keep and compare."""


@dataclass(frozen=True)
class Environment:
    """Versions and variables over those of scenarios; ``label`` tells it from others, "" where there is one."""

    label: str
    versions: Mapping[str, str]
    env: Mapping[str, str]


@dataclass(frozen=True)
class Ready:
    """What a night begins with: scenarios, files to keep of each, the machine's facts, what is left out.

    ``broken``: what cannot begin. Both with the reasons.
    """

    watched: Sequence[Watched]
    files: Mapping[str, bytes]
    facts: Mapping[str, Any]
    left_out: Mapping[str, str]
    broken: Mapping[str, str]


def read(ledger: Ledger) -> tuple[list[Night], dict[str, str]]:
    """All nights, oldest first, and why answers were accepted.

    A night that cannot be read is one that measured nothing; of acceptances the newest that can be read counts.
    """
    commits = ledger.commits()
    found = [(commit, text) for commit in commits if (text := ledger.read(commit, FILE)) is not None]
    known = (_accepted(ledger.read(commit, ACCEPTED)) for commit in reversed(commits))
    return [_night(text, commit) for commit, text in found], next(filter(None, known), {})


def _night(text: bytes, commit: str) -> Night:
    try:
        return Night.from_json(text, commit)
    except DamagedRunError as error:
        return Night(commit[:10], [], failure=str(error), commit=commit)


def _accepted(text: bytes | None) -> dict[str, str]:
    """Nothing where that is no map of reasons."""
    try:
        known = json.loads(text or b"{}")
    except ValueError:
        return {}
    is_map = isinstance(known, dict) and all(isinstance(each, str) for each in known.values())
    return dict(known) if is_map else {}


def ready(results: Path, suite: Path, tag: str, environments: Sequence[Environment], ledger: Ledger, say: Say) -> Ready:
    """Look at the whole suite; targets are built, and software of then is had back.

    InputError where nothing is to be watched. What is wrong with one scenario keeps no other from being measured.
    """
    past, accepted = read(ledger)
    eye = _Eye(past, accepted, ledger, results.absolute() / "nights", say)
    for path in sorted(suite.rglob("*.yaml")):
        eye.look(path, tag, environments)
    if not eye.watched:
        told = "".join(f"; {key}: {why}" for key, why in {**eye.left_out, **eye.broken}.items())
        raise InputError(f"no scenario below {suite} that can run has the tag {tag}{told}")
    found = facts.collect(eye.interpreters, machine.namespaces().there, "")
    known = {name: found[name] for name in FACTS if name in found}
    return Ready(eye.watched, eye.files, known, eye.left_out, {**eye.broken, **_gone(past, eye)})


def changed_meanwhile(night: Night, before: Ready, after: Ready) -> Night:
    """Without the numbers and answers of what was another while the night ran: nobody knows which run had what."""
    then, now = ({each.key: each.tracked.fingerprint for each in seen.watched} for seen in (before, after))
    why = "what is tracked of it changed while the night ran, and nobody knows which of its runs had what"

    def of(each: Measured) -> Measured:
        is_same = then.get(each.key) == now.get(each.key)
        return each if is_same else replace(each, numbers={}, outcomes={}, state="failed", note=why, answers=())

    return replace(night, scenarios=[of(each) for each in night.scenarios])


class _Eye:
    """Looks at scenarios one after the other."""

    def __init__(
        self, past: Sequence[Night], accepted: Mapping[str, str], ledger: Ledger, folder: Path, say: Say
    ) -> None:
        self._past, self._accepted, self._root = past, accepted, ledger.repository
        self._folder, self._say = folder, say
        self._had = restorer(ledger, [night.commit for night in past], folder)
        self.watched: list[Watched] = []
        self.files: dict[str, bytes] = {}
        self.left_out: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.interpreters: dict[str, Interpreter] = {}

    def look(self, path: Path, tag: str, environments: Sequence[Environment]) -> None:
        """Take a scenario that has the tag, or note what is wrong with it: nobody knows what tag a broken one has."""
        try:
            loaded = validation.load(path, [])
        except InputError as error:
            self.broken |= {_key(path.stem, each.label): str(error) for each in environments}
            return
        for each in environments if tag in loaded.scenario.tags else ():
            key = _key(path.stem, each.label)
            try:
                if key in {other.key for other in self.watched}:
                    raise InputError(f"two scenarios are called {path.stem}; give one of them another name")
                self._look(key, path, loaded, each)
            except HarnessError as error:
                self.broken[key] = str(error)

    def _look(self, key: str, path: Path, loaded: LoadedScenario, environment: Environment) -> None:
        """In one environment; or note why it is left out."""
        values, why = _aimed(path, loaded, environment)
        found = sides.checked(yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True), path.stem)
        plan = request.planned(found, resolve.settled(found)).plan
        if missing := why or machine.unmet(plan):
            self.left_out[key] = missing
            return
        now, kept = software.describe(found, values, self._root, self._folder.parent, self._say)
        interpreters = resolve.interpreters(plan, self._say)
        for name, near in unread.of_plan(plan, interpreters).items():
            self._say(f"{key}: {settings.does_nothing(name, near)}")
        self.interpreters |= interpreters
        keep(kept, self._folder)
        self.files |= kept
        before = nights.past(self._past, self._accepted, key)
        arms = dict.fromkeys(arm.of for arm in plan.arms)
        known = before.reference.outcomes if before.reference is not None else {}
        steps = {arm: list(self._steps(before, now, values, arm)) for arm in arms if arm in known}
        self.watched.append(Watched(key, path.stem, environment.label, values, now, before, steps))

    def _steps(self, past: nights.Past, now: Tracked, values: Mapping[str, Any], arm: str) -> Iterator[Step]:
        """Changes since the last good night, each with what undoes it, or why nothing does.

        Both sides of a comparison are measured by tonight's harness.
        """
        if past.reference is None or past.reference.tracked.fingerprint == now.fingerprint:
            return
        then = past.reference.tracked
        own = arm if arm in (values.get("variants") or {}) else ""
        present = {"title": "now", **Tracked(values).arm(own)}
        for change in tracked.changes(then, now, own):
            try:
                undone = (
                    {}
                    if change.kind == "harness"
                    else software.anchored(
                        software.undoing(change, then.arm(own), present, self._had, self._say), then.below, self._root
                    )
                )
                yield Step(str(change), undone, "", self._lines(change))
            except HarnessError as error:
                kept = change.kind == "packages"
                yield Step(str(change), {}, str(error), may_pass=kept, other_job=not change.is_possible)

    def _lines(self, change: Change) -> Sequence[str]:
        """Of a script that changed, those that differ; none where one of both is not there."""
        if change.kind != "files" or not change.after or "+" in f"{change.before}{change.after}":
            return ()
        try:
            return differing_lines(self._had(change.before), self._had(change.after))
        except HarnessError:
            return ()


def _key(name: str, label: str) -> str:
    """What a scenario in an environment is called on all nights; a digest where a plain word would not tell it."""
    whole = f"{name}@{label}" if label else name
    key = named.slug(whole)
    return key if key == whole else f"{key[:32]}-{hashlib.sha256(os.fsencode(whole)).hexdigest()[:6]}"


def _gone(past: Sequence[Night], eye: _Eye) -> dict[str, str]:
    """What the last night measured that could run, and this one has not: once, that is told."""
    before = next((night.scenarios for night in reversed(past) if night.scenarios), ())
    here = {each.key for each in eye.watched} | set(eye.broken)
    lost = [each.key for each in before if each.state not in ("failed", "removed") and each.key not in here]
    return {key: f"left out: {eye.left_out[key]}" if key in eye.left_out else nights.REMOVED for key in lost}


def _aimed(path: Path, loaded: LoadedScenario, environment: Environment) -> tuple[dict[str, Any], str]:
    """A scenario's values with an environment's versions; and why not, where it asks for others."""
    own, whole = loaded.scenario.target, sides.whole(path)
    for name, version in environment.versions.items():
        asked = getattr(own, name)
        if own.python is None and asked is not None and asked != version:
            return whole, f"it asks for {name} {asked}, the environment has {version}"
    if own.python is not None:
        given = own.model_copy(update={"env": {**own.env, **environment.env}})
    else:
        versions = {**own.model_dump(exclude_none=True), **environment.versions}
        given = Target(**{**versions, "env": {**own.env, **environment.env}})
    horovod = resolve.settle(given, None, None, loaded.uses_horovod)
    return sides.aimed(whole, horovod), ""
