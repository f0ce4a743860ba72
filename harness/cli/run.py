"""``harness run``."""

from __future__ import annotations

import argparse

from harness.cli import _options

HELP = "run scenarios, measure and judge them"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_scenarios(parser)
    parser.add_argument("--tag", help="only scenarios with this tag")
    _options.add_changes(parser)
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    from harness.cli import _running
    from harness.scenario.load import load

    loaded = [load(file, _options.changes(arguments)) for file in _options.files(arguments)]
    chosen = [one for one in loaded if arguments.tag is None or arguments.tag in one.scenario.tags]
    if not chosen:
        from harness.errors import InputError

        tags = sorted({tag for one in loaded for tag in one.scenario.tags})
        raise InputError(f"no scenario has the tag {arguments.tag!r}; there are {', '.join(tags) or 'none'}")
    plans = [(_options.plan(one, arguments), one.text) for one in chosen]
    return _running.run_all(plans, arguments.results, arguments.json)
