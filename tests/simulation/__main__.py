"""Many worlds: ``python -m tests.simulation FIRST COUNT`` prints seeds that break a law, with their fewest faults."""

from __future__ import annotations

import sys

from tests.simulation.run import failing, fewest


def main() -> int:
    """Exit status 1 where any seed fails."""
    first, many = (int(argument) for argument in sys.argv[1:3])
    failed = 0
    for seed in range(first, first + many):
        if sentences := failing(seed):
            failed += 1
            sys.stdout.write(f"seed {seed}: {'; '.join(sentences)}\n    {fewest(seed)}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{many} seeds, {failed} failed\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
