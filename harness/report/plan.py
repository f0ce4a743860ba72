"""A plan as text for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from harness import checks
from harness.base.units import bandwidth_text
from harness.faults import Fault
from harness.planning.network import Network
from harness.planning.plan import Arm, Injection, Job, Plan, Script
from harness.vocabulary.instructions import Direction

BINS, BAR = 12, 30
"""Of a histogram of sizes: how many, and the length of one that holds them all."""


def render(plan: Plan) -> RenderableType:
    """Title, target, and for each arm its processes, steps and faults."""
    targets = {arm.of: str(arm.target) for arm in plan.arms}
    target = f", target {next(iter(targets.values()))}" if len(set(targets.values())) == 1 else ""
    head = Text.assemble((plan.title, "bold"), f"\nplan {plan.hash[:12]}, seed {plan.seed}{target}")
    if any(len(arms) > 1 for arms in plan.companies):
        turn = plan.arms[0].turn
        head.append(f"\narms live at once and take turns of {turn} steps, in an order drawn from the seed")
    if any(arm.repeat > 1 for arm in plan.arms):
        head.append(f"\nin this order: {', '.join(arm.name for arm in plan.arms)}")
    arms = (part for arm in plan.arms if arm.repeat == 1 for part in _arm(arm, not target))
    return Group(head, *arms, *map(Text, _checks(plan)))


def _checks(plan: Plan) -> Iterator[str]:
    """What is judged in the end, as it was written."""
    for check in checks.given(plan.expect):
        limits = check.model_dump(mode="json", exclude_unset=True, by_alias=True)
        told = ", ".join(f"{name.rstrip('_')} {value}" for name, value in limits.items())
        yield f"expect {check.name}: {told}"


def _arm(arm: Arm, own_target: bool) -> list[RenderableType]:
    """What all processes of an arm share is said once, above the table."""
    shared = dict(set.intersection(*({*role.env.items()} for role in arm.roles)))
    table = _table("role", *(["host"] if arm.network else []), "its own environment")
    for role in arm.roles:
        own = Text(_environment({k: v for k, v in role.env.items() if k not in shared}) or "–")
        table.add_row(role.name, *([role.host] if arm.network else []), own)
    environment = Text(f"environment: {_environment({**arm.env, **shared})}")
    faults = [Text(f"fault {injection.fault}: {_fault(injection)}") for injection in arm.schedule]
    network = [_network(arm.network)] if arm.network else []
    target = f", target {arm.target}" if own_target else ""
    job = arm.workload
    drawn = {"heights": job.sizes, "widths": job.widths} if job.widths else {"sizes": job.sizes}
    histograms = [_histogram(name, each, job.steps) for name, each in drawn.items() if len(set(each)) > 1]
    return [Text(f"\n{arm.name}: {_job(arm)}{target}"), *histograms, environment, table, *network, *faults]


def _table(*columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _network(network: Network) -> Table:
    table = _table("host", "address", "out", "in")
    table.caption = f"packets of up to {network.mtu} bytes"
    for host in network.hosts:
        table.add_row(host.name, host.address, _direction(host.out), _direction(host.in_))
    return table


def _direction(link: Direction) -> str:
    parts = [bandwidth_text(link.bandwidth)]
    if link.latency:
        jitter = f" ± {link.jitter * 1e3:g} ms" if link.jitter else ""
        parts.append(f"{link.latency * 1e3:g} ms{jitter}")
    if link.bandwidth is not None:
        parts.append(f"queue {link.queue}")
    return ", ".join(parts)


def _job(arm: Arm) -> str:
    job = arm.workload
    if job.script is not None:
        return _script(job, job.script)
    precision = job.amp.dtype if job.amp else "float32"
    data = f"{Path(job.model).name} on {job.dataset}, {_sizes(job)}, {_batch(job)}"
    what = f"{data}, {precision}, {_optimizer(job)}, {_hybridized(job)}"
    return f"{what}, {job.steps} steps ({job.warmup} warm-up), windows of {job.window}, {_sharing(job)}"


def _optimizer(job: Job) -> str:
    """Its name, and what is given to it."""
    given = job.optimizer.model_dump(exclude={"name", "schedule"}, exclude_none=True)
    schedule = ["schedule"] if job.optimizer.schedule is not None else []
    return f"{job.optimizer.name} ({', '.join([*(f'{name} {value}' for name, value in given.items()), *schedule])})"


def _hybridized(job: Job) -> str:
    if job.hybridize is None:
        return "not hybridized"
    flags = [name for name, given in job.hybridize.model_dump().items() if given]
    return f"hybridized with {' and '.join(flags)}" if flags else "hybridized"


def _sizes(job: Job) -> str:
    """Sizes, and how much of them is padding."""
    padding = f" ({job.padding:.0%} padding)" if job.padding else ""
    if job.widths:
        return f"{_span('height', job.sizes)}, {_span('width', job.widths)}{padding}"
    return f"{_span('size', job.sizes)}{padding}"


def _span(name: str, sizes: Sequence[int]) -> str:
    smallest, largest = min(sizes), max(sizes)
    return f"{name} {smallest}" if smallest == largest else f"{name}s {smallest} to {largest}"


def _batch(job: Job) -> str:
    if not job.batch_sizes:
        return f"batch {job.batch_size}"
    return f"batches of {min(job.batch_sizes)} to {max(job.batch_sizes)}, {job.batch_size} on average"


def _histogram(name: str, sizes: Sequence[int], steps: int | None) -> Text:
    """How often sizes come, a line for each, or each of up to `BINS` bins; steps go through them again and again."""
    whole, rest = divmod(steps or len(sizes), len(sizes))
    counts = Counter({size: whole * count for size, count in Counter(sizes).items()}) + Counter(sizes[:rest])
    if len(counts) > BINS:
        smallest, width = min(sizes), -(-(max(sizes) - min(sizes) + 1) // BINS)
        binned = Counter[int]()
        for size, count in counts.items():
            binned[smallest + (size - smallest) // width * width] += count
        counts = binned
        names = {first: f"{first}–{min(first + width - 1, max(sizes))}" for first in counts}
    else:
        names = {size: str(size) for size in counts}
    shares = ((names[first], count / counts.total()) for first, count in sorted(counts.items()))
    bars = (f"  {size:>11}  {'█' * round(share * BAR):{BAR}} {share:4.0%}" for size, share in shares)
    return Text("\n".join([f"{name} of steps:", *bars]))


def _script(job: Job, script: Script) -> str:
    steps = "until it ends" if job.steps is None else f"{job.steps} steps"
    what = " ".join([script.path, *script.args])
    return f"{what} in {script.folder}, {steps} ({job.warmup} warm-up), windows of {job.window}"


def _sharing(job: Job) -> str:
    """Which loop brings gradients together, over what."""
    settings = [f"kvstore {job.kvstore}"] if job.kvstore != "none" else []
    if job.update_on_kvstore is not None:
        settings.append(f"update_on_kvstore {str(job.update_on_kvstore).lower()}")
    if job.compression is not None:
        settings.append(f"{job.compression.type} compression, threshold {job.compression.threshold:g}")
    if job.horovod_compression != "none":
        settings.append(f"{job.horovod_compression} compression")
    return ", ".join([f"loop {job.loop}", *settings, f"contexts {' '.join(job.contexts)}"])


def _environment(variables: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(variables.items()))


def _fault(injection: Injection) -> str:
    part = injection.part
    at = "from its start"
    if injection.first_step is not None:
        at = f"before step {injection.first_step} of {injection.clock}"
    elif injection.begins_at is not None:
        at = f"at {injection.begins_at:g} s"
    elif injection.awaits is not None:
        at = "when {1} is {0}".format(*injection.awaits)
    own = part.model_dump(mode="json", exclude_none=True, exclude=set(Fault.model_fields) | {"for_"})
    fields = f" ({', '.join(f'{name} {value}' for name, value in own.items())})" if own else ""
    steps, seconds = part.life.steps, part.life.seconds
    for_ = f" for {steps} steps" if steps else f" for {seconds:g} s" if seconds else ""
    return f"{part.name}{fields} {injection.subject} {at}{for_}"
