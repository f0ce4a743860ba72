"""Random schedules of faults on dist_sync and Horovod, each run and then replayed: does the harness keep its promises?

It holds when every run and every replay gave a verdict that is not invalid, every fault is proven or superseded by an
earlier one, every replay had the same faults before the same steps and the same outcome, and no process is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import psutil

from harness.judging.verdict import Verdict
from harness.storage import history, run_folder
from harness.studies.study import Study, Trial
from harness.vocabulary.events import Injected

SCENARIO = """\
title: A random schedule
seed: {seed}
workload: {{model: mlp, dataset: digits, batch_size: 32, steps: 150, warmup: 20, checkpoint: {{every: 40}}}}
topology: {topology}
stall_timeout: 6s
control: false
faults:
  - pause: {{select: {{mode: one}}, random: {{rate: 1%}}, for: {{time: 200ms}}}}
  - slow: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}, for: {{steps: 10}}, factor: 3, tolerance: 50%}}
  - loss: {{select: {{mode: one}}, random: {{rate: 0.5%}}, for: {{steps: 10}}, share: 5%}}
  - latency: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}, for: {{steps: 10}}, by: 5ms, tolerance: 60%}}
  - partition: {{select: {{role: worker, mode: one}}, random: {{rate: 0.5%}}, for: {{time: 500ms}}, direction: out}}
  - stale: {{select: {{role: worker, mode: one}}, random: {{rate: 1%}}}}
  - cpu_hog: {{select: {{role: worker, mode: one}}, random: {{rate: 0.3%}}, for: {{steps: 10}}}}
  - restart: {{select: {{role: worker, mode: one}}, random: {{rate: 0.3%}}, after: 300ms, scope: job}}
  - kill: {{select: {{mode: one}}, random: {{rate: 0.2%}}}}
"""
TOPOLOGIES = ("{kvstore: dist_sync, workers: 2, servers: 1, network: {}}", "{horovod: {ranks: 2}, network: {}}")
Account = tuple[str, list[tuple[int, int | None]]]
"""The outcome, and which fault began before which step."""


class Soak(Study):
    """One random schedule a seed. Runs come first, replays of those that gave a verdict after them."""

    name: ClassVar[str] = "soak"

    def __init__(self, results: Path, seeds: Sequence[int]) -> None:
        self._results, self._seeds = results, list(seeds)
        self._runs: dict[int, str] = {}
        self._accounts: dict[str, Account | None] = {}
        self._own: set[str] = set()
        self.wrong: list[str] = []
        """What did not hold, a sentence each."""

    @property
    def question(self) -> Mapping[str, Any]:
        return {"seeds": self._seeds}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Soak:
        return cls(results, question["seeds"])

    @property
    def total(self) -> int:
        return 2 * len(self._seeds)

    def wanted(self) -> Sequence[Trial]:
        first = [Trial(f"run-{seed}", _text(seed)) for seed in self._seeds if f"run-{seed}" not in self._accounts]
        again = [
            Trial(f"replay-{seed}", replay=run)
            for seed, run in self._runs.items()
            if f"replay-{seed}" not in self._accounts
        ]
        return first or again

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        kind, _, number = key.partition("-")
        if verdict is None:
            self._accounts[key] = None
            self.wrong.append(f"{key}: {failure}")
            return f"{key}: {failure}"
        self._own.add(verdict.run)
        self._accounts[key] = self._account(verdict)
        self.wrong += _defects(key, verdict)
        if kind == "run":
            self._runs[int(number)] = verdict.run
        else:
            self._compare(int(number))
        receipts = verdict.arms[-1].receipts
        proven = sum(receipt.proven for receipt in receipts)
        return f"{key}: {self._accounts[key][0]}, {proven} of {len(receipts)} faults proven"  # type: ignore[index]

    def _account(self, verdict: Verdict) -> Account:
        ended = verdict.arms[-1].ended
        past = history.read(run_folder.find(self._results, verdict.run).path / "history.jsonl")
        begun = {(event.fault, event.step) for event in past if isinstance(event, Injected)}
        faults = sorted(begun, key=lambda pair: (pair[0], -1 if pair[1] is None else pair[1]))
        return ended.outcome if ended else "unknown", faults

    def _compare(self, seed: int) -> None:
        before, after = self._accounts[f"run-{seed}"], self._accounts[f"replay-{seed}"]
        if before != after:
            self.wrong.append(f"seed {seed}: {before} became {after}")

    def processes_left(self) -> list[str]:
        """Processes that still name the folder of one of its runs, with what they are; for when it is through."""
        folders = [str(self._results.absolute() / "runs" / run) for run in sorted(self._own)]
        lines = {process.pid: process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])}
        left = {pid: line for pid, line in lines.items() if any(folder in " ".join(line) for folder in folders)}
        return [f"{pid} ({' '.join(line[-2:])})" for pid, line in left.items()]

    @property
    def in_words(self) -> str:
        return f"{len(self._accounts)} of {self.total} runs and replays, {len(self.wrong) or 'nothing'} wrong"

    def summary(self) -> Mapping[str, Any]:
        return {"runs": len(self._runs), "answers": len(self._accounts), "wrong": self.wrong}


def _text(seed: int) -> str:
    return SCENARIO.format(seed=seed, topology=TOPOLOGIES[seed % len(TOPOLOGIES)])


def _defects(key: str, verdict: Verdict) -> Iterator[str]:
    """What no schedule may lead to."""
    ended = verdict.arms[-1].ended
    if not verdict.trusted or verdict.verdict == "unknown" or ended is None or ended.outcome == "refused":
        yield f"{key}: {verdict.reason}"
