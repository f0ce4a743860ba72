"""The plan: everything that is decided before a run. The same input gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from itertools import groupby
from typing import Annotated, Any, Literal

from pydantic import Field

from harness import checks
from harness.base.strict import Strict
from harness.faults import Fault
from harness.gpu import visible
from harness.planning.network import Network
from harness.scenario import models
from harness.scenario.schema import (
    Amp,
    Checkpoint,
    Expect,
    FaultEntry,
    Hybridize,
    Input,
    Optimizer,
    Target,
)
from harness.topologies import Compression, Role
from harness.vocabulary.instructions import Share

VERSION = 12
"""Raised when words of the plan or of the history change; runs of another version can be listed, not replayed."""

_KIND = (
    "training", "model", "model_args", "script", "dataset", "samples", "input", "batch_size", "sync_every", "phases",
    "loop", "kvstore", "workers", "compression", "contexts", "amp",
)  # fmt: skip

_NOISY = ("OMP_NUM_THREADS", "MXNET_ENGINE_TYPE")


class Script(Strict):
    """A training script of the user's: its absolute path, its arguments, and the folder that it runs in.

    A copy is in the worker archive, so that the plan's hash knows it. With ``scratch``, what it writes to that folder
    goes to a layer of each host.
    """

    path: str
    args: tuple[str, ...]
    folder: str
    scratch: bool = False


class Job(Strict):
    """The worker's part of a plan (`harness/worker/job.py` reads it): a workload with every size drawn.

    ``sizes`` are sides or lengths, or heights where there are as many ``widths``. ``padding`` is the share of all that
    nothing was drawn for. ``batch_sizes`` are those of each step, again and again, where they vary; ``batch_size`` is
    their mean then.
    """

    training: Literal["gluon", "model_parallel", "oracle", "script"]
    model: str
    model_args: dict[str, bool | int | float | str] = {}
    script: Script | None = None
    dataset: str
    samples: int
    input: Input | None
    batch_size: int | None
    batch_sizes: tuple[int, ...]
    sizes: tuple[int, ...]
    widths: tuple[int, ...] = ()
    padding: float
    hybridize: Hybridize | None
    optimizer: Optimizer
    amp: Amp | None
    steps: int | None
    warmup: int
    window: int
    sync_every: int
    phases: bool
    gradients: str
    digest_every: int
    held_back: int
    target_loss: float | None
    burden: float
    checkpoint: Checkpoint | None
    record_shapes: bool
    memory: str
    seed: int
    loop: Literal["trainer", "push_pull", "horovod"]
    kvstore: str
    workers: int
    contexts: tuple[str, ...]
    update_on_kvstore: bool | None
    compression: Compression | None
    horovod_compression: str

    def samples_of(self, first: int, steps: int) -> int | None:
        """Of so many steps from ``first``, of one worker; None where the plan does not know."""
        if self.batch_size is None:
            return None
        each = self.batch_sizes or (self.batch_size,)
        rounds, rest = divmod(steps, len(each))
        return rounds * sum(each) + sum(each[(first + step) % len(each)] for step in range(rest))

    @property
    def size(self) -> list[int] | None:
        """Of a sample, where all have the same; None where sizes vary."""
        every = [sorted({*sizes}) for sizes in (self.sizes, self.widths, self.batch_sizes)]
        return [size for sizes in every for size in sizes] if all(len(sizes) < 2 for sizes in every) else None

    @property
    def own_file(self) -> str | None:
        """The path of the user's file that is run, if one is."""
        return self.script.path if self.script is not None else models.file_of(self.model)


class Injection(Strict):
    """One fault on one role or host (``subject``), everything decided.

    ``clock`` is the worker whose steps trigger it; times count from the first step. ``sizes``: those of each step while
    it lasts, where it changes them.
    """

    fault: int
    subject: str
    clock: str
    entry: FaultEntry
    sizes: tuple[int, ...] = ()

    @cached_property
    def part(self) -> Fault:
        """The fault with its parameters."""
        fault: Fault = self.entry.fault
        return fault

    @property
    def first_step(self) -> int | None:
        """The step before which it starts, unless the clock or an event decides."""
        return self.part.at.step if self.part.at else None

    @property
    def begins_at(self) -> float | None:
        """Seconds after the first step, where the clock decides."""
        return self.part.at.time if self.part.at else None

    @property
    def awaits(self) -> tuple[str, str] | None:
        """The event that starts it and the role that it is of."""
        at = self.part.at
        return None if at is None or at.event is None else (at.event, at.of or self.subject)

    @property
    def last_step(self) -> int | None:
        """The step before which it ends, where steps decide that."""
        steps = self.part.life.steps
        return None if steps is None or self.first_step is None else self.first_step + steps


