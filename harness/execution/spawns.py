"""What processes of an arm are started with."""

from __future__ import annotations

from collections.abc import Mapping

from harness.execution import scratch
from harness.execution.backends.base import Agent
from harness.execution.request import Request
from harness.planning.plan import Arm
from harness.storage import run_folder
from harness.storage.run_folder import RunFolder
from harness.targets import environment, inherited, other_nccl
from harness.vocabulary.filled_in import with_ports
from harness.vocabulary.instructions import Spawn

COMPILED = "HARNESS_COMPILED"
"""The folder of what MXNet's import compiles (`harness/worker/compiled.py`)."""


def spawns(agent: Agent, folder: RunFolder, asked: Request, arm: Arm) -> dict[str, Spawn]:
    """What starts each role: the worker archive, the plan, and an environment that the plan decides."""
    port, *ports = map(str, agent.free_ports(1 + len(arm.roles)))
    worker, plan = agent.put("worker.pyz", asked.worker), agent.put("plan.json", asked.plan.text().encode())
    shared = _with_libraries(arm.env, asked.interpreters[arm.name].env)
    python = asked.interpreters[arm.name].python
    kept = {COMPILED: str(environment.compiled_folder(python))} if arm.quick_start else {}
    found, checkpoint = {}, arm.workload.checkpoint
    for role, own_port in zip(arm.roles, ports, strict=True):
        own = other_nccl.found(with_ports(role.env, port, own_port), shared)
        found[role.name] = Spawn(
            role.name,
            (str(python), worker, plan, arm.name, role.name),
            {**inherited.of_shell(), **shared, **own, **kept},
            agent.path(f"logs/{arm.name}"),
            agent.path(run_folder.log_name(arm.name, role.name)),
            role.host,
            checkpoints=(checkpoint.files or "") if checkpoint is not None else "",
            share=arm.shares.get(role.name),
            scratch=scratch.of(folder, arm, role),
        )
    return found


def _with_libraries(env: Mapping[str, str], needed: Mapping[str, str]) -> dict[str, str]:
    """A scenario's variables with those that its interpreter needs; of folders in both the scenario's are first."""
    both = {name: f"{env[name]}:{value}" for name, value in needed.items() if env.get(name)}
    return {**needed, **env, **both}
