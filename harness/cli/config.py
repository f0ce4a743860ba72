"""``harness config``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "show the settings that hold here, and where each comes from"

EXIT_CODES = "exit codes: 0 shown, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    from harness.base.settings import NAMES, OWN, PROJECT, VARIABLE

    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    names = "\n".join(f"  {name:8} {what}" for name, what in NAMES.items())
    parser.description = (
        f"{HELP}. Options of the same names come first, then {VARIABLE},\nthen the nearest {OWN}, or [tool.harness] in "
        f"{PROJECT}, from here upwards:\n\n{names}"
    )
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    import os
    from pathlib import Path

    from harness.base import settings
    from harness.cli import _defaults
    from harness.targets import environment

    known = settings.find(Path.cwd(), os.environ)
    for name, setting in known.items():
        _defaults.read(name, setting)
    rows = [(name, setting.value, setting.origin) for name, setting in known.items()]
    if "results" not in known:
        rows.insert(0, ("results", str(_defaults.RESULTS), "default"))
    chosen = next((name for name in ("HARNESS_CACHE", "XDG_CACHE_HOME") if os.environ.get(name)), "default")
    rows += [
        ("cache of targets", str(environment.cache_folder()), chosen),
        ("mxnet", environment.DEFAULT_MXNET, "default; a scenario's target says otherwise, or --mxnet"),
    ]
    if arguments.json:
        body = [{"name": name, "value": value, "origin": origin} for name, value, origin in rows]
        print(json.dumps({"schema": "harness/config/1", "settings": body}, indent=1))
        return 0
    for name, value, origin in rows:
        print(f"{name:18} {value}  ({origin})")
    return 0
