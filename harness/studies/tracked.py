"""What decides the numbers of a scenario on a night, and which parts of it another night had otherwise. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import yaml

from harness.scenario import document, models, overrides
from harness.scenario.load import replaced
from harness.studies import sides

NAMES = ("title", "tags", "claims")
"""Fields that nothing depends on."""

UNMEASURED = (*NAMES, "expect", "repeat", "seeds", "turns", "variants")
"""Fields that no number of one arm depends on: what is asked of it, and how often."""

Kind = Literal["field", "packages", "files", "harness"]


@dataclass(frozen=True)
class Tracked:
    """One scenario: its ``values`` as written, aimed at its target, without places that differ between checkouts.

    ``packages`` of the target of each arm, "" without variants; ``files``: the user's own that are run, by a digest of
    all, with their names; ``harness``: its version, and a digest of the program that is measured; ``below``: what of
    the values are places below the repository.
    """

    values: Mapping[str, Any]
    packages: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    files: str = ""
    harness: str = ""
    below: Sequence[str] = field(default_factory=list, compare=False)

    @property
    def fingerprint(self) -> str:
        """The same for the same software."""
        values = {name: value for name, value in self.values.items() if name not in NAMES}
        known = {name: value for name, value in asdict(self).items() if name != "below"}
        return hashlib.sha256(json.dumps({**known, "values": values}, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def job(self) -> tuple[Any, ...]:
        """What sides of a comparison have in common; numbers of another job are other numbers."""
        return tuple(_at(self.values, path) for path in sides.DECIDED)

    def arm(self, name: str) -> dict[str, Any]:
        """The values of one arm, without what no number of it depends on."""
        variants = self.values.get("variants") or {}
        plain = {key: value for key, value in self.values.items() if key not in UNMEASURED}
        if name not in variants:
            return plain
        changes = [change for path, value in variants[name].items() for change in (*replaced(path), (path, value))]
        written = document.parse(yaml.safe_dump({"title": "", **plain}, sort_keys=False), "arm")
        changed = dict(overrides.apply(written, changes).values)
        return {key: value for key, value in changed.items() if key not in UNMEASURED}

    def packages_of(self, arm: str) -> Mapping[str, str]:
        """What is installed in the target of an arm."""
        return self.packages.get(arm, self.packages.get("", {}))


@dataclass(frozen=True)
class Change:
    """One thing that is otherwise than it was: a field of the scenario, the target's packages, files, the harness."""

    kind: Kind
    name: str
    before: Any = None
    after: Any = None

    def __str__(self) -> str:
        if self.kind == "packages":
            return f"packages of the target: {_packages(self.before, self.after)}"
        if self.kind == "files":
            return f"the script's files ({self.name})"
        if self.kind == "harness":
            return f"the harness: {self.before} → {self.after}"
        what = "setting" if self.name.startswith("target.env.") else "scenario"
        what = "target" if self.name.startswith("target.") and what == "scenario" else what
        return f"{what} {self.name}: {_shown(self.before)} → {_shown(self.after)}"

    @property
    def is_possible(self) -> bool:
        """Whether a side of a comparison can be without it; what is the same for all sides cannot."""
        return self.kind in ("packages", "files") or (
            self.kind == "field" and not any(f"{self.name}.".startswith(f"{each}.") for each in sides.DECIDED)
        )


def changes(then: Tracked, now: Tracked, arm: str) -> list[Change]:
    """What differs for an arm, in a fixed order: packages, fields, files, the harness."""
    found = list[Change]()
    packages = then.packages_of(arm), _comparable(then.packages_of(arm), now.packages_of(arm))
    fields = list(_differing(then.arm(arm), now.arm(arm)))
    if packages[0] != packages[1] and not any(path in _VERSIONS for path, *_ in fields):
        found.append(Change("packages", "packages", dict(packages[0]), dict(packages[1])))
    found += [Change("field", path, before, after) for path, before, after in fields]
    if then.files != now.files:
        found.append(Change("files", f"{then.files or 'none'} → {now.files or 'none'}", then.files, now.files))
    if then.harness != now.harness:
        found.append(Change("harness", "harness", then.harness, now.harness))
    return found


def _comparable(then: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Without libraries of which older nights did not say what they are."""
    return {name: version for name, version in now.items() if name in then or not name.endswith(".so")}


_VERSIONS = tuple(f"target.{name}" for name in ("mxnet", "horovod", "numpy", "cuda", "nccl", "cudnn", "python"))
"""With another version its packages are others too: one change, not two."""

_PLACES = ("workload.script", "workload.folder")
"""Where files lie; what is in them is what matters."""


def _differing(one: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Fields by their paths, with both values; None where there is none."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        for name in dict.fromkeys([*one, *other]):
            yield from _differing(one.get(name), other.get(name), f"{path}.{name}" if path else name)
    elif one != other and not _is_place(path, one, other):
        yield path, one, other


def _is_place(path: str, one: Any, other: Any) -> bool:
    if path == "workload.model":
        return all(models.file_of(each or "") is not None for each in (one, other))
    return path in _PLACES


def _at(values: Any, path: str) -> Any:
    """What is at a path; None where there is nothing."""
    for name in path.split("."):
        values = values.get(name) if isinstance(values, Mapping) else None
    return values


def _packages(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    names = sorted(name for name in {**before, **after} if before.get(name) != after.get(name))
    told = [f"{name} {before.get(name, 'none')} → {after.get(name, 'none')}" for name in names]
    return ", ".join(told[:4]) + (f" and {len(told) - 4} more" if len(told) > 4 else "")


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value)
