"""Random schedules on dist_sync and Horovod, each replayed: ``python -m tests.soak RUNS [SEED…]``.

``make soak`` runs 200; with seeds, only these. Passes when every run and every replay gave a verdict, every replay had
the same faults before the same steps and the same outcome, and no process is left.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from harness import batch, history, store
from harness.events import Injected
from harness.store import RunFolder

SCENARIO = """\
title: A random schedule
seed: {seed}
workload: {{model: mlp, dataset: digits, batch_size: 32, steps: 150, warmup: 20, checkpoint: {{every: 40}}}}
topology: {topology}
stall_timeout: 6s
faults:
  - pause: {{select: {{mode: one}}, random: {{rate: 1%}}, for: {{time: 200ms}}}}
  - slow: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}, for: {{steps: 10}}, factor: 3}}
  - loss: {{select: {{mode: one}}, random: {{rate: 0.5%}}, for: {{steps: 10}}, share: 5%}}
  - latency: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}, for: {{steps: 10}}, by: 2ms}}
  - partition: {{select: {{role: worker, mode: one}}, random: {{rate: 0.5%}}, for: {{time: 300ms}}, direction: out}}
  - stale: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}}}
  - cpu_hog: {{select: {{role: worker, mode: one}}, random: {{rate: 0.3%}}, for: {{steps: 10}}}}
  - restart: {{select: {{role: worker, mode: one}}, random: {{rate: 0.3%}}, after: 300ms, scope: job}}
  - kill: {{select: {{mode: one}}, random: {{rate: 0.2%}}}}
"""
TOPOLOGIES = ("{kvstore: dist_sync, workers: 2, servers: 1, network: {}}", "{horovod: {ranks: 2}, network: {}}")


def main(seeds: Sequence[int]) -> int:
    """Run, replay, compare; the number of what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        return sum(_say(wrong) for wrong in _wrong(seeds, Path(folder)))


def _say(wrong: str) -> int:
    sys.stderr.write(f"WRONG: {wrong}\n")
    return 1


def _wrong(seeds: Sequence[int], folder: Path) -> Iterator[str]:
    files = []
    for seed in seeds:
        files.append(folder / f"random-{seed}.yaml")
        files[-1].write_text(SCENARIO.format(seed=seed, topology=TOPOLOGIES[seed % len(TOPOLOGIES)]))
    first = yield from _all("run", [str(file) for file in files], folder)
    again = yield from _all("replay", [verdict["run"] for verdict in first.values()], folder)
    for place, (seed, before) in enumerate(first.items()):
        if place not in again:
            continue
        mine, theirs = (_account(folder, verdict) for verdict in (before, again[place]))
        if mine != theirs:
            yield f"seed {seed}: {mine} became {theirs}"
    left = [one.pid for one in psutil.process_iter(["cmdline"]) if str(folder) in " ".join(one.info["cmdline"] or [])]
    if left:
        yield f"processes are left: {left}"


def _all(verb: str, what: list[str], folder: Path) -> Generator[str, None, dict[int, Any]]:
    """Verdicts by number; yields what went wrong."""
    began, verdicts = time.monotonic(), {}
    for done in batch.run_all(verb, what, ["--results", str(folder / "results")]):
        if done.verdict is None:
            yield f"{verb} {done.number}: {done.failure}"
            continue
        verdicts[done.number] = done.verdict
        arm = done.verdict["arms"][-1]
        if done.verdict["verdict"] == "unknown" or arm["outcome"] in (None, "aborted", "refused"):
            yield f"{verb} {done.number}: {done.verdict['reason']}"
        faults = len(arm["receipts"])
        said = f"{arm['outcome']}, {sum(one['proven'] for one in arm['receipts'])} of {faults} faults proven"
        sys.stderr.write(f"{verb} {len(verdicts)}/{len(what)} after {time.monotonic() - began:.0f} s: {said}\n")
    return dict(sorted(verdicts.items()))


def _account(folder: Path, verdict: dict[str, Any]) -> tuple[str, list[tuple[int, int | None]]]:
    """The outcome, and which fault began before which step."""
    run: RunFolder = store.find(folder / "results", verdict["run"])
    past = history.read(run.path / "history.jsonl")
    faults = sorted((event.fault, event.step) for event in past if isinstance(event, Injected))
    return verdict["arms"][-1]["outcome"], faults


if __name__ == "__main__":
    runs, *chosen = map(int, sys.argv[1:])
    sys.exit(main(chosen or range(runs)) != 0)
