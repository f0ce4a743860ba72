"""Words about settings that do nothing, or more than one may think."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.checks import MAIN
from harness.cli._console import Console
from harness.planning.plan import Arm, Plan
from harness.scenario import model_file, models
from harness.scenario.schema import Target
from harness.targets import inherited, unread
from harness.targets.interpreter import Interpreter
from harness.targets.settings import does_nothing


def warn_of_unread(say: Console, plan: Plan, interpreters: Mapping[str, Interpreter | None]) -> dict[str, str]:
    """Say which variables of an arm nothing in its target reads; they are returned (`unread.of_plan`)."""
    return _told(say, unread.of_plan(plan, interpreters))


def warn_of_names(say: Console, asked: Iterable[tuple[Iterable[str], Interpreter | None]]) -> None:
    """The same for names and the interpreters that they are for."""
    _told(say, unread.of_names(asked))


def warn_of_targets(targets: Sequence[Target], values: Iterable[Mapping[str, Any]] = ()) -> None:
    """The same for targets that options name, and for what these scenarios set in each of them."""
    say = Console(stderr=True)
    more = {name for each in values for name in unread.of_values(each)}
    _told(say, unread.of_targets(targets, more, lambda line: say.print(line, highlight=False)))


def _told(say: Console, found: dict[str, str]) -> dict[str, str]:
    for name, near in found.items():
        say.print(does_nothing(name, near), style="yellow", soft_wrap=True)
    return found


def warn_of_shell(say: Console, arms: Sequence[Arm]) -> None:
    """A variable of the shell counts as passed on only where every arm has the same value."""
    from harness.scenario.own_script import asked_of_the_shell

    of_libraries = (*unread.OF_FAMILIES, "OPENBLAS_")
    set_ = {name: value for name, value in os.environ.items() if name.startswith(of_libraries)}
    for path in {arm.workload.script.path for arm in arms if arm.workload.script is not None}:
        with suppress(OSError):
            set_ |= asked_of_the_shell(Path(path).read_text(errors="replace"), os.environ)
    passed_on = inherited.of_shell()
    ignored = sorted(
        name for name, value in set_.items() if any(arm.env.get(name, passed_on.get(name)) != value for arm in arms)
    )
    if ignored:
        names = ", ".join(ignored)
        say.print(f"not passed on to the run: {names}; set them in the scenario's target.env", style="yellow")
    sys.stderr.flush()


def warn_of_workloads(say: Console, plan: Plan) -> None:
    """Lists of operators for AMP do not add to MXNet's own; a metric asks for samples that nobody trained with."""
    for file in dict.fromkeys(arm.workload.model for arm in plan.arms if not arm.workload.held_back):
        _warn_of_metric(say, models.file_of(file))
    amps = [arm.workload.amp for arm in plan.arms if arm.workload.amp is not None]
    for name in dict.fromkeys(name for amp in amps for name in amp.replaced):
        say.print(f"workload.amp.{name} replaces MXNet's own list; it adds nothing to it", style="yellow")


def _warn_of_metric(say: Console, path: str | None) -> None:
    if path is None or "metric" not in (known := model_file.read(path)).functions:
        return
    instead = "; batches has none of these" if known.facts.own_batches else ""
    say.print(
        f"metric of {Path(path).name} does nothing without workload.held_back, samples of the dataset that are kept "
        f"from training{instead}",
        style="yellow",
        soft_wrap=True,
    )


def warn_of_no_control(say: Console, plan: Plan) -> None:
    """A script with faults has nothing beside it to look at, unless what it writes has a place of its own."""
    scripts = [arm.workload.script for arm in plan.arms if arm.of == MAIN and arm.schedule]
    if any(script is not None and not script.scratch for script in scripts) and len({arm.of for arm in plan.arms}) == 1:
        say.print(
            "no control is run beside this script, which would write over what the job writes; give workload.scratch: "
            "true, or name control in a check",
            style="yellow",
            soft_wrap=True,
        )
