"""Words in the environment of a role that are filled in when the run starts: ports, and the folder of a library."""

from __future__ import annotations

import re
from collections.abc import Mapping

LINKER = "LD_LIBRARY_PATH"
"""Where the dynamic linker looks first."""

_NCCL = re.compile(r"\{nccl ([\d.]+)\}")


def with_ports(env: Mapping[str, str], port: str, own: str) -> dict[str, str]:
    """A role's environment once ports are known."""
    return {name: value.replace("{port}", port).replace("{own_port}", own) for name, value in env.items()}


def asking_for_nccl(env: Mapping[str, str], version: str) -> dict[str, str]:
    """An environment in which another NCCL than the target's is found first."""
    return {**env, LINKER: f"{{nccl {version}}}"}


def nccl_of(env: Mapping[str, str]) -> str | None:
    """The version that an environment asks for, if it does."""
    match = _NCCL.fullmatch(env.get(LINKER, ""))
    return match[1] if match else None


def with_folder(env: Mapping[str, str], folder: str, others: str) -> dict[str, str]:
    """An environment that asks for a library, once its folder is known; ``others`` come after it."""
    return {**env, LINKER: ":".join(filter(None, [folder, others]))}
