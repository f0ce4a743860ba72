"""What is to be qualified, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harness.scenario import models
from harness.scenario.schema import Target
from harness.studies import sides, survival
from harness.studies.sides import Side, Sides

OLD, NEW = "old", "new"

STARTS, OPERATORS, DRIFT, SPEED, SURVIVAL = ROWS = ("starts", "operators", "drift", "speed", "survival")
"""What can be asked, in this order; of drift and speed for each scenario."""

LATENCY = "latency"
"""A part of speed of its own: a step is waited for, which may cost throughput."""

RESOLVE = 0.03
"""Closer is as fast, and as small."""

BUDGET_SECONDS, SEEDS = 180.0, 8

OF_GPUS = ("cuda", "nccl", "cudnn")
"""Axes of a target that nothing sees on processors."""


@dataclass(frozen=True)
class Asked:
    """What is to be qualified, and how. ``scenarios``: plain values by name; those with faults are for survival.

    ``operators``: some of them; none for all. ``left_out``: why some of ours are not asked on this machine.
    """

    old: Target
    new: Target
    scenarios: Mapping[str, Mapping[str, Any]]
    rows: tuple[str, ...] = ROWS
    budget: float = BUDGET_SECONDS
    seeds: int = SEEDS
    resolve: float = RESOLVE
    topologies: tuple[str, ...] = survival.TOPOLOGIES
    faults: tuple[str, ...] = survival.FAULTS
    operators: tuple[str, ...] = ()
    latency: bool = True
    """Whether speed is also asked of steps: qualifications of older versions did not."""

    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """From which `from_json` makes it again."""
        targets = {name: target.model_dump(mode="json", exclude_none=True) for name, target in self._targets.items()}
        return {**{name: value for name, value in vars(self).items() if name not in targets}, **targets}

    @property
    def _targets(self) -> Mapping[str, Target]:
        return {OLD: self.old, NEW: self.new}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Asked:
        """LookupError, TypeError or ValueError for what is none."""
        lists = {name: tuple(body[name]) for name in ("rows", "topologies", "faults", "operators")}
        lists["left_out"] = tuple(body.get("left_out", ()))
        return cls(**{"latency": False, **body, **lists, OLD: Target(**body[OLD]), NEW: Target(**body[NEW])})

    def sides(self, name: str) -> Sides:
        """A scenario with either target."""
        each = {side: sides.side_fields(target) for side, target in self._targets.items()}
        return Sides(
            name, sides.without_target(self.scenarios[name]), tuple(Side(side, own) for side, own in each.items())
        )

    @property
    def with_faults(self) -> dict[str, Mapping[str, Any]]:
        """Scenarios whose question is what becomes of the job."""
        return {name: values for name, values in self.scenarios.items() if values.get("faults")}

    @property
    def scripts(self) -> list[str]:
        """Those whose use of MXNet is looked at."""
        files = (_code(each["workload"]) for each in self.scenarios.values())
        return list(dict.fromkeys(filter(None, files)))

    @property
    def variables(self) -> list[str]:
        """Those of the environment that are set."""
        set_ = [name for each in self.scenarios.values() for name in (each.get("target") or {}).get("env", {})]
        return list(dict.fromkeys([*set_, *self.new.env]))

    @property
    def unused(self) -> Iterator[str]:
        """What differs between the targets, and no scenario without faults uses."""
        names = self.scenarios.keys() - self.with_faults.keys()
        topologies = [self.scenarios[name].get("topology") or {} for name in names]
        if self.old.horovod != self.new.horovod and not any("horovod" in each for each in topologies):
            yield "no scenario trains with Horovod (topology: {horovod: …}), of which another version is asked about"
        contexts = {context for each in topologies for context in each.get("contexts", ())}
        parts = [part for part in OF_GPUS if getattr(self.old, part) != getattr(self.new, part)]
        if parts and not any(context.startswith("gpu") for context in contexts):
            another = " and ".join(parts)
            yield f"no scenario runs on a GPU (topology: {{contexts: […]}}); asked about is another {another}"


def _code(workload: Mapping[str, Any]) -> str:
    """The file of a user's own that a scenario runs, or whose function builds its model; "" for none."""
    return str(workload["script"]) if workload.get("script") else models.file_of(str(workload.get("model") or "")) or ""
