"""The newest numbers of the harness itself beside their limits: ``python -m benchmarks.itself.limits``.

Exit status 1 where one is beyond its limit, or was never measured.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import itself

RESULTS = Path(__file__).parents[2] / "results" / "asv"


def benchmarks() -> Iterator[tuple[str, type, str]]:
    """Module, class and method of every benchmark."""
    for info in pkgutil.iter_modules(itself.__path__):
        module = importlib.import_module(f"{itself.__name__}.{info.name}")
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == module.__name__ and not kind.__name__.startswith("_"):
                for method in dir(kind):
                    if method.startswith("track_"):
                        yield info.name, kind, method


def limit(kind: type, method: str) -> float | None:
    """What the number must not exceed, if there is such a limit."""
    return getattr(getattr(kind, method), "limit", getattr(kind, "limit", None))


def _measured() -> dict[str, list[float]]:
    """Benchmark to its numbers, one for each parameter, of the newest file that has them."""
    numbers: dict[str, list[float]] = {}
    for file in sorted(RESULTS.glob("*/????????-*.json"), key=lambda file: file.stat().st_mtime):
        body = json.loads(file.read_text())
        place = body["result_columns"].index("result")
        for name, row in body["results"].items():
            numbers[name] = [math.nan if value is None else value for value in row[place] or [math.nan]]
    return numbers


def main() -> int:
    """Print a line for each number; the exit status."""
    measured, missed = _measured(), 0
    for module, kind, method in benchmarks():
        name = f"itself.{module}.{kind.__name__}.{method}"
        most = limit(kind, method)
        for value in measured.get(name, [math.nan]):
            held = most is None or value <= most
            missed += not held
            word = "" if most is None else f"{'ok' if held else 'MISSED'}, at most {most:g}"
            sys.stdout.write(f"{name:82} {value:10.4g} {word}\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
