"""What this machine lets the harness do, found out by trying, and how to enable what it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness import events
from harness.agent.client import AgentProcess, isolation
from harness.agent.cluster import TUN_DEVICE
from harness.errors import AgentError, InputError, TargetError
from harness.events import Connected, ConnectFailed
from harness.facts import gpus
from harness.instructions import Connect, Direction, Host
from harness.plan import Plan
from harness.targets.environment import COMPILERS, base_python

_TRIAL_SECONDS = 10.0


@dataclass(frozen=True)
class Ability:
    """Something a scenario may need. ``why`` tells what was found, ``remedy`` what to do where it is not there."""

    name: str
    serves: str
    there: bool
    why: str
    remedy: str = ""
    optional: bool = False


def abilities() -> list[Ability]:
    """All of them; takes about a second."""
    return [
        _mxnet_python(),
        namespaces(),
        tun(),
        _cluster(),
        _stacks(),
        _compilers(),
        bfloat16(),
        _gpus(),
    ]


def unmet(plan: Plan) -> str | None:
    """What the plan needs and this machine or the target does not have, or None."""
    if missing := _unmet_by_target(plan):
        return f"{plan.scenario}: {missing}"
    contexts = {context for arm in plan.arms for context in arm.workload.contexts}
    needed: list[tuple[str, Callable[[], Ability]]] = []
    if any(arm.network is not None for arm in plan.arms):
        needed += [("topology.network", namespaces), ("topology.network", tun)]
    if any(injection.part.name == "disk_full" for arm in plan.arms for injection in arm.schedule):
        needed.append(("disk_full", namespaces))
    if any(context.startswith("gpu") for context in contexts):
        needed.append(("contexts on GPUs", _gpus))
    if any(arm.workload.amp for arm in plan.arms) and any(context.startswith("cpu") for context in contexts):
        needed.append(("amp on a CPU", bfloat16))
    for what, look in needed:
        if not (ability := look()).there:
            advice = "; ".join(filter(None, (ability.why, ability.remedy)))
            return f"{plan.scenario}: {what} is not possible here: {advice}; `harness doctor` tells more"
    return None


def _unmet_by_target(plan: Plan) -> str | None:
    version = plan.target.mxnet and tuple(int(part) for part in plan.target.mxnet.split(".")[:2])
    if version and version < (1, 7) and any("DMLC_PS_VAN_TYPE" in role.env for arm in plan.arms for role in arm.roles):
        return f"van p3 came with MXNet 1.7; {plan.target.mxnet} would ignore it"
    gpus_asked = any(context.startswith("gpu") for arm in plan.arms for context in arm.workload.contexts)
    if gpus_asked and plan.target.python is None:
        return "contexts on GPUs need an interpreter with mxnet-cu112; give --python PATH or target: {python: PATH}"
    return None


def require(plan: Plan) -> None:
    """InputError when the plan needs what this machine does not have."""
    if missing := unmet(plan):
        raise InputError(missing)


def namespaces() -> Ability:
    """User, pid, mount and network namespaces of one's own, by starting a process in them."""
    serves = "topology.network; processes that end with the harness even when it is killed"
    if isolation(networked=True):
        return Ability("namespaces", serves, True, "can be made")
    why, remedy = _why_no_namespaces()
    return Ability("namespaces", serves, False, why, remedy)


