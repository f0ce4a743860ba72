"""Another NCCL than the target's, for single processes: the library of its wheel alone, in the cache beside targets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.gpu import wheels
from harness.planning.plan import Arm
from harness.targets import environment
from harness.targets.build_step import Say
from harness.vocabulary.filled_in import LINKER, nccl_of, with_folder


def ensure(arm: Arm, say: Say) -> None:
    """Load the wheels that roles of an arm ask for, where they are not there; TargetError says what was tried."""
    for version in {version for role in arm.roles if (version := nccl_of(role.env))}:
        environment.ensure_wheel(f"{wheels.NCCL}=={version}", _place(version), say)


def found(env: Mapping[str, str], others: Mapping[str, str]) -> dict[str, str]:
    """A role's environment with the folder of the library that it asks for, before those that ``others`` have."""
    version = nccl_of(env)
    if version is None:
        return dict(env)
    return with_folder(env, str(_place(version) / "nvidia" / "nccl" / "lib"), others.get(LINKER, ""))


def _place(version: str) -> Path:
    return environment.cache_folder().parent / "libraries" / f"nccl-{version}"
