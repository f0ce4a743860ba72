"""``--from`` and ``--to``, or ``--good`` and ``--bad``: targets, where a verb asks what differs between them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.base.errors import InputError

if TYPE_CHECKING:
    from harness.scenario.schema import Target

FIELDS = ("mxnet", "python", "horovod", "numpy", "cuda", "nccl", "cudnn")


def add(parser: argparse.ArgumentParser, old: str = "--from", new: str = "--to") -> None:
    """Both options; what was given is in ``old`` and ``new``."""
    what = "mxnet=VERSION, python=PATH, horovod=VERSION, numpy=VERSION, … or env.NAME=VALUE; may be repeated"
    for option, dest, which in ((old, "old", "trusted"), (new, "new", "asked about")):
        parser.add_argument(option, action="append", dest=dest, metavar="CHANGE", help=f"what is {which}: {what}")
        python, short = f"{option}-python", f"short for {option} python=PATH: nothing is installed into it"
        parser.add_argument(python, action="append", dest=dest, metavar="PATH", type=_python, help=short)


def _python(path: str) -> str:
    return f"python={path}"


def both(arguments: argparse.Namespace, old: str = "--from", new: str = "--to") -> tuple[Target, Target]:
    """What was given; InputError where one of them is missing, or none, or no interpreter."""
    from harness.targets.interpreter import on_disk

    if not arguments.old or not arguments.new:
        raise InputError(f"give both sides, as in {old} mxnet=1.8.0.post0 {new} mxnet=1.9.1, or --resume ID")
    given = read(old, arguments.old), read(new, arguments.new)
    for target in given:
        if target.python is not None:
            on_disk(target.python)
    return given


def read(option: str, changes: Sequence[str]) -> Target:
    """The target of such an option; a version alone is MXNet's. InputError for what is none."""
    from pydantic import ValidationError

    from harness.planning import rules
    from harness.scenario.schema import Target

    fields: dict[str, str] = {}
    env: dict[str, str] = {}
    for change in changes:
        name, sign, value = change.partition("=") if "=" in change else ("mxnet", "=", change)
        name = name.removeprefix("target.")
        if not sign or not (name in FIELDS or name.startswith("env.")):
            raise InputError(f"{option} {change}: write {'=…, '.join(FIELDS)}=… or env.NAME=VALUE")
        known, key = (env if name.startswith("env.") else fields), name.removeprefix("env.")
        if known.setdefault(key, value) != value:
            raise InputError(f"{option} {change}: {name} is {known[key]} already; give it once")
    try:
        target = Target(**fields, env=env)
    except ValidationError as error:
        wrong_ = error.errors()[0]
        is_form = wrong_["type"] == "string_pattern_mismatch"
        why = "write versions as in 1.9.1, and env.NAME=VALUE" if is_form else wrong_["msg"].lower()
        raise InputError(f"{option} {' '.join(changes)}: {wrong_['input']!r} is not possible: {why}") from error
    if (wrong := next(rules.of_target(target), None)) is not None:
        raise InputError(f"{option} {' '.join(changes)}: {wrong[1]}")
    return target
