"""``harness shrink``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.cli import _options

if TYPE_CHECKING:
    from harness.faults import Entry
    from harness.judge import Verdict
    from harness.plan import Plan
    from harness.store import RunFolder

HELP = "find the fewest and shortest faults that still make a run end as it did"


def configure(parser: argparse.ArgumentParser) -> None:
    _options.add_run(parser)
    parser.add_argument("--arm", metavar="NAME", help="which arm (default: the first that did not complete)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="where the scenario goes (default: NAME-shrunk.yaml, here)"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="the same changes as the run was made with, if any",
    )
    _options.add_results(parser)


def execute(arguments: argparse.Namespace) -> int:
    import signal
    import sys

    from harness import store
    from harness.cli import EXIT_INTERRUPTED
    from harness.run import judged
    from harness.shrink import minimal, shortest
    from harness.store import storage_error

    folder = store.find(arguments.results, arguments.run)
    shrinking = _Shrinking(folder, judged(folder), arguments)
    entries = shrinking.entries
    say = sys.stderr.write
    say(f"{len(entries)} faults end in {shrinking.wanted}; every trial is a run\n")
    if not shrinking.still(entries):
        say(f"the same schedule did not end in {shrinking.wanted} again; there is nothing to rely on\n")
        return 3
    if shrinking.still([]):
        say(f"without any fault it ends in {shrinking.wanted} too; the faults are not to blame\n")
        return 3
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        shortest(minimal(entries, shrinking.still), shrinking.still)
    except KeyboardInterrupt:
        shrinking.interrupted = True
        say("interrupted; this is the smallest found so far\n")
    signal.signal(signal.SIGTERM, before)
    output = arguments.output or Path(f"{folder.plan().scenario}-shrunk.yaml")
    try:
        output.write_text(shrinking.text(shrinking.smallest))
    except OSError as error:
        raise storage_error(error, output) from error
    say(f"{len(shrinking.smallest)} of {len(entries)} faults are enough, after {shrinking.trials} trials\n")
    print(output)
    return EXIT_INTERRUPTED if shrinking.interrupted else 0


class _Shrinking:
    """Trials of one arm of a run: the same scenario with some of its faults."""

    def __init__(self, folder: RunFolder, verdict: Verdict, arguments: argparse.Namespace) -> None:
        import sys

        from harness import machine, run
        from harness.targets import resolve

        self._folder, self._results, self._changes = folder, arguments.results, arguments.set
        self._plan = folder.plan()
        self._arm, self.wanted = _ending(verdict, arguments.arm)
        self._worker = run.stored_worker(folder, self._plan)
        machine.require(self._plan)
        self._interpreter = resolve.interpreter(self._plan.target, lambda line: print(line, file=sys.stderr))
        self.entries: list[Entry] = [injection.entry for injection in self._plan.arm(self._arm).schedule]
        self.smallest: Sequence[Entry] = self.entries
        self.trials, self.interrupted = 0, False
        self._check_the_same()

    def _check_the_same(self) -> None:
        from harness.errors import InputError

        mine, theirs = self._made(self.entries).arms[0], self._plan.arm(self._arm)
        if (mine.workload, mine.roles, mine.env) != (theirs.workload, theirs.roles, theirs.env):
            raise InputError(f"run {self._folder.id} was made with other settings; give its --set options again")

    def text(self, entries: Sequence[Entry]) -> str:
        """The scenario of a trial."""
        import yaml

        from harness.scenario import overrides
        from harness.scenario.document import parse

        document = parse(self._folder.read("scenario.yaml"), "scenario.yaml")
        document = overrides.apply(document, [overrides.from_option(text) for text in self._changes])
        fields = (document.values.get("variants") or {}).get(self._arm) or {}
        values: dict[str, Any] = overrides.apply(document, list(fields.items())).values
        values.pop("variants", None)
        values["title"] = f"{values['title']} (the smallest schedule of {self._folder.id})"[:200]
        values["faults"] = [entry.model_dump(mode="json", exclude_none=True) for entry in entries]
        values["expect"] = {"outcome": self.wanted}
        return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)

    def _made(self, entries: Sequence[Entry]) -> Plan:
        import tempfile

        from harness.plan import make
        from harness.scenario.load import load

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{self._plan.scenario}.yaml"
            file.write_text(self.text(entries))
            target = self._plan.target.model_copy(update={"env": self._plan.arm(self._arm).env})
            return make(load(file), target, self._plan.worker)

    def still(self, entries: Sequence[Entry]) -> bool:
        """Run it; whether it ends as wanted."""
        import sys

        from harness import run
        from harness.run import Request

        origin = {"shrink_of": self._folder.id}
        plan = self._made(entries)
        asked = Request(plan, self.text(entries), self._worker, self._interpreter, self._results, origin)
        done = run.execute(asked, lambda event: None)
        if done.verdict is None:
            self.interrupted = True
            raise KeyboardInterrupt
        ended = done.verdict.arms[-1].ended
        outcome = ended.outcome if ended else "unknown"
        self.trials += 1
        said = ", ".join(entry.fault.name for entry in entries) or "none"
        sys.stderr.write(f"trial {self.trials}: {len(entries)} faults ({said}): {outcome}\n")
        if outcome == self.wanted:
            self.smallest = entries
        return outcome == self.wanted


def _ending(verdict: Verdict, wanted: str | None) -> tuple[str, str]:
    """The arm to shrink and how it ended; InputError where there is nothing to shrink."""
    from harness.errors import InputError

    arms = {arm.arm: arm.ended.outcome for arm in verdict.arms if arm.ended is not None}
    if wanted is not None and wanted not in arms:
        raise InputError(f"there is no arm {wanted!r}; there are {', '.join(arms)}")
    for name, outcome in arms.items():
        if name == wanted or (wanted is None and outcome in ("hung", "crashed", "diverged", "refused")):
            return name, outcome
    raise InputError(f"every arm of {verdict.run} completed; there is nothing to shrink (choose one with --arm)")
