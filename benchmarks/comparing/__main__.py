"""The command line; see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.comparing import cases, collect, configuration, table


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparing")
    verbs = parser.add_subparsers(dest="verb", required=True)
    collecting = verbs.add_parser("collect", help="pairs and single runs of a case, added to what there is")
    collecting.add_argument("case", choices=cases.NAMES)
    collecting.add_argument("--duets", type=int, default=200, help="three of four are of the same (default: 200)")
    collecting.add_argument("--runs", type=int, default=60)
    collecting.add_argument("--results", type=Path, default=cases.KEPT / "runs")
    comparing = verbs.add_parser("whole", help="comparisons from the command line, every other one planted")
    comparing.add_argument("case", choices=cases.NAMES)
    comparing.add_argument("--count", type=int, default=20)
    comparing.add_argument("--planted", type=float, default=0.02)
    comparing.add_argument("--budget", default="3min")
    verbs.add_parser("table", help="what there is, as a table")
    verbs.add_parser("configuration", help="ask what has no answer yet; print all answers")
    asked = parser.parse_args()
    if asked.verb == "collect":
        collect.collect(asked.case, asked.duets, asked.runs, asked.results)
    elif asked.verb == "whole":
        collect.whole(asked.case, asked.count, asked.planted, asked.budget)
    elif asked.verb == "configuration":
        configuration.ask()
        sys.stdout.write("\n".join([*configuration.rows(), ""]))
    else:
        sys.stdout.write(table.text())


if __name__ == "__main__":
    main()
