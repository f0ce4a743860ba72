"""A project of one's own for asv: a git repository with configuration, benchmarks, scenarios and room for results."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from harness.asv_bridge.classes import class_name
from harness.base.errors import HarnessError, InputError
from harness.base.version import __version__
from harness.execution import machine
from harness.scenario import shipped
from harness.scenario.overrides import Override
from harness.scenario.own_script import OwnScript
from harness.storage.run_folder import storage_error
from harness.targets.environment import DEFAULT_MXNET

BEGIN_WITH = ("kvstore/dist-sync-healthy.yaml", "chaos/slow-worker-dist-sync.yaml")
"""Shipped scenarios for who has no script, which every machine can run in seconds: one is healthy, one has a fault."""

STEPS = 300
"""Of a script, where nobody has said how many: what a night can do several times."""

_PLUGINS = (".harness.asv_bridge.environment", ".harness.asv_bridge.offline")
_BENCHMARKS = '''\
"""A benchmark for every scenario with the tag ``asv``."""

from pathlib import Path

from harness.asv_bridge.classes import generate

globals().update(generate(Path(__file__).parent.parent / "scenarios"))
'''
_README = """\
# {name}

MXNet, measured and tried with faults by mxnet-harness {version}. Scenarios
are questions; those with the tag `asv` are tracked.

```sh
harness validate scenarios              # is every scenario well written?
harness run {first}  # one of them, now
asv machine --yes                       # once on each machine
asv run --launch-method forkserver      # all that have the tag, and store the numbers
asv publish && asv preview              # pages with their history
harness list                            # runs; harness show, harness report
harness nightly --budget 60min          # every night: what got slower, or wrong, and because of which change
harness nightly show                    # nights; harness nightly accept ID --because "..." for what is as it should be
```

- `scenarios/`: `harness scenarios copy more` brings all that come with the harness, `harness try ./train.py` writes one
  for a script.
- `asv.conf.json`: versions of MXNet, and variables of its environment, are axes of the matrix there.
- `harness.toml`: defaults of options; `harness config` shows what holds.
- `results/`: runs, studies and asv's numbers. They are not in git; keep them elsewhere if they matter.
"""
_SETTINGS = """\
# Defaults of options; `harness config` shows what holds, and where it comes from.
results = "results"
# budget = "5min"
# jobs = 1
"""


def create(
    folder: Path,
    own: OwnScript | None,
    mxnet: str = DEFAULT_MXNET,
    steps: int = STEPS,
    changes: Sequence[Override] = (),
) -> list[Path]:
    """Make the project and its first commit, whole or not at all; returns its scenarios.

    ``mxnet``: with which they run; ``steps`` and ``changes`` are of the script's.

    InputError for a folder that has something in it, HarnessError without git, StorageError where it cannot be written.
    """
    if shutil.which("git") is None:
        raise HarnessError("git is not here, and asv keeps numbers by commits; install it: sudo apt install git")
    name = _name(folder)
    texts = _texts(name, mxnet, _begun() if own is None else _of(own, steps, folder.absolute() / "scenarios", changes))
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder} is there already, and not an empty folder; give another")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".harness-init-", dir=folder.parent) as beside:
            made = Path(beside) / "project"
            _write(made, texts)
            _commit(made, list(texts))
            _move(made, folder)
    except OSError as error:
        raise storage_error(error, folder, by="") from error
    return [folder / name for name in texts if name.startswith("scenarios/")]


def _move(made: Path, folder: Path) -> None:
    """In place of an empty folder, or into it where somebody is in it."""
    try:
        made.rename(folder)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        for each in made.iterdir():
            each.rename(folder / each.name)


def _name(folder: Path) -> str:
    name = folder.absolute().name
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{name!a} is not UTF-8; give another name") from error
    if not name.isprintable():
        raise InputError(f"{name!r} has a character that cannot be shown; give another name")
    return name


def run_of(scenario: str, mxnet: str) -> str:
    """What follows ``harness run`` for a scenario of the project: its version is known to asv and to nights only."""
    version = "" if mxnet == DEFAULT_MXNET else f" --mxnet {mxnet}"
    return f"{shlex.quote(f'scenarios/{scenario}')}{version}"


def _of(own: OwnScript, steps: int, place: Path, changes: Sequence[Override]) -> dict[str, str]:
    """The scenario of a script, by its name: nights are for what the user has."""
    layered: list[Override] = [("workload.scratch", True)] if machine.namespaces().there else []
    stem = own.path.stem if class_name(own.path.stem) else "script"
    return {stem: own.unmeasured(steps, place, [("tags", ["asv"]), *layered, *changes])}


def _begun() -> dict[str, str]:
    """Scenarios to begin with without a script, by name."""
    begun = {Path(each).stem: (shipped.folder() / each).read_text(encoding="utf-8") for each in BEGIN_WITH}
    return {stem: re.sub(r"\A# yaml-language-server.*\n", "", text) for stem, text in begun.items()}


def _texts(name: str, mxnet: str, found: Mapping[str, str]) -> dict[str, str]:
    """Every file of the project by its place."""
    return {
        "README.md": _README.format(name=name, version=__version__, first=run_of(f"{list(found)[-1]}.yaml", mxnet)),
        "asv.conf.json": _configuration(name, mxnet),
        "harness.toml": _SETTINGS,
        ".gitignore": "__pycache__/\n",
        "benchmarks/__init__.py": "",
        "benchmarks/scenarios.py": _BENCHMARKS,
        "results/.gitignore": "*\n!.gitignore\n",
        **{f"scenarios/{stem}.yaml": text for stem, text in found.items()},
    }


def _write(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _configuration(project: str, mxnet: str) -> str:
    """As our own `asv.conf.json` has it."""
    values = {
        "version": 1,
        "project": project,
        "project_url": "#",
        "repo": ".",
        "dvcs": "git",
        "branches": ["HEAD"],
        "environment_type": "harness",
        "plugins": list(_PLUGINS),
        "matrix": {"req": {"mxnet": [mxnet]}, "env_nobuild": {}},
        "benchmark_dir": "benchmarks",
        "env_dir": "results/asv-env",
        "results_dir": "results/asv",
        "html_dir": "results/html",
    }
    return json.dumps(values, indent=4) + "\n"


def _commit(folder: Path, names: Sequence[str]) -> None:
    """The first commit, which asv needs; by the user, or in their place where git does not know them.

    What the user has git ignore, check or sign elsewhere is left aside: it is their first own commit that should obey.
    """
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--force", "--", *names)
    known = [_git(folder, "config", f"user.{field}", check=False) for field in ("name", "email")]
    stand_in = [] if all(known) else ["-c", "user.name=harness", "-c", "user.email=harness@localhost"]
    plain = ["-c", "commit.gpgsign=false", *stand_in]
    _git(folder, "commit", "--quiet", "--no-verify", "--message", "Scenarios to begin with", options=plain)


def _git(folder: Path, verb: str, *arguments: str, check: bool = True, options: Sequence[str] = ()) -> str:
    """What git says; only of this folder, wherever variables of the shell point (as in hooks and rebases)."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    argv = ["git", "-C", str(folder), *options, verb, *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env)
    if check and done.returncode:
        raise HarnessError(f"git {verb}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()
