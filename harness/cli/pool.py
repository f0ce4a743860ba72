"""``harness pool``."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.gpu.allocation_trace import AllocationTrace
    from harness.gpu.pool_settings import PoolSettings
    from harness.gpu.replay import Replay
    from harness.planning.plan import Arm

    Through = Callable[[PoolSettings], Replay]

HELP = "what MXNet's memory pools on GPUs make of a trace of allocations: simulated by their source, or on a GPU"
SCHEMA = "harness/pool/1"

RECORDING: Sequence[tuple[str, str]] = (
    ("workload.memory", "allocations"),
    ("target.env.MXNET_ENGINE_TYPE", "NaiveEngine"),
)
"""Changes of a scenario whose allocations are recorded: one after the other, so that their order is known."""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    replay = actions.add_parser("replay", help="with the settings that are given, or MXNet's defaults")
    setting = "a setting of the pool, as in MXNET_GPU_MEM_POOL_TYPE=Round; may be repeated"
    replay.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help=setting)
    best = actions.add_parser("best", help="with every setting that is worth a try, best first")
    record = actions.add_parser("record", help="run a scenario of one process, and write what it allocates and frees")
    record.add_argument("path", type=Path, metavar="SCENARIO", help="a scenario file, or one from `harness try`")
    record.add_argument("--arm", metavar="NAME", help="of a scenario with variants: which one")
    record.add_argument(
        "--write", type=Path, required=True, metavar="FILE", help="the trace; gzipped if it ends in .gz"
    )
    _options.add_changes(record)
    _options.add_results(record)
    for action in (replay, best):
        action.add_argument("trace", type=Path, metavar="TRACE", help="lines `a ID BYTES` and `f ID`, gzipped or not")
        memory = "memory of the GPU that is free for the process, as in 16GB; with --gpu, the rest is held meanwhile"
        action.add_argument("--gpu-memory", type=_options.size, metavar="SIZE", help=memory)
        whole = "all the memory that the GPU has (default: as much as --gpu-memory); MXNet reserves 5 %% of it"
        action.add_argument("--gpu-total", type=_options.size, metavar="SIZE", help=whole)
        real = "replay through MXNet's own pool on this GPU, each setting in a fresh process; no kernel is launched"
        action.add_argument("--gpu", type=_options.number, metavar="I", help=real)
        with_ = (
            "with --gpu: an interpreter with MXNet for GPUs (default: the one that `targets build --cuda 11` builds)"
        )
        action.add_argument("--python", metavar="PATH", help=with_)
        scale = "make every array so many times as large (default: 1)"
        action.add_argument("--scale", type=_options.factor, default=1.0, metavar="FACTOR", help=scale)
        _options.add_json(action)


def execute(arguments: argparse.Namespace) -> int:
    from harness.gpu import allocation_trace

    if arguments.action == "record":
        return _record(arguments)
    if arguments.gpu is None and (arguments.gpu_memory is None or arguments.python):
        needed = "--gpu-memory is needed" if arguments.gpu_memory is None else "--python does nothing"
        raise InputError(f"{needed} without --gpu: what is simulated has the memory that you say, and runs no MXNet")
    if arguments.gpu_total is not None and arguments.gpu_total < (arguments.gpu_memory or math.inf):
        raise InputError(
            "--gpu-total is the memory of the whole GPU, and --gpu-memory a part of it; give both, or neither"
        )
    trace = allocation_trace.read(arguments.trace)
    scaled = trace if arguments.scale == 1 else trace.scaled(arguments.scale)
    with _through(arguments, scaled) as pool:
        return {"replay": _replay, "best": _best}[arguments.action](arguments, scaled, pool)


@contextmanager
def _through(arguments: argparse.Namespace, trace: AllocationTrace) -> Iterator[Through]:
    """What replays the trace with a setting: the simulation, or a GPU."""
    import tempfile
    from dataclasses import replace

    from harness.gpu import allocation_trace, fitness, installed, simulation, wheels
    from harness.gpu.real_pool import RealPool
    from harness.scenario.schema import Target
    from harness.targets import environment, library, resolve

    if arguments.gpu is None:
        sizes = arguments.gpu_memory, arguments.gpu_total
        yield lambda settings: replace(
            simulation.simulate(trace, settings, *sizes), lasts_from=simulation.least_memory(trace, settings)
        )
        return
    if (misfit := next(fitness.misfits(installed.driver(), [arguments.gpu]), None)) is not None:
        raise InputError(f"{misfit.why}; leave --gpu out, and it is simulated")
    target = (
        Target(python=arguments.python)
        if arguments.python
        else Target(mxnet=environment.DEFAULT_MXNET, cuda=wheels.CUDA)
    )
    found = resolve.interpreter(target, lambda line: print(line, file=sys.stderr))
    code = library.machine_code_of(found)
    if code is None or not code.is_for_gpus:
        raise InputError(f"{found.python} has no MXNet with CUDA; leave --gpu out, and it is simulated")
    real = RealPool(found.python, found.env, arguments.gpu, environment.cache_folder().parent / "counting")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace"
        allocation_trace.write(trace, file)
        free, total = arguments.gpu_memory, arguments.gpu_total
        yield lambda settings: real.replay(file, len(trace.events), settings, free, total)


def _replay(arguments: argparse.Namespace, trace: AllocationTrace, through: Through) -> int:
    """1 where the trace runs out of memory."""
    from harness.gpu import pool_settings

    asked = _options.environment(arguments.env)
    found = through(pool_settings.from_environment(asked))
    for line in pool_settings.unused(asked):
        sys.stderr.write(f"{line}\n")
    _show(arguments, trace, [found])
    return 0 if found.failure is None else 1


def _best(arguments: argparse.Namespace, trace: AllocationTrace, through: Through) -> int:
    """1 where the trace runs out of memory with all of them."""
    from rich.progress import track

    from harness.cli._console import Console
    from harness.gpu import best_pool

    going = track(best_pool.candidates(), "settings", console=Console(stderr=True), transient=True)
    ranked = best_pool.ranked(list(map(through, going)))
    _show(arguments, trace, ranked)
    return 0 if ranked[0].failure is None else 1


def _record(arguments: argparse.Namespace) -> int:
    """1 where the run came to no end, and nothing was written."""
    from dataclasses import replace

    from harness.base.units import bytes_text
    from harness.cli import EXIT_INTERRUPTED, _running
    from harness.gpu import allocation_trace, profiled
    from harness.planning import validation
    from harness.scenario import load
    from harness.scenario.schema import Expect
    from harness.storage.run_folder import storage_error

    if arguments.write.exists():
        raise InputError(f"{arguments.write} is there already; give another file")
    _require_writable(arguments.write)
    ours = [path for path, _ in _options.changes(arguments) if path in dict(RECORDING)]
    if ours:
        raise InputError(f"{ours[0]} is what recording sets; leave it out")
    loaded = load.read(arguments.path, [*_options.changes(arguments), *RECORDING])
    planned = _options.planned(validation.checked(loaded), arguments)
    chosen = _arm(planned.plan.arms, arguments.arm)
    if len(chosen.roles) > 1:
        raise InputError(f"{arguments.path} has {len(chosen.roles)} processes; allocations are recorded of one")
    alone = planned.plan.model_copy(update={"arms": (chosen,), "expect": Expect()})
    run = _running.one(replace(planned, plan=alone), arguments.results)
    if run.verdict is None:
        sys.stderr.write("interrupted: no trace was written\n")
        return EXIT_INTERRUPTED
    (arm,) = run.verdict.arms
    if arm.ended is None or arm.ended.outcome != "completed":
        why = arm.ended.reason if arm.ended is not None else run.verdict.reason
        sys.stderr.write(f"no trace: the run came to no end: {why}; {_running.show(run)}\n")
        return 1
    with (run.folder.path / "logs" / arm.arm / "allocations-worker-0.json").open() as lines:
        trace = profiled.trace(loaded.name, lines)
    if arguments.write.exists():
        raise InputError(f"{arguments.write} was written by another meanwhile; record once more, to another file")
    try:
        allocation_trace.write(trace, arguments.write)
    except OSError as error:
        raise storage_error(error, arguments.write) from error
    print(f"{arguments.write}: {len(trace.events)} allocations and frees, {bytes_text(trace.peak)} live at most")
    if trace.others:
        print(f"left out: what is on {', '.join(trace.others)}; a trace is of one device")
    print(f"try: harness pool best {arguments.write} --gpu-memory 8GB")
    return 0


def _require_writable(file: Path) -> None:
    """InputError where nothing can be written to it: better before a training than after."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        beside.touch()
        beside.unlink()
    except OSError as error:
        raise InputError(f"{file} cannot be written: {(error.strerror or str(error)).lower()}") from error


