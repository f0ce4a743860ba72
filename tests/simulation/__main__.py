"""Many worlds: ``python -m tests.simulation FIRST COUNT`` prints seeds that break a law, with their fewest faults."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.run import failing, fewest

PORTION = 500


def main() -> int:
    """Exit status 1 where any seed fails; all processors play, how far they are goes to standard error."""
    first, many = (int(argument) for argument in sys.argv[1:3])
    last = first + many
    portions = [range(start, min(start + PORTION, last)) for start in range(first, last, PORTION)]
    played = failed = 0
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as players:
        for portion, lines in zip(portions, players.map(play, portions), strict=True):
            played, failed = played + len(portion), failed + len(lines)
            sys.stdout.write("".join(lines))
            sys.stdout.flush()
            sys.stderr.write(f"{played} of {many} played\n")
    sys.stdout.write(f"{many} seeds, {failed} failed\n")
    return int(failed > 0)


def play(seeds: range) -> list[str]:
    """What is wrong in the worlds of these seeds, a paragraph for each that fails."""
    broken = ((seed, sentences) for seed in seeds if (sentences := failing(seed)))
    return [f"seed {seed}: {'; '.join(sentences)}\n    {fewest(seed)}\n" for seed, sentences in broken]


if __name__ == "__main__":
    sys.exit(main())
