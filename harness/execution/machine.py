"""What this machine lets the harness do, found out by trying, and how to enable what it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.agent.cluster import TUN_DEVICE
from harness.base.errors import AgentError, InputError, RegistryError, TargetError
from harness.base.process import can_fix_addresses
from harness.execution import processor
from harness.execution.backends.base import Agent
from harness.execution.backends.local import LocalBackend
from harness.gpu import fitness, installed, visible, wheels
from harness.gpu.devices import Gpu
from harness.gpu.fitness import Misfit
from harness.gpu.machine_code import text
from harness.planning.plan import Arm, Plan
from harness.targets import environment, library
from harness.targets.environment import base_python
from harness.targets.horovod_wheel import COMPILERS
from harness.targets.interpreter import Interpreter
from harness.vocabulary import events
from harness.vocabulary.events import Connected, ConnectFailed
from harness.vocabulary.instructions import Connect, Direction, Host

_TRIAL_SECONDS = 10.0


@dataclass(frozen=True)
class Capability:
    """Something a scenario may need. ``why`` tells what was seen, ``remedy`` what to do where it is not there."""

    name: str
    serves: str
    there: bool
    why: str
    remedy: str = ""
    optional: bool = False


def capabilities() -> list[Capability]:
    """All of them; takes about a second."""
    return [look() for look in _looks().values()]


def _looks() -> dict[str, Callable[[], Capability]]:
    """How each is found out, by the name by which faults ask for it (`Fault.needs`)."""
    return {
        "python": _mxnet_python,
        "namespaces": namespaces,
        "tun": tun,
        "cluster": _cluster,
        "wire": _wire,
        "stacks": _stacks,
        "compilers": _compilers,
        "addresses": addresses,
        "bfloat16": bfloat16,
        "gpus": _gpus,
        "targets_for_gpus": _targets_for_gpus,
    }


def unmet(plan: Plan) -> str | None:
    """What the plan needs and this machine or the target does not have, or None."""
    if missing := _unmet_by_target(plan):
        return f"{plan.scenario}: {missing}"
    looks = _looks()
    for what, need in dict.fromkeys(need for arm in plan.arms for need in _needs(arm)):
        if need not in looks:
            raise RegistryError(f"{what} needs {need!r}, which is no capability; there are {', '.join(looks)}")
        if not (capability := looks[need]()).there:
            advice = "; ".join(filter(None, (capability.why, capability.remedy)))
            return f"{plan.scenario}: {what} is not possible here: {advice}; `harness doctor` tells more"
    return None


def _needs(arm: Arm) -> Iterator[tuple[str, str]]:
    """What needs something, and the name of the capability."""
    if arm.gpus:
        yield f"contexts {', '.join(arm.workload.contexts)}", "gpus"
    if arm.network is not None:
        yield "topology.network", "namespaces"
        yield "topology.network", "tun"
    for injection in arm.schedule:
        yield from ((injection.part.name, need) for need in injection.part.needs)
    if arm.workload.amp is not None and any(context.startswith("cpu") for context in arm.workload.contexts):
        yield "amp on a CPU", "bfloat16"


def _unmet_by_target(plan: Plan) -> str | None:
    return next(filter(None, map(_unmet_by_target_of, plan.arms)), None)


def _unmet_by_target_of(arm: Arm) -> str | None:
    version = arm.target.mxnet and tuple(int(number) for number in arm.target.mxnet.split(".")[:2])
    if version and version < (1, 7) and any("DMLC_PS_VAN_TYPE" in role.env for role in arm.roles):
        return f"van p3 came with MXNet 1.7; {arm.target.mxnet} would ignore it"
    if arm.gpus and arm.target.python is None and arm.target.cuda is None:
        return f'contexts {", ".join(arm.workload.contexts)} need MXNet with CUDA; give target: {{cuda: "11"}}'
    if arm.target.cuda and not arm.gpus and not wheels.has_driver(arm.env.get("LD_LIBRARY_PATH", "")):
        return f"{wheels.WHEEL} is not imported without {wheels.DRIVER}, and there is none here; leave cuda out"
    return None


def require(plan: Plan) -> None:
    """InputError when the plan needs what this machine does not have."""
    if missing := unmet(plan):
        raise InputError(missing)


def namespaces() -> Capability:
    """User, pid, mount and network namespaces of one's own, by starting a process in them."""
    serves = "topology.network; processes that end with the harness even when it is killed"
    if LocalBackend(Path()).networked:
        return Capability("namespaces", serves, True, "can be made")
    why, remedy = _why_no_namespaces()
    return Capability("namespaces", serves, False, why, remedy)


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


