"""The command line; see the package."""

from __future__ import annotations

import argparse
import sys


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nights")
    verbs = parser.add_subparsers(dest="verb", required=True)
    simulating = verbs.add_parser("simulate", help="series with and without a step; minutes")
    simulating.add_argument("--histories", type=int, default=17, help="of 60 nights (default: 17, a thousand nights)")
    simulating.add_argument("--rival-histories", type=int, default=1, help="for asv and Otava (default: 1)")
    simulating.add_argument("--otava", default="", metavar="PYTHON", help="an interpreter that has apache-otava")
    verbs.add_parser("twelve", help="twelve real nights; a quarter to half of an hour")
    verbs.add_parser("table", help="what is kept, as tables")
    asked = parser.parse_args()
    if asked.verb == "simulate":
        from benchmarks.nights import simulate

        simulate.run(asked.histories, asked.rival_histories, asked.otava)
    elif asked.verb == "twelve":
        from benchmarks.nights import twelve

        twelve.run()
    else:
        from benchmarks.nights import table

        sys.stdout.write(table.text())


if __name__ == "__main__":
    main()
