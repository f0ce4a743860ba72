"""What is compared: a scenario with some changes, and the scenarios that runs of all sides together are."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import yaml

from harness.base.errors import InputError, ScenarioError
from harness.planning import validation
from harness.scenario import anchored, model_file, models, overrides
from harness.scenario import load as scenarios
from harness.scenario.load import VARIABLE, LoadedScenario, of_environment, replaced
from harness.scenario.overrides import Override
from harness.scenario.schema import OF_OUR_LOOP, SEEDS, Target

_HELD_BACK = "held_back"

AGAIN = "again"
"""The first side once more: what it does not repeat itself, nobody else needs to."""

REPEATS = ("again-2", "again-3", "again-4", "again-5")
"""And some more times, where it does not."""

ROUNDED = ("rounded-1", "rounded-2", "rounded-3", "rounded-4", "rounded-5")
"""The first side with other rounding: with steps a little longer or shorter, with sums in another order, with both."""

_LONGER, _UNITS = (1e-5, -1e-5), {"float16": 2.0**-10, "bfloat16": 2.0**-7}
"""By which steps are longer: what sums of float32 differ by, a hundredth of what passes for rounding in parameters.

With AMP also one unit of its type's last place.
"""

_PLAIN = {"target.env.MXNET_MKLDNN_ENABLED": "0", "target.env.MXNET_ONEDNN_ENABLED": "0"}
"""Without oneDNN what it has code for is summed in another order."""

_OF_ONEDNN, _OF_STEPS = re.compile("MKLDNN|ONEDNN|SUBGRAPH"), re.compile("optimizer|amp|batch_size")

LEFT_OUT = ("variants", "expect", "repeat", "seeds", "turns")
"""What does not matter where sides are compared."""
_ALONE: Mapping[str, Any] = {"variants": {}, "expect": {}, "turns": None}
"""What a side has where it stands for itself."""

DECIDED = (
    "workload.steps",
    "workload.warmup",
    "workload.window",
    "workload.target_loss",
    "workload.held_back",
    "workload.digest_every",
    "seed",
)


_WORKERS = ("topology.workers", "topology.horovod")


@dataclass(frozen=True)
class Side:
    """A name, and the fields that it changes."""

    name: str
    fields: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Its changes in words."""
        return ", ".join(f"{path}={_written(value)}" for path, value in self.fields.items()) or "as it is"