def tun() -> Capability:
    """The device that hosts of a pocket cluster get their links from."""
    serves = "topology.network"
    if not Path(TUN_DEVICE).exists():
        remedy = f"as root: modprobe tun; in a container: --device {TUN_DEVICE}"
        return Capability(TUN_DEVICE, serves, False, f"there is no {TUN_DEVICE}", remedy)
    if not os.access(TUN_DEVICE, os.R_OK | os.W_OK):
        return Capability(
            TUN_DEVICE, serves, False, f"{TUN_DEVICE} may not be opened", f"as root: chmod 666 {TUN_DEVICE}"
        )
    return Capability(TUN_DEVICE, serves, True, "may be opened")


def _cluster() -> Capability:
    """A whole pocket cluster of one host, made by a real agent."""
    name, serves = "pocket cluster", "topology.network"
    if not (namespaces().there and tun().there):
        return Capability(name, serves, False, "needs the two above", "see there")
    failure = _try_cluster()
    remedy = "allow TUN devices in user namespaces (a container's seccomp profile may forbid them)"
    return Capability(name, serves, failure is None, failure or "was made", "" if failure is None else remedy)


def _try_cluster() -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        try:
            with LocalBackend(Path(folder)).open("doctor", networked=True) as agent:
                answer = _connect(agent)
                log = agent.get("logs/doctor/agent.log").decode(errors="replace").strip().splitlines()
        except AgentError as error:
            return str(error)
    if isinstance(answer, Connected):
        return None
    return answer.reason if answer else log[-1] if log else f"no answer within {_TRIAL_SECONDS:g} s"


def _connect(agent: Agent) -> Connected | ConnectFailed | None:
    plain = Direction(None, 0.0, 0.0, 1)
    agent.send(Connect("", (Host("one", "10.77.0.1", plain, plain),), 1500, 0))
    deadline = time.monotonic() + _TRIAL_SECONDS
    while time.monotonic() < deadline and not agent.ended:
        for event in map(events.decode, agent.read(0.5).splitlines()):
            if isinstance(event, Connected | ConnectFailed):
                return event
    return None


def _wire() -> Capability:
    """Not needed: without it the wire takes four times as long for a packet."""
    state = LocalBackend(Path()).wire
    remedy = "install gcc; where the cache folder allows no programs, give another with HARNESS_CACHE"
    return Capability("wire", "pocket clusters at speed", state == "compiled", state, remedy, optional=True)


def _mxnet_python() -> Capability:
    name, serves = "Python for MXNet", "targets that the harness builds"
    try:
        version, path = base_python()
    except TargetError as error:
        return Capability(name, serves, False, str(error), "install python3.11")
    return Capability(name, serves, True, f"{version} at {path}")


def _stacks() -> Capability:
    """Whether py-spy may look into a child of ours, which is all it has to."""
    name, serves = "py-spy", "where processes of a hung job wait"
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        argv = [str(Path(sys.executable).with_name("py-spy")), "dump", "--pid", str(child.pid)]
        looked = _dump(argv)
    except OSError as error:
        return Capability(name, serves, False, f"{argv[0]}: {(error.strerror or '').lower()}", "run make setup again")
    finally:
        child.kill()
        child.communicate()
    remedy = "as root: sysctl -w kernel.yama.ptrace_scope=0; in a container: --cap-add SYS_PTRACE"
    return Capability(
        name, serves, looked is None, looked or "can look into processes", "" if looked is None else remedy
    )