def _arm(arms: Sequence[Arm], name: str | None) -> Arm:
    """The one that is asked for; the first that is not the control where there is no choice."""
    from harness.checks import CONTROL

    known = {arm.name: arm for arm in arms if arm.name != CONTROL}
    if name is None and len(known) == 1:
        return next(iter(known.values()))
    if name not in known:
        given = "give --arm" if name is None else f"{name!r} is no arm"
        raise InputError(f"{given}; there are {', '.join(known)}")
    return known[name]


def _show(arguments: argparse.Namespace, trace: AllocationTrace, found: Sequence[Replay]) -> None:
    import json

    from harness.cli._console import Console
    from harness.report.pools import conclusion, render

    if arguments.json:
        where = {"simulated": arguments.gpu is None, "gpu": arguments.gpu, "gpu_memory": arguments.gpu_memory}
        where |= {"gpu_total": arguments.gpu_total}
        head = {"schema": SCHEMA, **where, "trace": trace.name}
        print(json.dumps(head | {"settings": list(map(_row, found))}, indent=1))
    else:
        Console().print(render(trace, arguments.gpu_memory, found, arguments.gpu))
        Console().print(conclusion(found), highlight=False, soft_wrap=True)


def _row(found: Replay) -> Mapping[str, Any]:
    from dataclasses import asdict

    return asdict(found) | {"settings": found.settings.environment}
