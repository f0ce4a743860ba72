"""A scenario to start from, for a training script of the user's."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.scenario import document, overrides
from harness.scenario.overrides import Override

WINDOW_SECONDS = 0.2
"""Of a window: longer than what a wait costs, and short enough for many of them."""

FIRST_WINDOW, FIRST_WARMUP = 5, 5


@dataclass(frozen=True)
class OwnScript:
    """A script, its arguments, the folder that it runs in, the fields of the topology that it needs, and variables."""

    path: Path
    arguments: Sequence[str]
    folder: Path
    topology: Mapping[str, Any]
    env: Mapping[str, str] = field(default_factory=dict)

    def first(self, steps: int | None, record_shapes: bool = False) -> str:
        """The scenario of its first run, with absolute paths."""
        warmup = FIRST_WARMUP if steps is None else min(FIRST_WARMUP, steps - 1)
        text = self._text(str(self.path), str(self.folder), steps, warmup, FIRST_WINDOW)
        recorded = [("workload.record_shapes", True)] if record_shapes else []
        return self._changed(text, [("control", False), *recorded])

    def after(
        self, steps: int | None, seconds: float, place: Path, changes: Sequence[Override] = (), taken: int | None = None
    ) -> str:
        """The scenario to go on with, after so many steps of so many seconds each; it will lie in ``place``.

        ``steps`` None: until the script ends. ``changes`` are those that its first run had, too; ``taken``: how many
        steps it took there, if not as many.
        """
        taken = taken or steps
        window = round(WINDOW_SECONDS / seconds) if seconds else FIRST_WINDOW
        window = max(1, window if taken is None else min(window, taken // 20))
        warmup = FIRST_WARMUP if taken is None else min(max(window, FIRST_WARMUP), taken // 4)
        paths = _relative(self.path, place), _relative(self.folder, place)
        text = self._text(*paths, steps, warmup, window)
        return _HEAD + self._changed(text, changes)

    def unmeasured(self, steps: int, place: Path, changes: Sequence[Override] = ()) -> str:
        """The scenario to begin with where it has never run; it will lie in ``place``."""
        return self.after(steps, 0.0, place, changes)

    def _changed(self, text: str, changes: Sequence[Override]) -> str:
        return _written(overrides.apply(document.parse(text, self.path.stem), changes).values)

    def _text(self, path: str, folder: str, steps: int | None, warmup: int, window: int) -> str:
        workload: dict[str, Any] = {"script": path}
        if self.arguments:
            workload["args"] = list(self.arguments)
        if Path(path).parent != Path(folder):
            workload["folder"] = folder
        if steps is not None:
            workload["steps"] = steps
        workload |= {"warmup": warmup, "window": window}
        values: dict[str, Any] = {"title": f"How does {self.path.name} train?", "workload": workload}
        if self.topology:
            values["topology"] = dict(self.topology)
        if self.env:
            values["target"] = {"env": dict(self.env)}
        return _written(values)


def asked_of_the_shell(script: str, shell: Mapping[str, str]) -> dict[str, str]:
    """Variables of a shell that a script names in quotes, and where it finds its modules; none that may be secret."""
    names = {_MODULES, *names_in(script)} & set(shell)
    own = (name for name in sorted(names) if not _OURS.fullmatch(name) and not _SECRET.search(name))
    return {name: _absolute(shell[name]) if name == _MODULES else shell[name] for name in own}


def names_in(script: str) -> set[str]:
    """What it names in quotes, as it does variables that it reads."""
    return set(re.findall(r"""["']([A-Za-z_][A-Za-z0-9_]*)["']""", script))


def _absolute(paths: str) -> str:
    """An interpreter does not start in the script's folder."""
    return os.pathsep.join(str(Path(path).absolute()) for path in paths.split(os.pathsep) if path)


_MODULES = "PYTHONPATH"
_OURS = re.compile("_|HOME|LANG|PATH|PWD|OLDPWD|SHLVL|USER|SHELL|TERM|(DMLC|PS|HOROVOD|HARNESS)_.*")
"""What every shell has, and what a topology sets."""

_SECRET = re.compile(
    "(^|_)(API|KEYS?|PASS|PASSWD|PASSWORD|PWD|SECRETS?|TOKENS?|CREDENTIALS?|AUTH|PAT|DSN|URL|URI)(_|$)", re.IGNORECASE
)


def _written(values: Mapping[str, Any]) -> str:
    return yaml.safe_dump(values, sort_keys=False, allow_unicode=True)


_HEAD = """\
# steps: the script is stopped after so many, and what follows then is not run; one more than it takes, or none, lets it
#   end by itself
# scratch: what it writes goes to a layer and lies with the run afterwards; without, it writes over what is there
# warmup: steps that no measure counts; window: steps between two waits, over which throughput is measured
# args: [--seed, '{seed}'] (as your script calls it) gives it the seed of each run: seeds, drift and qualify need that
"""


def _relative(path: Path, folder: Path) -> str:
    found = os.path.relpath(path.resolve(), folder.resolve())
    return found if found.startswith(".") else f"./{found}"