@dataclass(frozen=True)
class Sides:
    """A scenario as plain values, and two sides of it or more; the first is what others are compared with."""

    name: str
    values: Mapping[str, Any]
    sides: tuple[Side, ...]

    @property
    def has_faults(self) -> bool:
        """Whether any side has faults, so that sides cannot take turns."""
        return bool(self.values.get("faults")) or any(path.startswith("faults") for path in self._changed)

    @property
    def has_checkpoints(self) -> bool:
        """Whether any side writes them, which takes others' time where sides take turns."""
        whole = [self.values["workload"], *(side.fields.get("workload") for side in self.sides)]
        given = any(isinstance(each, Mapping) and each.get("checkpoint") is not None for each in whole)
        return given or any(path.startswith("workload.checkpoint") for path in self._changed)

    @property
    def has_several_workers(self) -> bool:
        """Whether any side may have them."""
        topology = self.values.get("topology") or {}
        several = (topology.get("workers") or 1) > 1 or "horovod" in topology
        return several or any(path == "topology" or path.startswith(_WORKERS) for path in self._changed)

    @property
    def has_network(self) -> bool:
        """Whether any side has links that bytes are counted on."""
        whole = [self.values.get("topology"), *(side.fields.get("topology") for side in self.sides)]
        given = any(isinstance(each, Mapping) and each.get("network") is not None for each in whole)
        return given or any(path.startswith("topology.network") for path in self._changed)

    @property
    def _changed(self) -> set[str]:
        return {path for side in self.sides for path in side.fields}

    def meaning(self, steps: int) -> str:
        """The scenario of a short run of each side, one after the other, with every parameter hashed in every step.

        Faults are left out: they would not meet the same steps.
        """
        sides = {side.name: _without_faults(side.fields) for side in self.sides}
        first = self.sides[0].name
        return self._short({first: sides[first], AGAIN: sides[first], **sides}, steps)

    def repeated(self, steps: int) -> str:
        """The scenario of such a run of the first side, some more times."""
        fields = _without_faults(self.sides[0].fields)
        return self._short(dict.fromkeys(REPEATS, fields), steps)

    def once_more(self, steps: int, names: Collection[str]) -> str:
        """The scenario of such a run of the first side, and of these."""
        first, *others = self.sides
        again = (first, *(side for side in others if side.name in names))
        return self._short({side.name: _without_faults(side.fields) for side in again}, steps)

    def rounded(self, steps: int) -> str | None:
        """The scenario of such runs of the first side with other rounding; None where there is no way to have it."""
        fields, rates = _without_faults(self.sides[0].fields), self._longer_rates(steps)
        longer = [{"workload.optimizer.learning_rate": rate} for rate in rates]
        plain: list[dict[str, Any]] = (
            [] if self._asks_of(_OF_ONEDNN) else [{**_PLAIN, **way} for way in ({}, *longer[:1])]
        )
        arms = {name: {**fields, **way} for name, way in zip(ROUNDED, [*longer, *plain], strict=False)}
        return self._short({AGAIN: fields, **arms} if len(arms) == 1 else arms, steps) if arms else None

    def _asks_of(self, what: re.Pattern[str]) -> bool:
        return any(what.search(f"{path} {value}") for side in self.sides for path, value in side.fields.items())

    def _longer_rates(self, steps: int) -> list[float]:
        """The learning rate of the first side, and a little more or less.

        None where a script has its own; nothing of AMP's unit where steps may be what is asked about.
        """
        own = checked(self.meaning(steps), self.name).arms[self.sides[0].name].workload
        if own.script is not None:
            return []
        of_amp = [] if own.amp is None or self._asks_of(_OF_STEPS) else [_UNITS[own.amp.dtype]]
        return [own.optimizer.learning_rate * (1 + unit) for unit in (*_LONGER, *of_amp)]

    def _short(self, sides: Mapping[str, Any], steps: int) -> str:
        workload = {"steps": steps, "warmup": 0, "window": max(1, steps // 4), "digest_every": 1}
        return self._text("are the numbers the same?", sides, workload, faults=[], **_starting(True))

    def duet(self, number: int, turn: int, turns: int, warmup: int, workload: Mapping[str, Any], quick: bool) -> str:
        """The scenario of pair ``number``: all sides take turns of so many steps, after some turns of warm-up."""
        steps = {"steps": turn * (turns + warmup), "warmup": turn * warmup, "window": turn}
        more = {"turns": turn, **_starting(quick)}
        return self._text("which is faster?", self._started(number), {**workload, **steps}, number, **more)

    def apart(self, number: int, workload: Mapping[str, Any], quick: bool | None) -> str:
        """The scenario of pair ``number`` where sides run one after the other, in an order that is drawn."""
        return self._text("which is faster?", self._started(number), workload, number, **_starting(quick))

    def _started(self, number: int) -> dict[str, Mapping[str, Any]]:
        """The fields of each side; which is started first is drawn anew for each pair.

        What starts gets the memory that was given back last: where sides took turns in being the first, each would have
        the same in all pairs.
        """
        order = Random(f"{self.values.get('seed', 0)} {number}").sample(self.sides, len(self.sides))
        return {side.name: side.fields for side in order}

    def alone(self, number: int) -> str:
        """The scenario as it is, once, with the seed of its number."""
        return self._text("once more", {}, {}, number, control=False)

    def _possible(self, workload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Without what a script, or a network's file, decides itself."""
        own = self.values["workload"]
        if own.get("script") is not None:
            return {field: value for field, value in workload.items() if field not in OF_OUR_LOOP}
        file = models.file_of(own.get("model") or "")
        no_dataset = file is not None and model_file.read(file).facts.own_batches
        others = {field: value for field, value in workload.items() if field != _HELD_BACK}
        if no_dataset or _HELD_BACK not in workload:
            return others
        return {**others, _HELD_BACK: self.held_back(workload[_HELD_BACK])}

    def held_back(self, asked: int) -> int:
        """Samples: as many as the scenario says, or as are asked for; a quarter of those that are too few for that."""
        own = self.values["workload"]
        known = own.get("samples")
        few = known is not None and known < 2 * asked
        return int(own.get(_HELD_BACK) or (known // 4 if few else asked))

    def _text(
        self, asked: str, sides: Mapping[str, Any], workload: Mapping[str, Any], number: int = 0, **more: Any
    ) -> str:
        values = copy.deepcopy(dict(self.values))
        values["title"] = f"{values['title']} ({asked})"[-200:]
        values["seed"] = (values.get("seed", 0) + number) % SEEDS
        values["workload"] = {**values["workload"], **self._possible(workload)}
        if sides:
            values["variants"] = {name: dict(fields) for name, fields in sides.items()}
        return yaml.safe_dump({**values, **more}, sort_keys=False, allow_unicode=True)


def _starting(quick: bool | None) -> dict[str, bool]:
    """Sooner than production does, as that does, or, where it is None, as the scenario says."""
    return {} if quick is None else {"quick_start": quick}


def read(path: Path, changes: Sequence[Override], sides: Mapping[str, Sequence[str]]) -> Sides:
    """A scenario file and the sides, by option, that these describe: ``FIELD=VALUE``, a variant's name; none: as it is.

    ScenarioError or InputError for what cannot be run, with its place; two sides that are alike are allowed.
    """
    validation.load(path, changes)
    whole = overrides.apply(anchored.read(path), changes)
    variants = whole.values.get("variants") or {}
    found = tuple(
        Side(name, _fields(texts, variants, option))
        for name, (option, texts) in zip(_names(sides, variants), sides.items(), strict=True)
    )
    for option, side in zip(sides, found, strict=True):
        _require_possible(path, changes, side, option)
    values = {key: value for key, value in whole.values.items() if key not in LEFT_OUT}
    return Sides(path.stem, values, found)


def whole(path: Path) -> dict[str, Any]:
    """A scenario file as plain values, with all that it has; ScenarioError for what cannot be run, with its place."""
    validation.load(path, [])
    return dict(anchored.read(path).values)


def parsed(name: str, values: Mapping[str, Any], sides: Sequence[Mapping[str, Any]]) -> Sides:
    """The same from what was stored: of each side its name and fields, in order, as the first is what others meet."""
    return Sides(name, dict(values), tuple(Side(each["name"], dict(each["fields"])) for each in sides))


def aimed(values: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """The same scenario for a target, in place of its own; variables of its environment that it does not name stay."""
    own = values.get("target") or {}
    given = target.model_dump(mode="json", exclude_none=True)
    return {**values, "target": {**given, "env": {**own.get("env", {}), **given.get("env", {})}}}


def side_fields(target: Target) -> dict[str, Any]:
    """What a side changes so that it is of a target."""
    given = target.model_dump(mode="json", exclude_none=True)
    env = given.pop("env", {})
    fields = {f"target.{name}": value for name, value in given.items()}
    return {**fields, **{f"target.env.{name}": value for name, value in env.items()}}


def without_target(values: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario whose sides say which MXNet they are of; variables of its environment stay."""
    env = (values.get("target") or {}).get("env", {})
    return {**{key: value for key, value in values.items() if key not in LEFT_OUT}, "target": {"env": env}}


def checked(text: str, name: str) -> LoadedScenario:
    """A scenario that was made here, if it can be planned; ScenarioError for sides that do not go together."""
    return validation.checked(scenarios.parse(text, name))


def _names(sides: Mapping[str, Sequence[str]], variants: Mapping[str, Any]) -> list[str]:
    """Letters; or the variants' own names, where each other side is just one."""
    letters = [*sides]
    names = [texts[0] if len(texts) == 1 and texts[0] in variants else "" for texts in sides.values()]
    named = [name or letter for name, letter in zip(names, letters, strict=True)]
    ours = {AGAIN, *REPEATS, *ROUNDED}
    return named if len({*named, *ours}) == len(named) + len(ours) else letters


def _fields(texts: Sequence[str], variants: Mapping[str, Any], option: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for text in texts:
        if "=" in text:
            path, value = overrides.from_option(text, option)
            fields[path] = value
        elif text in variants:
            fields.update(variants[text])
        else:
            known = f"; its variants are {', '.join(variants)}" if variants else "; it has no variants"
            raise InputError(f"{text!r} is neither FIELD=VALUE nor a variant of the scenario{known}")
    return fields


def _require_possible(path: Path, changes: Sequence[Override], side: Side, option: str) -> None:
    possible = [each for each in VARIABLE if each not in DECIDED]
    for field in side.fields:
        if not any(field == root or field.startswith(f"{root}.") for root in VARIABLE):
            what = f"what can are {', '.join(possible)} and their fields"
            meant = f"did you mean target.env.{field}?" if of_environment(field) else what
            raise InputError(f"{field} cannot differ between sides; {meant}")
        if field in DECIDED:
            raise InputError(f"{field} is the same for all sides; give it with --set")
        if within := [decided for decided in DECIDED if decided.startswith(f"{field}.")]:
            raise InputError(f"{field} as a whole has {within[0]}, which is the same for all sides; name its fields")
    if {"target.mxnet", "target.python"} <= side.fields.keys():
        both = "target.mxnet or target.python, not both: that python has its own mxnet"
        raise InputError(f"side {side.name}: give {both}")
    alone = [(name, empty) for name, empty in _ALONE.items() if name in _given(path, changes)]
    own = [change for field, value in side.fields.items() for change in (*replaced(field), (field, value))]
    try:
        validation.load(path, [*changes, *alone, *own])
    except ScenarioError as error:
        raise ScenarioError([overrides.of_option(each, option, side.fields) for each in error.problems]) from error


def _without_faults(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {path: value for path, value in fields.items() if not path.startswith("faults")}


def _given(path: Path, changes: Sequence[Override]) -> Collection[str]:
    values = overrides.apply(anchored.read(path), changes).values
    return values if isinstance(values, dict) else ()


def _written(value: Any) -> str:
    return yaml.safe_dump(value, default_flow_style=True).strip().removesuffix("...").strip()