_SWITCHES = (
    ("user/max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    ("user/max_net_namespaces", "0", "sysctl -w user.max_net_namespaces=15000"),
    ("kernel/unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
)


def _why_no_namespaces() -> tuple[str, str]:
    if shutil.which("unshare") is None:
        return "unshare is not on the path", "install util-linux"
    for name, forbidding, remedy in _SWITCHES:
        path = Path("/proc/sys") / name
        if path.is_file() and path.read_text().strip() == forbidding:
            return f"{path} is {forbidding}", f"as root: {remedy}"
    return "unshare --user is refused", "allow it in the container's seccomp profile (as with docker --privileged)"


def tun() -> Ability:
    """The device that hosts of a pocket cluster get their links from."""
    serves = "topology.network"
    if not Path(TUN_DEVICE).exists():
        remedy = f"as root: modprobe tun; in a container: --device {TUN_DEVICE}"
        return Ability(TUN_DEVICE, serves, False, f"there is no {TUN_DEVICE}", remedy)
    if not os.access(TUN_DEVICE, os.R_OK | os.W_OK):
        return Ability(TUN_DEVICE, serves, False, f"{TUN_DEVICE} may not be opened", f"as root: chmod 666 {TUN_DEVICE}")
    return Ability(TUN_DEVICE, serves, True, "may be opened")


def _cluster() -> Ability:
    """A whole pocket cluster of one host, made by a real agent."""
    name, serves = "pocket cluster", "topology.network"
    if not (namespaces().there and tun().there):
        return Ability(name, serves, False, "needs the two above", "see there")
    failure = _try_cluster()
    remedy = "allow TUN devices in user namespaces (a container's seccomp profile may forbid them)"
    return Ability(name, serves, failure is None, failure or "was made", "" if failure is None else remedy)


def _try_cluster() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            with AgentProcess("doctor", Path(folder) / "agent.log", networked=True) as agent:
                answer = _connect(agent)
        except AgentError as error:
            return str(error)
        log = (Path(folder) / "agent.log").read_text().strip().splitlines()
    if isinstance(answer, Connected):
        return None
    return answer.reason if answer else log[-1] if log else f"no answer within {_TRIAL_SECONDS:g} s"


def _connect(agent: AgentProcess) -> Connected | ConnectFailed | None:
    plain = Direction(None, 0.0, 0.0, 1)
    agent.send(Connect("", (Host("one", "10.77.0.1", plain, plain),), 1500, 0))
    deadline = time.monotonic() + _TRIAL_SECONDS
    while time.monotonic() < deadline and not agent.ended:
        for event in map(events.decode, agent.read(0.5).splitlines()):
            if isinstance(event, Connected | ConnectFailed):
                return event
    return None


def _mxnet_python() -> Ability:
    name, serves = "Python for MXNet", "targets that the harness builds"
    try:
        version, path = base_python()
    except TargetError as error:
        return Ability(name, serves, False, str(error), "install python3.11")
    return Ability(name, serves, True, f"{version} at {path}")


def _stacks() -> Ability:
    """Whether py-spy may look into a child of ours, which is all it has to."""
    name, serves = "py-spy", "where processes of a hung job wait"
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        argv = [str(Path(sys.executable).with_name("py-spy")), "dump", "--pid", str(child.pid)]
        looked = _dump(argv)
    except OSError as error:
        return Ability(name, serves, False, f"{argv[0]}: {(error.strerror or '').lower()}", "run make setup again")
    finally:
        child.kill()
        child.communicate()
    remedy = "as root: sysctl -w kernel.yama.ptrace_scope=0; in a container: --cap-add SYS_PTRACE"
    return Ability(name, serves, looked is None, looked or "can look into processes", "" if looked is None else remedy)


def _dump(argv: list[str]) -> str | None:
    """None when it works; it needs a moment until the interpreter is up."""
    for _ in range(10):
        done = subprocess.run(argv, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        time.sleep(0.1)
    return (done.stderr.strip().splitlines() or ["it failed without a word"])[-1]


def _compilers() -> Ability:
    missing = [tool for tool in COMPILERS if shutil.which(tool) is None]
    why = f"missing: {', '.join(missing)}" if missing else f"{', '.join(COMPILERS)} are there"
    return Ability(
        "compilers", "topology.horovod", not missing, why, f"apt install {' '.join(missing)}" if missing else ""
    )


def bfloat16() -> Ability:
    """oneDNN has bfloat16 primitives for processors with AVX-512 only (`cpu_isa_traits.hpp`, avx512_core)."""
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    missing = [flag for flag in ("avx512bw", "avx512dq", "avx512vl") if flag not in flags.split()]
    why = f"the processor has no {', '.join(missing)}" if missing else "the processor has AVX-512"
    return Ability("bfloat16", "workload.amp on a CPU", not missing, why, optional=True)


def _gpus() -> Ability:
    found = gpus()
    there = isinstance(found, list) and bool(found)
    why = ", ".join(found) if isinstance(found, list) and found else str(found or "none found")
    return Ability("GPUs", "contexts gpu(i), kvstore nccl", there, why, optional=True)
