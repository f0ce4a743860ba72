"""What can be said of each run at a glance, also of damaged ones and of those whose harness was killed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psutil
import yaml

from harness.base.errors import DamagedRunError
from harness.base.printable import printable
from harness.storage import named
from harness.storage.run_folder import RunFolder

STATUSES = ("running", "interrupted", "aborted", "lost", "damaged")
"""Of runs that did not finish; a lost one had its harness killed."""


@dataclass(frozen=True)
class Entry:
    """One run. ``status`` is finished or one of `STATUSES`; ``outcomes`` are those of its arms, ``mxnet`` its versions.

    ``started`` is in seconds since 1970, None where nobody knows.
    """

    run: str
    name: str
    title: str
    status: str
    verdict: str
    reason: str
    mxnet: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    started: float | None = None

    @property
    def word(self) -> str:
        """The verdict, or why there is none that counts."""
        return self.verdict if self.status == "finished" and self.verdict else self.status


def entry(folder: RunFolder) -> Entry:
    """What the files of a run say."""
    name = named.name_of(folder.id)
    try:
        status = folder.read_json("status.json")
        word, started = _status(status), float(status["started"]) if "started" in status else None
        plan = folder.read_json("plan.json") if folder.has("plan.json") else {}
        title, planned = printable(str(plan.get("title", ""))), _planned(plan)
        if not folder.has("verdict.json"):
            return Entry(folder.id, name, title, word, "", str(status.get("reason", "")), planned, (), started)
        verdict = folder.read_json("verdict.json")
        outcomes = tuple(str(arm["outcome"]) for arm in verdict.get("arms", ()))
        versions = _measured(verdict.get("facts", {})) or planned
        words = str(verdict["verdict"]), str(verdict["reason"])
        return Entry(folder.id, name, title, word, *words, versions, outcomes, started)
    except (DamagedRunError, KeyError, TypeError, AttributeError, ValueError) as error:
        return Entry(folder.id, name, "", "damaged", "", str(error))


def claims(folder: RunFolder) -> tuple[str, ...]:
    """The claims that a run's scenario tests; none where it cannot be read."""
    try:
        return tuple(map(str, yaml.safe_load(folder.read("scenario.yaml")).get("claims", ())))
    except (DamagedRunError, yaml.YAMLError, AttributeError, TypeError, RecursionError):
        return ()


def _planned(plan: Mapping[str, Any]) -> tuple[str, ...]:
    """MXNet's versions, where targets are those that the harness builds."""
    return tuple(dict.fromkeys(arm["target"]["mxnet"] for arm in plan.get("arms", ()) if arm["target"].get("mxnet")))


def _measured(facts: Mapping[str, Any]) -> tuple[str, ...]:
    """MXNet's versions, as the targets told them."""
    targets = facts.get("targets") or {"": facts.get("target") or {}}
    return tuple(dict.fromkeys(target["mxnet"] for target in targets.values() if target.get("mxnet")))


def _status(status: Mapping[str, object]) -> str:
    """The word for a run; one that says it is running but whose process is gone was killed."""
    if status["status"] != "running":
        return str(status["status"])
    try:
        alive = psutil.Process(int(str(status["pid"]))).create_time() <= float(str(status["started"])) + 1
    except psutil.Error:
        alive = False
    return "running" if alive else "lost"
