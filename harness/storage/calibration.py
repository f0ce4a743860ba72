"""What is known of this machine's noise: calibrations whose facts are those of now."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError
from harness.planning.plan import is_same_job
from harness.storage.run_folder import RunFolder

NAME = "calibrate"
FACTS = (
    "cpu_model", "vectors", "processor_told", "cores", "cores_allowed", "cpu_limit", "governor", "memory_bytes",
    "kernel", "gpus", "gpu_driver",
)  # fmt: skip
"""What a calibration is outdated by."""


def machine(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that a calibration holds for; what is not available is None, for whatever reason."""
    return {name: None if _is_missing(facts.get(name)) else facts[name] for name in FACTS}


def _is_missing(fact: object) -> bool:
    return fact is None or (isinstance(fact, str) and fact.startswith("not available"))


def find(results: Path, facts: Mapping[str, Any], of: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The newest one below a folder of results of the same job; else of the newest of each, whose runs differ most.

    None where there is none, or only of another machine. ``of``: the job, None for several.
    """
    here, newest = machine(facts), dict[str, dict[str, Any]]()
    for path in sorted((results / "studies").glob(f"*-{NAME}*")):
        known = _read(path)
        if known is not None and machine(known.pop("machine")) == here:
            newest[json.dumps(known["job"], sort_keys=True)] = {"study": path.name, **known}
    same = (each for each in newest.values() if is_same_job(each["job"], of))
    last = max(same, key=lambda each: str(each["study"]), default=None)
    return last or max(newest.values(), key=lambda each: float(each["between_runs"]["upper"]), default=None)


def newest(results: Path) -> list[str]:
    """The ids of those that `find` may return, on whatever machine: the newest of each job and machine."""
    ids: dict[str, str] = {}
    for path in sorted((results / "studies").glob(f"*-{NAME}*")):
        known = _read(path)
        if known is not None:
            ids[json.dumps([known["job"], known["machine"]], sort_keys=True)] = path.name
    return list(ids.values())


def _read(path: Path) -> dict[str, Any] | None:
    """What a calibration says of runs; None where it has too few, or cannot be read."""
    try:
        summary = RunFolder(path).read_json("summary.json")
        known = {name: summary[name] for name in ("between_runs", "scenario", "job", "machine")}
        known["disturbed_runs"] = int(summary.get("disturbed_runs", 0))
        return known if math.isfinite(float(known["between_runs"]["upper"])) else None
    except (HarnessError, LookupError, TypeError, ValueError):
        return None
