"""What can be said of each run at a glance, also of damaged ones and of those whose harness was killed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import psutil

from harness.base.errors import DamagedRunError
from harness.storage.run_folder import RunFolder


@dataclass(frozen=True)
class Entry:
    """One run. ``status`` is running, finished, interrupted, aborted, lost (its harness was killed) or damaged."""

    run: str
    title: str
    status: str
    verdict: str
    reason: str


def entry(folder: RunFolder) -> Entry:
    """What the files of a run say."""
    try:
        status = folder.read_json("status.json")
        word = _status(status)
        title = str(folder.read_json("plan.json")["title"]) if folder.has("plan.json") else ""
        if not folder.has("verdict.json"):
            return Entry(folder.id, title, word, "", str(status.get("reason", "")))
        verdict = folder.read_json("verdict.json")
        return Entry(folder.id, title, word, str(verdict["verdict"]), str(verdict["reason"]))
    except (DamagedRunError, KeyError, TypeError, AttributeError, ValueError) as error:
        return Entry(folder.id, "", "damaged", "", str(error))


def _status(status: Mapping[str, object]) -> str:
    """The word for a run; one that says it is running but whose process is gone was killed."""
    if status["status"] != "running":
        return str(status["status"])
    try:
        alive = psutil.Process(int(str(status["pid"]))).create_time() <= float(str(status["started"])) + 1
    except psutil.Error:
        alive = False
    return "running" if alive else "lost"