def _dump(argv: list[str]) -> str | None:
    """None when it works; it needs a moment until the interpreter is up."""
    for _ in range(10):
        done = subprocess.run(argv, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        time.sleep(0.1)
    return (done.stderr.strip().splitlines() or ["it failed without a word"])[-1]


def _compilers() -> Capability:
    missing = [tool for tool in COMPILERS if shutil.which(tool) is None]
    why = f"missing: {', '.join(missing)}" if missing else f"{', '.join(COMPILERS)} are there"
    return Capability(
        "compilers", "topology.horovod", not missing, why, f"apt install {' '.join(missing)}" if missing else ""
    )


def addresses() -> Capability:
    """Whether processes that are compared may lie at the same addresses (`harness/planning/twins.py`)."""
    name, serves = "fixed addresses", "sides that take turns: memory of both lies alike"
    if can_fix_addresses():
        return Capability(name, serves, True, "the kernel fixes them")
    why = "they are drawn: pairs of twins scatter more, on some processors several times more"
    remedy = "no ulimit -v or -d, none of -s unlimited; in a container: allow personality(2) with 0x40000 by seccomp"
    return Capability(name, serves, False, why, remedy, optional=True)


def bfloat16() -> Capability:
    """oneDNN has bfloat16 primitives for processors with AVX-512 only (`cpu_isa_traits.hpp`, avx512_core)."""
    known = processor.flags()
    missing = [flag for flag in ("avx512bw", "avx512dq", "avx512vl") if flag not in known]
    why = f"the processor has no {', '.join(missing)}" if missing else "the processor has AVX-512"
    return Capability("bfloat16", "workload.amp on a CPU", not missing, why, optional=True)


def _gpus() -> Capability:
    """What NVML tells; whether a target has machine code for them is a matter of the target (`unfit`)."""
    driver, name, serves = installed.driver(), "GPUs", "contexts gpu(i), kvstore nccl"
    if not driver.gpus:
        why = f"NVML says «{driver.missing}»" if driver.missing else "the driver shows none"
        return Capability(name, serves, False, why, "run it where there is an NVIDIA GPU and its driver", optional=True)
    each = [f"gpu({gpu.index}) {gpu.name}{_capability(gpu.capability)}{_slices(gpu)}" for gpu in driver.gpus]
    cuda = f", for CUDA up to {'.'.join(map(str, driver.cuda))}" if driver.cuda else ""
    slow = [misfit.why for misfit in fitness.misfits(driver, [gpu.index for gpu in driver.gpus])]
    return Capability(name, serves, True, "; ".join([f"{', '.join(each)}; driver {driver.version}{cuda}", *slow]))


def _capability(known: tuple[int, int] | None) -> str:
    return "" if known is None else f" (compute capability {text(known)})"


def _slices(gpu: Gpu) -> str:
    return f", split into {len(gpu.slices)} slices (MIG)" if gpu.mig else ""


def unfit(plan: Plan, interpreters: Mapping[str, Interpreter]) -> str | None:
    """Why an arm's library would not run on the GPUs that it names, or None; said before anything starts."""
    reasons = (_unfit(arm, interpreters[arm.name]) for arm in plan.arms if arm.gpus)
    reason = next(filter(None, reasons), None)
    return None if reason is None else f"{plan.scenario}: {reason}"


def doubts(plan: Plan, interpreters: Mapping[str, Interpreter]) -> list[str]:
    """What will be slow on the GPUs that arms name, or will not run there in part."""
    every = (each for arm in plan.arms if arm.gpus for each in _misfits(arm, interpreters[arm.name]))
    return list(dict.fromkeys(str(misfit) for misfit in every if not misfit.fatal))


def _misfits(arm: Arm, interpreter: Interpreter) -> list[Misfit]:
    driver, env = installed.driver(), {**os.environ, **arm.env}
    wanted, code = visible.physical(arm.gpus, env, driver.gpus), library.machine_code_of(interpreter)
    cuda = None if code is None else code.cuda
    return list(fitness.misfits(driver, wanted or (), code, cuda, wheels.compiler(interpreter.packages)))


def _unfit(arm: Arm, interpreter: Interpreter) -> str | None:
    driver, env = installed.driver(), {**os.environ, **arm.env}
    code = library.machine_code_of(interpreter)
    if code is not None and not code.is_for_gpus:
        return f'{arm.target} is built without CUDA; give target: {{cuda: "11"}}, or contexts cpu(0)'
    if arm.gives_gpus and (shown := env.get(visible.VARIABLE)) is not None:
        return f"own_gpus gives out the machine's GPUs, and {visible.VARIABLE}={shown} hides some of them; unset it"
    if (part := visible.split(env, driver.gpus)) is not None:
        if arm.gives_gpus:
            return f"own_gpus gives out whole GPUs, and gpu({part.index}) is split (MIG); leave own_gpus out"
        named = ", ".join(part.slices) or "none is made yet: nvidia-smi mig -cgi"
        return (
            f"gpu({part.index}) is split (MIG), and a process sees one slice of it, as gpu(0); name it with "
            f"target.env.{visible.VARIABLE} ({named})"
        )
    wanted = visible.physical(arm.gpus, env, driver.gpus)
    if wanted is not None and len(wanted) < len(arm.gpus) and env.get(visible.VARIABLE) is not None:
        return f"{visible.VARIABLE}={env[visible.VARIABLE]} hides a GPU of {', '.join(arm.workload.contexts)}"
    return next((str(misfit) for misfit in _misfits(arm, interpreter) if misfit.fatal), None)


def _targets_for_gpus() -> Capability:
    """Whether what is built for GPUs has machine code for one that is here."""
    name, serves = "MXNet for GPUs", "contexts gpu(i)"
    driver, told, runs = installed.driver(), list[str](), False
    for target in environment.every():
        if target.recipe.libraries and (code := library.machine_code_of(target.interpreter)) is not None:
            if not driver.gpus:
                told.append(f"{target.recipe.name} has code for {code.words}, and there is no GPU to try it on")
            for gpu in driver.gpus:
                why = [misfit.why for misfit in fitness.misfits(driver, [gpu.index], code, code.cuda) if misfit.fatal]
                runs = runs or not why
                told += why or [f"{target.recipe.name} runs on gpu({gpu.index})"]
    remedy = "" if told else "harness targets build --cuda 11; without a GPU there is nothing to run it on"
    return Capability(name, serves, runs, "; ".join(told) or "nothing to be tried", remedy, optional=True)
