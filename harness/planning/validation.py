"""Scenarios that can be planned: what their fields cannot tell alone is checked against the rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.base.errors import Problem, ScenarioError
from harness.planning import rules
from harness.scenario import load as scenarios
from harness.scenario.load import LoadedScenario
from harness.scenario.overrides import Override


def load(path: Path, changes: Sequence[Override] = ()) -> LoadedScenario:
    """A scenario file that can be planned; ScenarioError with every problem and its place."""
    return checked(scenarios.read(path, changes))


def checked(loaded: LoadedScenario) -> LoadedScenario:
    """The same, if no rule is broken; ScenarioError with all that are, those of the first arm that breaks any."""
    for variant, scenario in {"": loaded.scenario, **loaded.variants}.items():
        _raise([loaded.problem(variant, path, message) for path, message in rules.violations(scenario)])
    between = rules.violations_between(loaded.scenario, loaded.variants)
    _raise([loaded.problem("", path, message) for path, message in between])
    return loaded


def _raise(problems: Sequence[Problem]) -> None:
    if problems:
        raise ScenarioError(list(problems))
