"""Which runs somebody asks for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.storage import run_folder, run_index
from harness.storage.run_folder import RunFolder
from harness.storage.run_index import Entry


@dataclass(frozen=True)
class RunFilter:
    """What runs must have, each where it is asked for; ``since`` is in seconds since 1970.

    ``name`` is a part of the scenario's, ``verdict`` a verdict or a status, ``mxnet`` a version or its beginning.
    """

    name: str | None = None
    verdict: str | None = None
    outcome: str | None = None
    since: float | None = None
    claim: str | None = None
    mxnet: str | None = None

    def wants(self, entry: Entry) -> bool:
        """Whether it is one, as far as an entry tells: all but its claims."""
        return (
            (self.name is None or self.name in entry.name)
            and self.verdict in (None, entry.word)
            and (self.outcome is None or self.outcome in entry.outcomes)
            and (self.since is None or (entry.started is not None and entry.started >= self.since))
            and (self.mxnet is None or any(_is_of(version, self.mxnet) for version in entry.mxnet))
        )


def newest(results: Path, asked: RunFilter) -> Iterator[tuple[RunFolder, Entry]]:
    """The runs below a folder of results that are asked for, newest first."""
    for folder in reversed(list(run_folder.every(results))):
        entry = run_index.entry(folder)
        if asked.wants(entry) and (asked.claim is None or asked.claim in run_index.claims(folder)):
            yield folder, entry


def _is_of(version: str, asked: str) -> bool:
    return version == asked or version.startswith(f"{asked}.")
