"""A plan as text for people."""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness.plan import Arm, Injection, Plan


def render(plan: Plan) -> RenderableType:
    """Title, target, and for each arm its processes, steps and faults."""
    target = f"mxnet {plan.target.mxnet}" if plan.target.mxnet else plan.target.python
    head = Text.assemble((plan.title, "bold"), f"\nplan {plan.hash[:12]}, seed {plan.seed}, target {target}")
    return Group(head, *(part for arm in plan.arms for part in _arm(arm)))


def _arm(arm: Arm) -> list[RenderableType]:
    """What all processes of an arm share is said once, above the table."""
    shared = dict(set.intersection(*({*role.env.items()} for role in arm.roles)))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("role", "its own environment"):
        table.add_column(column, overflow="fold")
    for role in arm.roles:
        table.add_row(role.name, Text(_environment({k: v for k, v in role.env.items() if k not in shared}) or "–"))
    environment = Text(f"environment: {_environment({**arm.env, **shared})}")
    faults = [Text(f"fault {injection.fault}: {_fault(injection)}") for injection in arm.schedule]
    return [Text(f"\n{arm.name}: {_job(arm)}"), environment, table, *faults]


def _job(arm: Arm) -> str:
    job = arm.workload
    sizes = f"size {job.sizes[0]}" if len(set(job.sizes)) == 1 else f"sizes {min(job.sizes)} to {max(job.sizes)}"
    precision = job.amp.dtype if job.amp else "float32"
    what = f"{job.model} on {job.dataset}, {sizes}, batch {job.batch_size}, {precision}, {job.optimizer.name}"
    return f"{what}, {job.steps} steps ({job.warmup} warm-up), windows of {job.window}, kvstore {job.kvstore}"


def _environment(variables: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(variables.items()))


def _fault(injection: Injection) -> str:
    part = injection.part
    at = f"before step {part.at.step} of {injection.clock}" if part.at.step is not None else f"at {part.at.time:g} s"
    lasts = part.duration
    steps, seconds = getattr(lasts, "steps", None), getattr(lasts, "time", None)
    for_ = f" for {steps} steps" if steps else f" for {seconds:g} s" if seconds else ""
    return f"{part.name} {injection.role} {at}{for_}"
