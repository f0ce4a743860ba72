"""The machine and the software a run was made with. A fact that cannot be had says why."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import psutil

from harness.base.process import can_fix_addresses
from harness.base.units import bytes_text
from harness.execution import control_group, processor
from harness.gpu import installed
from harness.gpu.nccl_log import NcclLog
from harness.targets import inherited
from harness.targets.interpreter import Interpreter
from harness.vocabulary.events import Imported

_DISTRIBUTIONS = ("asv", "numpy", "psutil", "py-spy", "pydantic", "PyYAML", "nvidia-ml-py", "scipy")


def collect(interpreters: Mapping[str, Interpreter], isolated: bool, wire: str) -> dict[str, Any]:
    """Facts as of now, by name, ready for JSON; ``isolated`` and ``wire`` are the backend's.

    Of several interpreters, the first arm's are those that have no arm's name.
    """
    from harness.base.version import __version__

    first = next(iter(interpreters.values()))
    several = (
        {arm: str(found.python) for arm, found in interpreters.items()} if len({*interpreters.values()}) > 1 else {}
    )
    return {
        **of_machine(),
        "memory_available_bytes": psutil.virtual_memory().available,
        "load_1min": os.getloadavg()[0],
        "harness": __version__,
        "controller_python": platform.python_version(),
        "controller_packages": {name: _version(name) for name in _DISTRIBUTIONS},
        "target_interpreter": str(first.python),
        "target_packages": first.packages,
        **({"target_interpreters": several} if several else {}),
        "pid_namespace": isolated,
        "wire": wire,
        "environment": {key: value for key, value in sorted(os.environ.items()) if key.startswith(_RELEVANT)},
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def of_machine() -> dict[str, Any]:
    """What stays as it is while nobody changes the machine."""
    return {
        "cpu_model": processor.model(),
        "vectors": processor.widest(processor.flags()),
        "cores": os.cpu_count(),
        "cores_allowed": len(os.sched_getaffinity(0)),
        "fixed_addresses": can_fix_addresses(),
        "processor_told": inherited.of_processor() or "not available: the shell says nothing",
        "governor": _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        **control_group.cpu_limit(),
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": platform.release(),
        **_of_gpus(),
    }


def in_words(machine: Mapping[str, Any]) -> str:
    """Facts of a machine in a line; LookupError where they are none."""
    model, cores, memory = machine["cpu_model"], machine["cores"], bytes_text(machine["memory_bytes"])
    vectors = str(machine.get("vectors", ""))  # older runs have none
    model = model if not vectors or vectors.startswith("not available") else f"{model} with {vectors}"
    return f"{model}, {cores} cores, {memory}, kernel {machine['kernel']}"


def of_targets(imported: Mapping[str, Imported], arms: int) -> dict[str, Any]:
    """What workers found in their targets: versions and the library's enabled features.

    By arm where these differ, or where not every one of so many arms came so far as to say.
    """
    found = {arm: {name: getattr(event, name) for name in _OF_TARGET} for arm, event in imported.items()}
    first = next(iter(found.values()))
    is_of_all = len(found) == arms and all(each == first for each in found.values())
    return {"target": first, **({} if is_of_all else {"targets": found})}


def of_nccl(said: Mapping[str, Mapping[str, NcclLog]]) -> dict[str, Any]:
    """What NCCL said of itself in the processes of each arm, where it was let speak; nothing where it did not."""
    found = {arm: {name: log.facts() for name, log in logs.items()} for arm, logs in said.items()}
    return {"nccl": found} if found else {}


_OF_TARGET = ("python", "mxnet", "numpy", "features", "libraries", "pool")


_RELEVANT = (
    "MXNET_", "OMP_", "DMLC_", "PS_", "KMP_", "MKL", "CUDA_", "NVIDIA_", "NCCL_", "HOROVOD_", "LD_", "OPENBLAS_",
)  # fmt: skip


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError as error:
        return f"not available: {(error.strerror or '').lower()}"


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def _of_gpus() -> dict[str, Any]:
    """Names, as NVML has them, and where there are any, the driver, what each GPU is, and how near they are."""
    driver = installed.driver()
    if not driver.gpus:
        return {"gpus": f"not available: {driver.missing}" if driver.missing else []}
    known = {"version": driver.version, "cuda": driver.cuda}
    details = {"gpu_driver": known, "gpu_details": [asdict(gpu) for gpu in driver.gpus]}
    pairs = {"gpu_topology": [asdict(pair) for pair in driver.pairs]} if driver.pairs else {}
    return {"gpus": [gpu.name for gpu in driver.gpus], **details, **pairs}
