"""``harness claims``."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.base.errors import InputError
from harness.cli import _options

if TYPE_CHECKING:
    from harness.report.claims import Tested

HELP = "list what people say of MXNet, the scenarios that test it, and what came of it"
EXIT_CODES = "exit codes: 0 listed, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="*", metavar="ID", help="only these, as K1")
    help_ = "where scenarios are (default: scenarios)"
    parser.add_argument("--scenarios", type=Path, default=Path("scenarios"), metavar="FOLDER", help=help_)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page of all, without runs")
    _options.add_results(parser)
    _options.add_json(parser)


def execute(arguments: argparse.Namespace) -> int:
    import json
    from dataclasses import asdict

    from harness.cli._console import Console
    from harness.report import claims
    from harness.storage.run_folder import storage_error
    from harness.vocabulary.claims import CLAIMS

    unknown = [each for each in arguments.id if each not in CLAIMS]
    if unknown:
        raise InputError(f"{unknown[0]!r} is not a claim; there are {', '.join(CLAIMS)}")
    if arguments.markdown is not None:
        try:
            arguments.markdown.write_text(claims.markdown(_tested(arguments.scenarios, {})))
        except OSError as error:
            raise storage_error(error, arguments.markdown) from error
        return 0
    tested = _tested(arguments.scenarios, _newest(arguments.results))
    chosen = [CLAIMS[each] for each in arguments.id or CLAIMS]
    if arguments.json:
        rows = [{**asdict(claim), "scenarios": [asdict(each) for each in tested.get(claim.id, ())]} for claim in chosen]
        print(json.dumps({"schema": "harness/claims/1", "claims": rows}, indent=1))
    else:
        Console().print(claims.render(chosen, tested))
    return 0


def _newest(results: Path) -> Mapping[str, tuple[str, str]]:
    """Verdict and id of the newest run of each scenario."""
    from harness.storage.run_filter import RunFilter, newest

    found: dict[str, tuple[str, str]] = {}
    for _, entry in newest(results, RunFilter()):
        found.setdefault(entry.name, (entry.word, entry.run))
    return found


def _tested(folder: Path, runs: Mapping[str, tuple[str, str]]) -> Mapping[str, Sequence[Tested]]:
    """The scenarios of each claim; a file that cannot be read asks none."""
    from harness.base.errors import ScenarioError
    from harness.report.claims import Tested
    from harness.scenario import document
    from harness.storage import named

    found: dict[str, list[Tested]] = {}
    for path in sorted(folder.rglob("*.yaml")):
        try:
            values = document.read(path).values
        except ScenarioError:
            continue
        for claim in values.get("claims", ()) if isinstance(values, dict) else ():
            found.setdefault(str(claim), []).append(Tested(path.stem, *runs.get(named.slug(path.stem), ())))
    return found
