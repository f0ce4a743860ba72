"""A project of one's own for asv: a git repository with configuration, benchmarks, scenarios and room for results."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

from harness.base.errors import HarnessError, InputError
from harness.base.version import __version__
from harness.scenario import shipped
from harness.scenario.own_script import OwnScript
from harness.storage.run_folder import storage_error

BEGIN_WITH = ("kvstore/dist-sync-healthy.yaml", "chaos/slow-worker-dist-sync.yaml")
"""Shipped scenarios that every machine can run, in seconds: a healthy job, and one with a fault."""

STEPS = 300
"""Of a script, where nobody has said how many."""

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
harness run scenarios/{first}  # one of them, now
asv machine --yes                       # once on each machine
asv run --launch-method forkserver      # all that have the tag, and store the numbers
asv publish && asv preview              # pages with their history
harness list                            # runs; harness show, harness report
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


def create(folder: Path, own: OwnScript | None) -> list[Path]:
    """Make the project and its first commit; returns its scenarios.

    InputError for a folder that has something in it, HarnessError without git, StorageError where it cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there already, and not an empty folder; give another")
    if shutil.which("git") is None:
        raise HarnessError("git is not here, and asv keeps numbers by commits; install it: sudo apt install git")
    try:
        scenarios = _write(folder, own)
    except OSError as error:
        raise storage_error(error, folder) from error
    _commit(folder)
    return scenarios


def _write(folder: Path, own: OwnScript | None) -> list[Path]:
    scenarios = [folder / "scenarios" / Path(name).name for name in BEGIN_WITH]
    for each in ("scenarios", "benchmarks", "results"):
        (folder / each).mkdir(parents=True, exist_ok=True)
    for name, place in zip(BEGIN_WITH, scenarios, strict=True):
        text = (shipped.folder() / name).read_text(encoding="utf-8")
        place.write_text(re.sub(r"\A# yaml-language-server.*\n", "", text), encoding="utf-8")
    if own is not None:
        place = folder / "scenarios" / f"{own.path.stem}.yaml"
        place.write_text(own.unmeasured(STEPS, place.parent.absolute(), [("tags", ["asv"])]), encoding="utf-8")
        scenarios.append(place)
    readme = _README.format(name=folder.absolute().name, version=__version__, first=scenarios[0].name)
    texts = {
        "asv.conf.json": _configuration(folder.absolute().name),
        "benchmarks/__init__.py": "",
        "benchmarks/scenarios.py": _BENCHMARKS,
        "results/.gitignore": "*\n!.gitignore\n",
        "README.md": readme,
        "harness.toml": _SETTINGS,
        ".gitignore": "__pycache__/\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return scenarios


def _configuration(project: str) -> str:
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
        "matrix": {"req": {"mxnet": ["1.9.1"]}, "env_nobuild": {}},
        "benchmark_dir": "benchmarks",
        "env_dir": "results/asv-env",
        "results_dir": "results/asv",
        "html_dir": "results/html",
    }
    return json.dumps(values, indent=4) + "\n"


def _commit(folder: Path) -> None:
    """The first commit, which asv needs; by the user, or in their place where git does not know them."""
    _git(folder, "init", "--quiet")
    _git(folder, "add", "--all")
    known = _git(folder, "config", "user.email", check=False)
    stand_in = [] if known else ["-c", "user.name=harness", "-c", "user.email=harness@localhost"]
    _git(folder, *stand_in, "commit", "--quiet", "--message", "Scenarios to begin with")


def _git(folder: Path, *arguments: str, check: bool = True) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise HarnessError(f"git {arguments[0]} in {folder}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()
