"""What NVIDIA's driver says of GPUs, through NVML (`nvidia-ml-py`): what it refuses is told in its own word."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import pynvml

from harness.gpu.devices import Driver, Gpu, Pair

Handle = Any
Question = Callable[[Handle], float]

REFUSED = (pynvml.NVMLError, pynvml.NVMLLibraryMismatchError, AttributeError)
"""An answer that the GPU, an older driver, or another version of the package does not give."""

_LOST = (pynvml.NVML_ERROR_GPU_IS_LOST, pynvml.NVML_ERROR_RESET_REQUIRED)

SLOWED = {
    0x04: "power cap",
    0x08: "hardware slowdown",
    0x20: "temperature (driver)",
    0x40: "temperature (hardware)",
    0x80: "power brake",
}
"""nvml.h, ``nvmlClocksEventReason…``: why clocks are lower than a load would have them.

Idling, and clocks that somebody set, are no such reasons.
"""

QUICK: Mapping[str, Question] = {
    "memory_used": lambda gpu: pynvml.nvmlDeviceGetMemoryInfo(gpu).used,
    "utilisation": lambda gpu: pynvml.nvmlDeviceGetUtilizationRates(gpu).gpu / 100,
    "sm_clock": lambda gpu: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM),
    "memory_clock": lambda gpu: pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_MEM),
    "power": lambda gpu: pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000,
    "temperature": lambda gpu: pynvml.nvmlDeviceGetTemperature(gpu, pynvml.NVML_TEMPERATURE_GPU),
    "ecc_errors": lambda gpu: pynvml.nvmlDeviceGetTotalEccErrors(
        gpu, pynvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, pynvml.NVML_VOLATILE_ECC
    ),
    "pcie_replays": lambda gpu: pynvml.nvmlDeviceGetPcieReplayCounter(gpu),
    "nvlink_sent": lambda gpu: _over_links(gpu, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX),
    "nvlink_received": lambda gpu: _over_links(gpu, pynvml.NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_RX),
}
"""In bytes, fractions, MHz, watts, degrees Celsius, and counts: some 100 us for those before the links on an H100."""

SLOW: Mapping[str, Question] = {
    "pcie_sent": lambda gpu: pynvml.nvmlDeviceGetPcieThroughput(gpu, pynvml.NVML_PCIE_UTIL_TX_BYTES) * 1000,
    "pcie_received": lambda gpu: pynvml.nvmlDeviceGetPcieThroughput(gpu, pynvml.NVML_PCIE_UTIL_RX_BYTES) * 1000,
}
"""Bytes/s. Each takes 21 ms on an H100, over which the driver counts."""

_ALL_LINKS = 0xFFFFFFFF
"""nvml.h, ``NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX``: the scope in which all links of a GPU count together."""

_READ = 0
"""NVML_P2P_CAPS_INDEX_READ, which the package has as a tuple."""

_NEAR = {
    pynvml.NVML_TOPOLOGY_INTERNAL: "same board",
    pynvml.NVML_TOPOLOGY_SINGLE: "one PCIe switch",
    pynvml.NVML_TOPOLOGY_MULTIPLE: "several PCIe switches",
    pynvml.NVML_TOPOLOGY_HOSTBRIDGE: "one host bridge",
    pynvml.NVML_TOPOLOGY_NODE: "one NUMA node",
    pynvml.NVML_TOPOLOGY_SYSTEM: "across NUMA nodes",
}


@dataclass(frozen=True)
class Sample:
    """Of one GPU at one time; ``missing``: NVML's words for what it refuses; bytes of each process by its number."""

    values: Mapping[str, float]
    missing: Mapping[str, str]
    slowed: Sequence[str] = ()
    processes: Mapping[str, int] = field(default_factory=dict)
    lost: str = ""
    """NVML's word, where it says that the GPU is not there any more."""


@contextmanager
def connection() -> Iterator[None]:
    """Speak with the driver for a while; NVMLError where there is none."""
    pynvml.nvmlInit()
    try:
        yield
    finally:
        pynvml.nvmlShutdown()


