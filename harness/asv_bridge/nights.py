"""Nights for asv: which environments its matrix has, and the numbers of a night filed under its commit.

The numbers are those that the night measured; `asv run` asks `harness.asv_bridge.tracking` for them, and stores them.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import HarnessError, InputError
from harness.base.process import die_with_parent
from harness.storage.ledger import Ledger, plain_environment
from harness.storage.run_folder import RunFolder, storage_error

CONFIGURATION = "asv.conf.json"
NIGHT_VARIABLE = "HARNESS_ASV_NIGHT"
"""Names the file that holds a night's numbers."""

PATIENCE_SECONDS, GRACE_SECONDS = 900.0, 10.0
FOLDER = "nights"
"""Below the results: what asv keeps of nights, its pages, and software that was had back."""


@dataclass(frozen=True)
class Axis:
    """One environment of the matrix: versions by name, and variables.

    ``label``: what differs from others, "" for the first, which keeps its nights when others are added.
    """

    label: str
    versions: Mapping[str, str]
    env: Mapping[str, str]

    @property
    def key(self) -> str:
        """As `key_of` has it."""
        return key_of(self.versions, self.env)


def key_of(versions: Mapping[str, str], env: Mapping[str, str]) -> str:
    """What an environment is called in a night's numbers."""
    return json.dumps([dict(versions), dict(env)], sort_keys=True)


def require_project(folder: Path) -> None:
    """InputError where a folder is none."""
    if not (folder / CONFIGURATION).is_file():
        raise InputError(f"there is no {CONFIGURATION} in {folder}; harness init makes a project, or go to one")


def axes(project: Path) -> list[Axis]:
    """The environments of a project's matrix; HarnessError where asv cannot read it."""
    from asv.config import Config
    from asv.environment import get_environments
    from asv.plugin_manager import plugin_manager
    from asv.util import UserError

    try:
        conf = Config.load(str(project / CONFIGURATION))
        for plugin in conf.plugins:
            plugin_manager.import_plugin(plugin)
        found = [each for each in get_environments(conf, None) if hasattr(each, "chosen")]
    except (UserError, ValueError, LookupError, TypeError, AttributeError, ImportError) as error:
        raise InputError(f"{project / CONFIGURATION}: {error}") from error
    if not found:
        raise InputError(f'{project / CONFIGURATION}: environment_type is not "harness", so that nothing is a target')
    every = [{**each.chosen, **each.env_vars} for each in found]
    differ = [name for name in every[0] if len({each.get(name) for each in every}) > 1]
    labels = ["", *(",".join(f"{name}={each.get(name)}" for name in differ) for each in every[1:])]
    return [Axis(label, each.chosen, dict(each.env_vars)) for label, each in zip(labels, found, strict=True)]


def configuration(ledger: Ledger, project: Path, results: Path) -> Path:
    """Write asv's configuration for nights, made of the project's; returns the file."""
    from asv.util import load_json

    body: dict[str, Any] = load_json(str(project / CONFIGURATION), js_comments=True)
    folder = results.absolute() / FOLDER
    own = {
        "repo": str(ledger.repository.absolute()),
        "branches": [ledger.branch],
        "benchmark_dir": str(project.absolute() / body.get("benchmark_dir", "benchmarks")),
        **{name: str(folder / name.removesuffix("_dir")) for name in ("env_dir", "results_dir", "html_dir")},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        RunFolder(folder).write_json(CONFIGURATION, {**body, **own})
    except OSError as error:
        raise storage_error(error, folder) from error
    return folder / CONFIGURATION


def file(ledger: Ledger, project: Path, results: Path, commit: str, numbers: Mapping[str, Any]) -> Path:
    """Have asv store a night's numbers under its commit, and make its pages; returns their folder.

    ``numbers``: by `Axis.key`, then scenario. HarnessError with asv's last words where it fails.
    """
    conf = configuration(ledger, project, results)
    RunFolder(conf.parent).write_json("numbers.json", numbers)
    env = {**plain_environment(), NIGHT_VARIABLE: str(conf.parent / "numbers.json")}
    _asv(["machine", "--yes"], conf, env)
    _asv(["run", "--launch-method", "forkserver", "--bench", "^scenarios", f"{commit}^!"], conf, env, fails=(2,))
    _asv(["publish"], conf, env)
    return conf.parent / "html"


def _asv(arguments: list[str], conf: Path, env: Mapping[str, str], fails: tuple[int, ...] = ()) -> None:
    argv = [sys.executable, "-m", "asv", *arguments, "--config", str(conf)]
    # Asked once to stop it ends its own server, which would outlive it; a terminal's Ctrl-C would ask it a second time.
    with subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
        start_new_session=True,
        preexec_fn=lambda: die_with_parent(signal.SIGINT),
    ) as process:
        try:
            out, err = process.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise HarnessError(f"asv {arguments[0]} took more than {PATIENCE_SECONDS:.0f} s") from error
        finally:
            _end(process)
    if process.returncode not in (0, *fails):
        last = (err.strip() or out.strip()).splitlines()[-3:]
        raise HarnessError(f"asv {arguments[0]} ended with status {process.returncode}: {' | '.join(last)}")


def _end(process: subprocess.Popen[str]) -> None:
    """Ask asv to stop, if it has not."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
