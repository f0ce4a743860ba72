"""What the mutants came to: ``python -m tests.mutants``, after ``mutmut run``. Exit status 1 below the limit.

A mutant that a test times out on is killed, too; one that no test runs has survived. Those of `EQUIVALENT` cannot be
told from the original; they count as survivors all the same.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

LIMIT = 0.9
KILLED = ("killed", "timeout", "suspicious", "segfault")
EQUIVALENT = {
    "x_entry_model": "it runs when modules are imported, before a mutant is chosen",
    "ǁphase": "nobody asks for a phase by name but for the two that wait and are in force",
}


def main() -> int:
    """Print the share that was killed, and who survived, by function, with a reason where one is known."""
    command = [str(Path(sys.executable).with_name("mutmut")), "results", "--all", "true"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    fates = dict(re.findall(r"^\s*(\S+): ([\w ]+)$", "\n".join(lines), re.M))
    killed = sum(fate in KILLED for fate in fates.values())
    survivors = Counter(re.sub(r"__mutmut_\d+$", "", name) for name, fate in fates.items() if fate not in KILLED)
    for name, count in survivors.most_common():
        reason = next((why for part, why in EQUIVALENT.items() if part in name), "")
        sys.stdout.write(f"{count:4} {name}{'  ' + reason if reason else ''}\n")
    share = killed / max(1, len(fates))
    sys.stdout.write(f"{killed} of {len(fates)} mutants were killed: {share:.1%}; {LIMIT:.0%} are asked\n")
    return int(share < LIMIT)


if __name__ == "__main__":
    sys.exit(main())