def driver() -> Driver:
    """What there is on this machine."""
    try:
        with connection():
            handles = [_handle(number) for number in range(pynvml.nvmlDeviceGetCount())]
            cuda = _or_none(lambda: pynvml.nvmlSystemGetCudaDriverVersion_v2())
            return Driver(
                _or_none(lambda: _plain(pynvml.nvmlSystemGetDriverVersion())),
                None if cuda is None else (cuda // 1000, cuda % 1000 // 10),
                [_gpu(number, handle) for number, handle in enumerate(handles)],
                [_pair(first, second, handles) for second in range(len(handles)) for first in range(second)],
            )
    except REFUSED as error:
        return Driver(missing=word(error))


def _handle(number: int) -> Handle | str:
    """That of a GPU, or NVML's word for why there is none: one may be lost, or not ours to ask."""
    try:
        return pynvml.nvmlDeviceGetHandleByIndex(number)
    except REFUSED as error:
        return word(error)


def word(error: Exception) -> str:
    """NVML's own word for what it refuses, as in ``not supported``."""
    return str(error).lower()


def sample(handle: Handle, slow: bool = False) -> Sample:
    """Ask a GPU all that is quick to answer, and with ``slow`` the rest."""
    answers = _Answers(handle)
    found = {name: answers.of(name, question) for name, question in {**QUICK, **(SLOW if slow else {})}.items()}
    values = {name: value for name, value in found.items() if value is not None}
    reasons = answers.of("slowed", _reasons) or 0
    slowed = [why for bit, why in SLOWED.items() if reasons & bit]
    named = answers.of("processes", _processes) or []
    processes = _by_process(named)
    if len(processes) < len({pid for pid, _ in named}):
        answers.missing["processes"] = "what some processes hold is not available"
    return Sample(values, answers.missing, slowed, processes, answers.lost)


class _Answers:
    """Of one GPU; what it refuses is kept in NVML's words."""

    def __init__(self, handle: Handle) -> None:
        self._handle, self.missing, self.lost = handle, dict[str, str](), ""

    def of(self, name: str, question: Callable[[Handle], Any]) -> Any:
        """None where it is refused."""
        try:
            return question(self._handle)
        except REFUSED as error:
            self.missing[name] = word(error)
            if getattr(error, "value", None) in _LOST:
                self.lost = word(error)
            return None


def _over_links(handle: Handle, counter: int) -> float:
    """Bytes that all NVLinks of a GPU carried since its driver was loaded; NVML counts KiB."""
    (said,) = pynvml.nvmlDeviceGetFieldValues(handle, [(counter, _ALL_LINKS)])
    if said.nvmlReturn != pynvml.NVML_SUCCESS:
        raise pynvml.NVMLError(said.nvmlReturn)
    return float(said.value.ullVal * 1024)


def _reasons(handle: Handle) -> int:
    """Newer packages have it by another name."""
    ask = getattr(pynvml, "nvmlDeviceGetCurrentClocksThrottleReasons", None)
    return int((ask or pynvml.nvmlDeviceGetCurrentClocksEventReasons)(handle))


def _processes(handle: Handle) -> list[tuple[str, int | None]]:
    """Those that the driver lets us see: in a container often none, or with other numbers than ours.

    With bytes that each holds, where it says so; one that uses several slices of a GPU comes several times.
    """
    try:
        every = pynvml.nvmlDeviceGetComputeRunningProcesses(handle)
    except pynvml.NVMLLibraryMismatchError:  # drivers before 510
        every = pynvml.nvmlDeviceGetComputeRunningProcesses_v2(handle)
    return [(str(each.pid), each.usedGpuMemory) for each in every]


def _by_process(named: Iterable[tuple[str, int | None]]) -> dict[str, int]:
    """Bytes of each, all of its slices together, of those of which all is known."""
    found, untold = dict[str, int](), set[str]()
    for pid, held in named:
        if held is None:
            untold.add(pid)
        else:
            found[pid] = found.get(pid, 0) + held
    return {pid: held for pid, held in found.items() if pid not in untold}


def _gpu(index: int, handle: Handle | str) -> Gpu:
    if isinstance(handle, str):
        return Gpu(index, "a GPU that cannot be asked", None, None, None, None, False, handle)
    memory = _or_none(lambda: pynvml.nvmlDeviceGetMemoryInfo(handle).total)
    capability = _or_none(lambda: pynvml.nvmlDeviceGetCudaComputeCapability(handle))
    split = _or_none(lambda: pynvml.nvmlDeviceGetMigMode(handle)[0]) == pynvml.NVML_DEVICE_MIG_ENABLE
    return Gpu(
        index,
        _or_none(lambda: _plain(pynvml.nvmlDeviceGetName(handle))) or "a GPU without a name",
        _or_none(lambda: _plain(pynvml.nvmlDeviceGetUUID(handle))),
        None if capability is None else (capability[0], capability[1]),
        memory,
        _links(handle),
        split,
        slices=list(_slices(handle)) if split else [],
    )


def _slices(handle: Handle) -> Iterator[str]:
    """Names of the parts of a GPU that is split; places without one are passed over."""
    for place in range(_or_none(lambda: pynvml.nvmlDeviceGetMaxMigDeviceCount(handle)) or 0):
        part = _or_none(partial(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place))
        if part is not None and (name := _or_none(partial(pynvml.nvmlDeviceGetUUID, part))) is not None:
            yield _plain(name)


def _links(handle: Handle) -> int | None:
    """NVLinks that are up; None where the GPU knows none."""
    links = range(pynvml.NVML_NVLINK_MAX_LINKS)
    states = [_or_none(partial(pynvml.nvmlDeviceGetNvLinkState, handle, link)) for link in links]
    known = [state for state in states if state is not None]
    return sum(known) if known else None


def _pair(first: int, second: int, handles: Sequence[Handle]) -> Pair:
    one, other = handles[first], handles[second]
    if isinstance(one, str) or isinstance(other, str):
        return Pair(first, second, "unknown", None)
    near = _or_none(lambda: pynvml.nvmlDeviceGetTopologyCommonAncestor(one, other))
    status = _or_none(lambda: pynvml.nvmlDeviceGetP2PStatus(one, other, _READ))
    reach = None if status is None else status == pynvml.NVML_P2P_STATUS_OK
    return Pair(first, second, _NEAR.get(near, "unknown"), reach)


def _or_none(question: Callable[[], Any]) -> Any:
    try:
        return question()
    except REFUSED:
        return None


def _plain(text: str | bytes) -> str:
    """Older versions of the package give bytes."""
    return text.decode() if isinstance(text, bytes) else text


def main() -> None:
    """Say what there is, as JSON (`harness/gpu/installed.py`)."""
    sys.stdout.write(json.dumps(asdict(driver())))


if __name__ == "__main__":
    main()
