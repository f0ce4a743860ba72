"""asv plugin: an environment is a target.

The benchmarks run in the controller's interpreter and start the target's. Nothing of this repository is installed into
a target, so there is nothing to build for a commit. `asv.conf.json` names this module with a leading dot.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from asv.console import log
from asv.environment import Environment
from asv.util import UserError
from pydantic import ValidationError

from harness.asv_bridge.nights import NIGHT_VARIABLE
from harness.base.errors import HarnessError
from harness.planning import rules
from harness.scenario.schema import Target
from harness.targets import environment, resolve

MXNET_VARIABLE = "HARNESS_ASV_MXNET"
CUDA_VARIABLE = "HARNESS_ASV_CUDA"
ENV_VARIABLE = "HARNESS_ASV_ENV"
SESSION_VARIABLE = "HARNESS_ASV_SESSION"
SAVES_VARIABLE = "HARNESS_ASV_SAVES"
_READ = (".py", ".c", ".yaml", ".json")
"""How the names of files end that decide what is measured."""

_MEASURED = ("asv.conf.json", "benchmarks", "harness", "scenarios")
"""What decides which numbers come out."""

_OF_GPUS = ("cuda", "nccl", "cudnn")

_SESSION = f"{os.getpid()}-{time.time_ns()}"


class TargetEnvironment(Environment):  # type: ignore[misc]
    """``matrix.req`` chooses versions: mxnet, and for GPUs cuda, nccl and cudnn.

    ``matrix.env`` and ``env_nobuild`` are the target's environment.
    """

    tool_name = "harness"
    matches_python_fallback = False

    def __init__(self, conf: Any, python: str, requirements: dict[str, str], tagged_env_vars: Any) -> None:
        unknown = sorted(set(requirements) - {"mxnet", *_OF_GPUS})
        if unknown:
            allowed = ", ".join(("mxnet", *_OF_GPUS))
            raise UserError(f"matrix.req: {', '.join(unknown)} cannot be chosen; allowed are {allowed}")
        self._requirements, self._python = requirements, python
        super().__init__(conf, python, requirements, tagged_env_vars)

    @property
    def _mxnet(self) -> str:
        return self._requirements.get("mxnet") or environment.DEFAULT_MXNET

    @property
    def _cuda(self) -> dict[str, str]:
        """Versions of what only GPUs need; an empty one is none."""
        return {name: self._requirements[name] for name in _OF_GPUS if self._requirements.get(name)}

    @property
    def installed_commit_hash(self) -> None:
        """No commit is ever installed."""
        return

    @property
    def chosen(self) -> dict[str, str]:
        """All versions."""
        return {"mxnet": self._mxnet, **self._cuda}

    def _target(self) -> Target:
        """UserError for versions that no target has."""
        try:
            target = Target(mxnet=self._mxnet, **self._cuda)
        except ValidationError as error:
            name = error.errors()[0]["loc"][0]
            raise UserError(f"matrix.req: {name} {error.errors()[0]['input']!r} cannot be chosen") from error
        if (wrong := next(rules.of_target(target), None)) is not None:
            raise UserError(f"matrix.req: {wrong[0][-1]}: {wrong[1]}")
        return target

    def check_presence(self) -> bool:
        """Whether it was built is found out by `create`."""
        return False

    def create(self) -> None:
        """Build the target, unless it is there."""
        try:
            resolve.interpreter(self._target(), log.info)
        except HarnessError as error:
            raise UserError(str(error)) from error

    def install_project(self, conf: Any, repo: Any, commit_hash: str) -> None:
        """Note which commit is measured; there is nothing to install.

        What runs is the checkout. UserError when the commit holds other files: its numbers would be another's. A
        night's commit says itself what was measured.
        """
        if NIGHT_VARIABLE in os.environ:
            self._set_commit_hash(commit_hash)
            return
        if _tree(commit_hash) != _tree("HEAD"):
            raise UserError(f"commit {commit_hash[:8]} has other files than the checkout; `git checkout` it first")
        if _saves() and (changed := _uncommitted()):
            names = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
            raise UserError(f"not in commit {commit_hash[:8]}: {names}; commit or stash, or measure with --dry-run")
        self._set_commit_hash(commit_hash)

    def find_executable(self, executable: str) -> str:
        """Benchmarks run in the controller's interpreter."""
        return sys.executable

    def run(self, args: list[str], **kwargs: Any) -> Any:
        """Run the controller's interpreter with the target in its environment."""
        env = dict(kwargs.pop("env", os.environ))
        env[MXNET_VARIABLE] = self._mxnet
        env[CUDA_VARIABLE] = json.dumps(self._cuda)
        env[ENV_VARIABLE] = json.dumps(self.env_vars)
        env[SESSION_VARIABLE] = _SESSION
        env[SAVES_VARIABLE] = str(int(_saves()))
        return self.run_executable("python", args, env=env, **kwargs)


def _saves() -> bool:
    """Whether this `asv run` files its numbers under a commit."""
    return not {"--dry-run", "-n"} & set(sys.argv)


def _uncommitted() -> list[str]:
    """Files that would be measured and are not those of the commit, even where git is told to ignore them."""
    argv = ["git", "status", "--porcelain", "-z", "--untracked-files=all", "--ignored", "--no-renames"]
    found = subprocess.run([*argv, "--", *_MEASURED], check=True, capture_output=True, text=True)
    lines = found.stdout.rstrip("\0").split("\0") if found.stdout else []
    return [line[3:] for line in lines if not line.startswith("!! ") or line.endswith(_READ)]


def _tree(commit: str) -> str:
    """The hash of all files of a commit; nights without changes have commits of their own with the same one."""
    argv = ["git", "rev-parse", f"{commit}^{{tree}}"]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()
