"""Run folders: ``results/runs/<id>/``. Files are replaced whole; the history only grows.

scenario.yaml   as it was read          plan.json    everything decided
worker.pyz      the measured program    facts.json   the machine and the software
history.jsonl   every event             logs/        what each process printed
status.json     running or how it ended verdict.json the judgement
"""

from __future__ import annotations

import errno
import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from harness.base.errors import DamagedRunError, RunNotFoundError, StorageError
from harness.planning.plan import VERSION, Plan
from harness.storage import named

_RESERVE = "reserve"
_RESERVE_BYTES = 65536


@dataclass(frozen=True)
class RunFolder:
    """One run on disk. Writing raises StorageError, reading DamagedRunError."""

    path: Path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.name

    def write(self, name: str, data: str | bytes) -> None:
        """Replace a file as a whole: readers see the old or the new one."""
        path = self.path / name
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(beside, "wb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise storage_error(error, path) from error

    def write_json(self, name: str, value: Any) -> None:
        """Replace a file by JSON; names stay in their order, which in a scenario says which variant is the first."""
        self.write(name, json.dumps(value, indent=1, allow_nan=False) + "\n")

    def read_bytes(self, name: str) -> bytes:
        """The bytes of a file."""
        try:
            return (self.path / name).read_bytes()
        except OSError as error:
            raise DamagedRunError(f"{self.path / name} cannot be read: {(error.strerror or '').lower()}") from error

    def read(self, name: str) -> str:
        """The text of a file."""
        try:
            return self.read_bytes(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise DamagedRunError(f"{self.path / name} is not text") from error

    def read_json(self, name: str) -> Any:
        """The value of a JSON file."""
        try:
            return json.loads(self.read(name))
        except ValueError as error:
            raise DamagedRunError(f"{self.path / name} is not JSON: {error}") from error
        except RecursionError as error:
            raise DamagedRunError(f"{self.path / name} is nested too deeply to be read") from error

    def plan(self) -> Plan:
        """The plan that was run."""
        try:
            return Plan.model_validate_json(self.read("plan.json"))
        except ValueError as error:
            raise DamagedRunError(f"{self.path / 'plan.json'} {self._why_no_plan(error)}") from error

    def _why_no_plan(self, error: ValueError) -> str:
        body = self.read_json("plan.json")
        version = body.get("version") if isinstance(body, dict) else None
        if isinstance(version, int) and version != VERSION:
            other = "older" if version < VERSION else "newer"
            return (
                f"is a plan of version {version}, this harness runs version {VERSION}: use the {other} harness that "
                "made it, or run its scenario.yaml again"
            )
        first, *rest = str(error).splitlines()
        return f"is not a plan: {' '.join(rest[:2]).strip() or first}"

    def has(self, name: str) -> bool:
        """Whether the file is there."""
        return (self.path / name).is_file()

    def log(self, arm: str, role: str) -> Path:
        """The log of a role, or of the agent with an empty role."""
        return self.path / log_name(arm, role)

    def make_logs(self, arm: str) -> None:
        """The folder for the logs of an arm, with the agent's log in it."""
        log = self.log(arm, "")
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.touch()
        except OSError as error:
            raise storage_error(error, log) from error

    def reserve(self) -> None:
        """Take some room, so that a full disk still leaves enough to write down how the run ended."""
        self.write(_RESERVE, b"\0" * _RESERVE_BYTES)

    def release_reserve(self) -> None:
        """Free the room that `reserve` took."""
        (self.path / _RESERVE).unlink(missing_ok=True)


def log_name(arm: str, role: str) -> str:
    """Where in a run folder the log of a role is, or that of the agent with an empty role."""
    return f"logs/{arm}/{(role or 'agent').replace('/', '-')}.log"


def create(results: Path, scenario: str, plan_hash: str) -> RunFolder:
    """A new run folder; its id sorts by time and names the scenario and the plan."""
    now = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S")
    stem = f"{now}-{named.slug(scenario)}-{plan_hash[:6]}"
    runs = results / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
        for suffix in ["", *(f"-{number}" for number in range(2, 1000))]:
            try:
                (runs / (stem + suffix)).mkdir()
                return RunFolder(runs / (stem + suffix))
            except FileExistsError:
                continue
    except OSError as error:
        raise storage_error(error, runs) from error
    raise StorageError(f"{runs} has a thousand runs called {stem}")


def every(results: Path) -> Iterator[RunFolder]:
    """All runs, oldest first."""
    runs = results / "runs"
    try:
        folders = sorted(path for path in runs.iterdir() if path.is_dir() and not path.name.startswith("."))
    except FileNotFoundError:
        folders = []
    except OSError as error:
        raise StorageError(f"{runs} cannot be read: {(error.strerror or str(error)).lower()}") from error
    return (RunFolder(folder) for folder in folders)


def meant(results: Path, wanted: str) -> Sequence[Path]:
    """The runs that a word may mean (`harness/storage/named.py`), other than as a path."""
    return named.meant(wanted, [run.path for run in every(results)], _scenario)


def _scenario(path: Path) -> str:
    """The scenario's whole name; "" where it cannot be read."""
    try:
        return str(RunFolder(path).read_json("plan.json")["scenario"])
    except (DamagedRunError, LookupError, TypeError):
        return ""


def find(results: Path, wanted: str) -> RunFolder:
    """The run that is meant (`harness/storage/named.py`); RunNotFoundError where that is none, or several."""
    path = named.as_path(wanted, "status.json", "plan.json")
    if path is not None:
        return RunFolder(path)
    matches = meant(results, wanted)
    if len(matches) == 1:
        return RunFolder(matches[0])
    if matches:
        some = ", ".join(match.name for match in matches[-5:])
        raise RunNotFoundError(f"{wanted!r} could be {len(matches)} runs: {some}; give more of the id, or last:NAME")
    where = "" if results == Path("results") else f" --results {shlex.quote(str(results))}"
    raise RunNotFoundError(f"no run {wanted!r} in {results / 'runs'}; `harness list{where}` shows what is there")


def storage_error(error: OSError, path: Path, by: str = " with --results") -> StorageError:
    """Make an error that tells the cause and the remedy of a file that cannot be written.

    ``by``: which option chooses another place, "" where the verb has none.
    """
    causes = {
        errno.ENOSPC: "free some space, or ",
        errno.EDQUOT: "your quota is used up; ",
        errno.ENOTDIR: "a file is in the way; ",
        errno.EEXIST: "a file is in the way; ",
    }
    remedy = f"{causes.get(error.errno or 0, '')}choose another folder{by}"
    return StorageError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}; {remedy}")
