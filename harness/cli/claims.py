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
_HERE = Path("scenarios")
EXIT_CODES = "exit codes: 0 listed, 2 a mistake in the input, 130 interrupted"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.complete_claims(parser.add_argument("id", nargs="*", metavar="ID", help="only these, as K1"))
    help_ = "where scenarios are (default: scenarios, else those that come with the harness)"
    parser.add_argument("--scenarios", type=Path, metavar="FOLDER", help=help_)
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


def _tested(folder: Path | None, runs: Mapping[str, tuple[str, str]]) -> Mapping[str, Sequence[Tested]]:
    """The scenarios of each claim; a file that cannot be read asks none. Two of one name have no run: whose is it?"""
    from harness.base.errors import ScenarioError
    from harness.report.claims import Tested
    from harness.scenario import document, shipped
    from harness.storage import named

    place = folder or (_HERE if _HERE.is_dir() else shipped.folder())
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; give one with scenarios")
    paths = sorted(place.rglob("*.yaml"))
    names = [named.slug(path.stem) for path in paths]
    found: dict[str, list[Tested]] = {}
    for path, name in zip(paths, names, strict=True):
        try:
            values = document.read(path).values
        except ScenarioError:
            continue
        run = runs.get(name, ()) if names.count(name) == 1 else ()
        asked = values.get("claims") if isinstance(values, dict) else None
        for claim in asked if isinstance(asked, list) else ():
            where = str(path.relative_to(place).with_suffix(""))
            found.setdefault(str(claim), []).append(Tested(where, *run))
    return found
