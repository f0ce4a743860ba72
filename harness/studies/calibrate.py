"""How noisy this machine is: the same against the same, many times, and a planted slowness that has to be found.

Whole runs tell what medians of one job differ by from run to run, which later verdicts here rest on. Duets, most of two
sides that are alike, some of two of which one takes so much longer, tell what comparisons see, and how often they see
what is not there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, ClassVar

from harness.execution.interruption import Interruption
from harness.judging.verdict import Verdict
from harness.statistics.sequential import LEVEL, MIN_VALUES, caution, shown
from harness.storage import calibration, history, run_folder
from harness.studies import in_process, pairs, sides
from harness.studies.evidence import GUARD, GUARDED, GUARDS
from harness.studies.pairs import Pair
from harness.studies.redrawn import answers, centred
from harness.studies.sides import Side, Sides
from harness.studies.study import Study, Trial
from harness.studies.study_folder import Answer, StudyFolder

MINUTES = (1, 3, 5, 10)
SAME, PLANTED, PLANTED_EVERY = "b", "c", 4
"""The other side of a duet, by its kind, and how many duets have one that is planted."""

LEAST_RUNS, LEAST_DUETS = 6, 8
"""That runs tell what differs between them, and duets what comparisons see, where nothing disturbs them."""

LONG = 3
"""Times as long between two runs as usual: a calibration that was gone on with."""

_SLOW_BEYOND = 1.645
"""Standard deviations of one less the ratio of both, for independent normal medians."""

DRAWN_FROM, BEFORE = 20, 2
"""The least duets that comparisons are drawn anew from, and what a comparison spends, in pairs, on meaning."""


class Calibrate(Study):
    """So many runs of a scenario one after the other, and so many duets of it with itself."""

    name: ClassVar[str] = calibration.NAME

    def __init__(self, scenario: Sides, runs: int, duets: int, resolve: float = pairs.RESOLVE) -> None:
        self.scenario = Sides(scenario.name, scenario.values, ())
        self._runs, self._duets, self.resolve = runs, duets, resolve
        self.rates: list[float] = []
        self.began: list[float] = []
        self.within: list[float] = []
        self.turns: list[float] = []
        self.disturbed = 0
        self.pairs: list[Pair] = []
        self.failures: list[str] = []
        self._done: set[str] = set()
        self._step = 0.0
        self._machine: dict[str, Any] = {}
        self._ran: dict[str, Any] = {}
        self._changed = ""
        self._job: Mapping[str, Any] | None = None

    @property
    def question(self) -> Mapping[str, Any]:
        asked = {"runs": self._runs, "duets": self._duets, "resolve": self.resolve}
        return {"name": self.scenario.name, "values": self.scenario.values, **asked}

    @classmethod
    def asked(cls, question: Mapping[str, Any], results: Path) -> Calibrate:
        return cls(
            sides.parsed(question["name"], question["values"], ()),
            *(question[name] for name in ("runs", "duets", "resolve")),
        )

    @property
    def total(self) -> int:
        return self._runs + self._duets

    def wanted(self) -> Sequence[Trial]:
        """Runs and duets by turns, so that both see the machine at all times; the first run tells the steps' time."""
        if len(self.failures) > 2 or self._changed:
            return []
        keys, others = self._keys[: self._runs], self._keys[self._runs :]
        mixed = sorted(
            [*keys, *others], key=lambda key: (_number(key) / len(keys if key in keys else others), key < "e")
        )
        waiting = [key for key in mixed if key not in self._done]
        return [self._trial(key) for key in waiting[:1]]

    @property
    def _keys(self) -> list[str]:
        runs = [f"run-{number:03d}" for number in range(self._runs)]
        return [*runs, *(f"duet-{number:03d}" for number in range(self._duets))]

    def _trial(self, key: str) -> Trial:
        number = _number(key)
        if key.startswith("run"):
            return Trial(key, self.scenario.alone(number))
        return Trial(key, pairs.duet(self._sides(number), number, self._step, self.resolve, {}, False))

    def _sides(self, number: int) -> Sides:
        """Of a duet: the same beside the same, or, every fourth time, a planted slowness."""
        planted = number % PLANTED_EVERY == PLANTED_EVERY - 1
        other = Side(PLANTED, {"workload.burden": self.resolve}) if planted else Side(SAME, {})
        return replace(self.scenario, sides=(Side("a", {}), other))

    def run(
        self, trials: Sequence[Trial], folder: StudyFolder, interruption: Interruption, most: int | None
    ) -> Iterator[Answer]:
        """Run trials one after the other, in this process; InputError where this machine cannot run them."""
        yield from in_process.run(trials, folder, self.scenario.name, interruption)

    def counts(self, verdict: Verdict) -> bool:
        """What failed is tried again, with failures counted anew."""
        ends = {arm.ended.outcome if arm.ended else "unknown" for arm in verdict.arms}
        return verdict.trusted and ends == {"completed"} and not self._differing(self._ran_of(verdict))

    def _ran_of(self, verdict: Verdict) -> Mapping[str, Any]:
        if self.folder is None:
            return {}
        return pairs.what_ran(run_folder.find(self.folder.results, verdict.run), verdict.facts)

    def add(self, key: str, verdict: Verdict | None, failure: str) -> str:
        if key not in self._keys:
            raise LookupError(key)
        if verdict is None or self.folder is None:
            self._done.add(key)
            return self._failed(key, failure)
        ran = self._ran_of(verdict)
        if changed := self._differing(ran):
            self._changed = f"{changed[0]} is not what it was when this was begun; begin a new calibration"
            return self._failed(key, self._changed)
        if not self.counts(verdict):
            self._done.add(key)
            return self._failed(key, verdict.reason)
        self._ran = {**ran, **self._ran}
        machine, folder = calibration.machine(verdict.facts), run_folder.find(self.folder.results, verdict.run)
        began, seconds = pairs.began(folder), pairs.seconds_of(folder)
        self._done.add(key)
        self._machine, self._job = machine, folder.plan().job(verdict.facts)
        if key.startswith("duet"):
            pair = pairs.pair_of(verdict, seconds, self._sides(_number(key)), True)
            return self._add_duet(key, pair, verdict.arms[0].get("throughput").samples)
        throughput = verdict.arms[0].get("throughput")
        if len(throughput.samples) < 2 or not min(throughput.samples) > 0:
            return self._failed(key, throughput.note or "too few windows: give more steps, or a smaller window")
        self.disturbed += bool(pairs.disturbance(verdict.facts))
        self.rates.append(throughput.value or 0.0)
        self.began.append(began)
        self.within.append(stdev(map(math.log, throughput.samples)))
        self._step = self._step or pairs.step_seconds(history.read(folder.path / "history.jsonl"))
        return f"{key}: {self.rates[-1]:.4g} {throughput.unit}"

    def _differing(self, ran: Mapping[str, Any]) -> list[str]:
        """By what its numbers are of another machine, or of other software, than those before."""
        return [name for name, before in self._ran.items() if name in ran and ran[name] != before]

    def _add_duet(self, key: str, pair: Pair, turns: Sequence[float] = ()) -> str:
        if not (pair.effects.get(GUARDED) and pair.effects.get(GUARD)):
            return self._failed(key, "a side has no throughput in some turn")
        self.pairs.append(pair)
        self.turns += [stdev(map(math.log, turns))] if len(turns) > 1 and min(turns) > 0 else []
        ((side, effect),) = pair.effects[GUARDED].items()
        doubt = f" ({pair.disturbed})" if pair.disturbed else ""
        return f"{key}: {'the same' if side == SAME else 'planted'} {math.expm1(effect):+.2%}{doubt}"

    def _failed(self, key: str, why: str) -> str:
        self.failures.append(why)
        return f"{key}: {why}"

    def effects(self, side: str, measure: str = GUARDED) -> list[float]:
        """Of a measure of a side beside the first, a number for each duet of that kind."""
        each = [pair.effects[measure] for pair in pairs.counted(self.pairs)]
        return [effect[side] for effect in each if side in effect]

    @property
    def between_runs(self) -> dict[str, float] | None:
        """What medians differ by from run to run: the standard deviation of their logarithms, and its upper bound.

        The bound holds with 90 % confidence for normal medians; verdicts take it. None below 6 runs.
        """
        if len(self.rates) < LEAST_RUNS:
            return None
        from scipy.special import chdtri

        found, degrees = stdev(map(math.log, self.rates)), len(self.rates) - 1
        return {"n": len(self.rates), "sd": found, "upper": found * math.sqrt(degrees / float(chdtri(degrees, 0.9)))}

    @property
    def over_time(self) -> dict[str, float | None] | None:
        """Standard deviations of logarithms of runs' medians: of neighbours, and of what changes slowly; over how long.

        Half the mean square of successive differences has hardly any of a slow change in it; where it is less than the
        variance by no more than chance explains (5 %, one-sided), none was seen (von Neumann 1941,
        doi:10.1214/aoms/1177731677). Runs with a long gap between them are no neighbours. None below 6 runs.
        """
        n = len(self.rates)
        if n < LEAST_RUNS:
            return None
        logs, gaps = list(map(math.log, self.rates)), [after - before for before, after in pairwise(self.began)]
        steps = zip(pairwise(logs), gaps, strict=True)
        near = fmean((after - before) ** 2 for (before, after), gap in steps if gap <= LONG * median(gaps)) / 2
        whole = stdev(logs) ** 2
        seen = whole - near > _SLOW_BEYOND * math.sqrt((n - 2) / (n * n - 1)) * whole
        hours = (max(self.began) - min(self.began)) / 3600
        return {"neighbours": math.sqrt(near), "slow": math.sqrt(whole - near) if seen else None, "hours": hours}

    def summary(self) -> Mapping[str, Any]:
        known = {"scenario": self.scenario.name, "machine": self._machine, "job": self._job}
        noise = {"between_runs": self.between_runs, "over_time": self.over_time}
        found = {**noise, "rates": self.rates, "within_runs": self.within, "within_duets": self.turns}
        told = {"disturbed_runs": self.disturbed, "duets": self._of_duets(), "failures": self.failures}
        return {**known, **found, **told}

    def _of_duets(self) -> Mapping[str, Any]:
        same, planted = self.effects(SAME), self.effects(PLANTED)
        if len(same) < MIN_VALUES or len(planted) < 2:
            return {"n": len(self.pairs)}
        each, sd = fmean(pair.seconds for pair in self.pairs), stdev(same)
        most, level = sd * caution(len(same)), LEVEL * (1 - GUARDS)  # as comparisons take them
        lasting = each * len(self.pairs) / len(pairs.counted(self.pairs))
        counts = {minutes: max(1, int(60 * minutes / lasting) - BEFORE) for minutes in MINUTES}
        guards = {side: self.effects(side, GUARD) for side in (SAME, PLANTED)}
        scatter = [*centred(same, guards[SAME]), *centred(planted, guards[PLANTED])]
        kinds = {"same": 0.0, "planted": -math.log1p(self.resolve)} if len(self.pairs) >= DRAWN_FROM else {}
        return {
            "n": len(same) + len(planted),
            "disturbed": sum(bool(pair.disturbed) for pair in self.pairs),
            "seconds_each": lasting,
            "same": {"mean": fmean(same), "sd": sd, "effects": same, "guards": guards[SAME]},
            "planted": {
                "asked": -math.log1p(self.resolve),
                "mean": fmean(planted),
                "sd": stdev(planted),
                "effects": planted,
                "guards": guards[PLANTED],
            },
            "detectable": {str(at): shown(n, most, level) if n >= MIN_VALUES else None for at, n in counts.items()},
            "answers": {
                str(minutes): {kind: asdict(answers(scatter, n, self.resolve, mean)) for kind, mean in kinds.items()}
                for minutes, n in counts.items()
            },
        }

    @property
    def in_words(self) -> str:
        between = self.between_runs
        runs = f"{between['sd']:.1%} from run to run" if between else "too few runs"
        effects = self.effects(SAME)
        return f"{self.scenario.name}: {runs}; {stdev(effects):.2%} from duet to duet" if len(effects) > 1 else runs


def _number(key: str) -> int:
    return int(key.partition("-")[2])