class Arm(Strict):
    """One job of a run: the scenario itself, one of its variants, or the control; once, or again and again.

    ``of`` is what it is, and its name unless it is repeated; ``repeat`` counts from 1. ``target`` is its software;
    variables are in ``env``. ``turn``: arms of one repeat live at once, and take turns of so many steps; ``threads``
    that compute are those of the one that has most, and ``restless`` says whether any of them computes while it waits
    (`harness/planning/twins.py`). ``quick_start``: what MXNet's import compiles comes from a file
    (`harness/worker/compiled.py`). ``as_far_as``: the arm beyond whose last step this one does not train for long,
    since it is there to be looked at, and no check names it.
    """

    name: str
    of: str
    repeat: int
    turn: int | None
    as_far_as: str | None = None
    threads: int = 1
    restless: bool = False
    quick_start: bool = False
    target: Target
    env: dict[str, str]
    roles: tuple[Role, ...]
    network: Network | None
    workload: Job
    schedule: tuple[Injection, ...]

    @cached_property
    def workers(self) -> list[str]:
        """Names of the roles that train."""
        return [role.name for role in self.roles if role.is_worker]

    @property
    def gpus(self) -> list[int]:
        """Numbers of the GPUs that the plan gives to its workers, or else that its contexts name."""
        given = [int(number) for seen in self._given_gpus for number in seen.split(",")]
        return given or visible.numbers(self.workload.contexts)

    @property
    def gives_gpus(self) -> bool:
        """Whether each worker has GPUs of its own, and numbers them itself."""
        return bool(self._given_gpus)

    @property
    def _given_gpus(self) -> list[str]:
        return [role.env[visible.VARIABLE] for role in self.roles if visible.VARIABLE in role.env]

    @property
    def kind(self) -> dict[str, Any]:
        """What decides how much runs of it scatter: its job, its software, the threads and the engine that it has."""
        software = {"target": str(self.target), **{name: self.env.get(name) for name in _NOISY}}
        job = {**self.workload.model_dump(mode="json", include=set(_KIND)), "size": self.workload.size}
        servers = sum(role.is_server for role in self.roles)
        network = self.network.model_dump(mode="json") if self.network is not None else None
        return {**job, "servers": servers, "network": network, **software}

    @property
    def shares(self) -> dict[str, Share]:
        """The part of the processors that each process comes to keep to, where arms take turns: all are placed alike.

        Those that only bring others together have none.
        """
        busy = [role.name for role in self.roles if role.is_worker or role.is_server]
        return {name: Share(place, len(busy), self.threads) for place, name in enumerate(busy)} if self.turn else {}

    @property
    def synchronous(self) -> bool:
        """Whether no worker can take a step without the others."""
        return len(self.workers) > 1 and self.workload.kvstore != "dist_async"


def is_same_job(earlier: object, job: Mapping[str, Any] | None) -> bool:
    """Whether two say the same of what `Plan.job` gives; None, for arms that are not alike, is no job.

    An earlier one may have known less of it, and of a network only whether there was one.
    """
    if job is None or not isinstance(earlier, Mapping):
        return False
    known = {**job, "impaired": job.get("network") is not None}
    return all(name in known and known[name] == value for name, value in earlier.items())


class Plan(Strict):
    """Everything that is decided before a run. ``expect`` is judged later and can be judged again."""

    version: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    scenario: str
    title: str
    seed: int
    worker: str = Field(description="SHA-256 of the worker archive")
    harness: str = Field(description="SHA-256 of the harness that made the plan, which also decides what happens")
    startup_timeout: float
    stall_timeout: float
    arms: tuple[Arm, ...]
    expect: Expect

    def text(self) -> str:
        """The plan as JSON: sorted keys, one form only."""
        return json.dumps(self.model_dump(mode="json", exclude_none=False), indent=1, sort_keys=True) + "\n"

    @property
    def hash(self) -> str:
        """SHA-256 of `text`."""
        return hashlib.sha256(self.text().encode()).hexdigest()

    def job(self, facts: Mapping[str, Any]) -> dict[str, Any] | None:
        """What decides how much its runs scatter, with the MXNet that was found; None where arms are not alike."""
        first = self.arms[0].kind
        if any(arm.kind != first for arm in self.arms):
            return None
        return {**first, "mxnet": facts.get("target", {}).get("mxnet")}

    @property
    def own_files(self) -> set[str]:
        """Paths of the user's files that are run: scripts, and those that build networks."""
        return {file for arm in self.arms if (file := arm.workload.own_file) is not None}

    def only_beside(self, arm: Arm) -> bool:
        """Whether an arm is a control that no check names: to be looked at, and not as long as the job, maybe."""
        return arm.of == checks.CONTROL and all(check.baseline != arm.of for check in checks.given(self.expect))

    def arm(self, name: str) -> Arm:
        """The arm of that name."""
        return next(arm for arm in self.arms if arm.name == name)

    @property
    def companies(self) -> list[list[Arm]]:
        """Arms that live at once, in the order in which they are run: most are alone."""
        return [list(arms) for _, arms in groupby(self.arms, lambda arm: arm.name if arm.turn is None else arm.repeat)]
